// Code that inserted a model into a database cannot use the model afterwards.
// expect: sending 'trip' risks causing data races
import OpenSwiftData

private func useAfterInsert(_ database: ModelDatabase) async throws {
  let trip = Trip(name: "a")
  try await database.insert(trip)
  trip.name = "b"
}
