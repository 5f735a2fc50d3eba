// The closure of a database's `get` has to use the model itself; it cannot return the model.
// expect: as a 'sending' result risks causing data races
import OpenSwiftData

private func leakFound(_ reference: Model<Trip>, _ database: ModelDatabase) async throws -> Trip {
  try await database.get(reference) { $0 }
}
