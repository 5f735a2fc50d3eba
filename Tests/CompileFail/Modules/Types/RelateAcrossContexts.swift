// Models of two contexts cannot be related. This frequent cause of crashes is an error of the compiler.
// expect: capture of 'trip' with non-Sendable type 'Trip' in a '@Sendable' closure
import OpenSwiftData

private func relate(_ reference: Model<Stop>, _ one: ModelDatabase, _ other: ModelContext) async throws {
  let trip = try other.fetch(FetchDescriptor<Trip>())[0]
  try await one.update(reference) { stop in stop.trip = trip }
}
