// A new model cannot be inserted into two databases.
// expect: sending 'trip' risks causing data races
import OpenSwiftData

private func insertTwice(_ one: ModelDatabase, _ other: ModelDatabase) async throws {
  let trip = Trip(name: "a")
  try await one.insert(trip)
  try await other.insert(trip)
}
