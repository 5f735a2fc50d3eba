// What is related to what was given away went along.
// expect: sending 'trip' risks causing data races
import OpenSwiftData

private func giveAwayRelated(_ database: ModelDatabase) async throws {
  let (trip, stop) = (Trip(name: "a"), Stop(place: "b"))
  trip.stops = [stop]
  try await database.insert(trip)
  stop.place = "c"
}
