// Valid code that resembles the invalid programs of this folder.
import OpenSwiftData

private func allowed(_ database: ModelDatabase, _ reference: Model<Trip>) async throws -> [String] {
  let trip = Trip(name: "a")
  trip.stops = [Stop(place: "b")]
  let inserted = try await database.insert(trip)
  try await database.update(inserted) { $0.name = "b" }
  let context = try await database.get(reference) { trip in NSMutableArray(array: [trip.name]) }
  context.add("c")
  return try await database.fetch(FetchDescriptor<Trip>()) { $0.map(\.name) }
}

extension TripStore {
  fileprivate func make() -> sending Trip { Trip(name: "a") }
}

private func useMade(_ store: TripStore) async -> String {
  let trip = await store.make()
  trip.name = "b"
  return trip.name
}
