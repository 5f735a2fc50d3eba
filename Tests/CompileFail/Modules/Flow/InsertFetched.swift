// What a context has cannot be given away.
// expect: sending
import OpenSwiftData

private func insertFetched(_ context: ModelContext, _ database: ModelDatabase) async throws {
  let trip = try context.fetch(FetchDescriptor<Trip>())[0]
  try await database.insert(trip)
}
