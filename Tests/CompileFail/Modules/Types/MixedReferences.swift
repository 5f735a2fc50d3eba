// A reference to one model is none to another.
// expect: cannot convert value of type 'Model<Trip>' to expected argument type 'Model<Stop>'
import SwiftData

private func place(_ reference: Model<Trip>, in context: ModelContext) throws -> String {
  let stop: Stop = try context.get(reference)
  return stop.place
}
