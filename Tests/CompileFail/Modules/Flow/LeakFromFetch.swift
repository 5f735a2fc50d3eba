// The closure of a database's `fetch` has to use the fetched models itself; it cannot return them.
// expect: as a 'sending' result risks causing data races
import OpenSwiftData

private func leakFetched(_ database: ModelDatabase) async throws -> [Trip] {
  try await database.fetch(FetchDescriptor<Trip>()) { $0 }
}
