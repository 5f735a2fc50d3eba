// The closure of a container's `read` cannot return a model that it fetched.
// expect: as a 'sending' result risks causing data races
import SwiftData

private func leakRead(_ container: ModelContainer) async throws -> String {
  try await container.read { try $0.fetch(FetchDescriptor<Trip>())[0] }.name
}
