// The closure of a database's `update` cannot return the related models of the updated model.
// expect: as a 'sending' result risks causing data races
import OpenSwiftData

private func leakRelated(_ reference: Model<Trip>, _ database: ModelDatabase) async throws -> [Stop] {
  try await database.update(reference) { $0.stops }
}
