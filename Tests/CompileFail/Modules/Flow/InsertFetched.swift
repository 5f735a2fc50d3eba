// A model that was fetched by a context cannot be inserted into a database, because the context still has the model.
// expect: sending
import OpenSwiftData

private func insertFetched(_ context: ModelContext, _ database: ModelDatabase) async throws {
  let trip = try context.fetch(FetchDescriptor<Trip>())[0]
  try await database.insert(trip)
}
