// A reference to one model is none to another.
// expect: cannot convert value of type 'Model<Trip>' to expected argument type 'Model<Stop>'
import OpenSwiftData

private func move(_ stop: Model<Stop>) {}

private func rename(trip reference: Model<Trip>) {
  move(reference)
}
