// A model that was given to a database is the database's.
// expect: sending 'trip' risks causing data races
import OpenSwiftData

private func useAfterInsert(_ database: ModelDatabase) async throws {
  let trip = Trip(name: "a")
  try await database.insert(trip)
  trip.name = "b"
}
