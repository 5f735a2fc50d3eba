// A closure that a database runs cannot return a model that it fetched.
// expect: as a 'sending' result risks causing data races
import OpenSwiftData

private func leak(_ database: ModelDatabase) async throws -> String {
  try await database.withModelContext { try $0.fetch(FetchDescriptor<Trip>())[0] }.name
}
