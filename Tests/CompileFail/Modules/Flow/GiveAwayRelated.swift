// Code that inserted a model into a database cannot use the model's related models afterwards.
// expect: sending 'trip' risks causing data races
import OpenSwiftData

private func giveAwayRelated(_ database: ModelDatabase) async throws {
  let (trip, stop) = (Trip(name: "a"), Stop(place: "b"))
  trip.stops = [stop]
  try await database.insert(trip)
  stop.place = "c"
}
