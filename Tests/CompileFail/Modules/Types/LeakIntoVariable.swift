// The closure of a database's `fetch` cannot assign a fetched model to a variable outside the closure.
// expect: capture of 'leaked' with non-Sendable type 'Trip?' in a '@Sendable' closure
// expect: mutation of captured var 'leaked' in concurrently-executing code
import OpenSwiftData

private func leak(_ database: ModelDatabase) async throws -> Trip? {
  var leaked: Trip?
  try await database.fetch(FetchDescriptor<Trip>()) { leaked = $0.first }
  return leaked
}
