// A function with a parameter of type `Model<Stop>` cannot be called with a `Model<Trip>`.
// expect: cannot convert value of type 'Model<Trip>' to expected argument type 'Model<Stop>'
import OpenSwiftData

private func move(_ stop: Model<Stop>) {}

private func rename(trip reference: Model<Trip>) {
  move(reference)
}
