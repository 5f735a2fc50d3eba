// What is fetched is worked on inside.
// expect: as a 'sending' result risks causing data races
import OpenSwiftData

private func leakFetched(_ database: ModelDatabase) async throws -> [Trip] {
  try await database.fetch(FetchDescriptor<Trip>()) { $0 }
}
