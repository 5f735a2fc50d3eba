// What a database reads does not go into a variable outside.
// expect: capture of 'leaked' with non-Sendable type 'Trip?' in a '@Sendable' closure
// expect: mutation of captured var 'leaked' in concurrently-executing code
import OpenSwiftData

private func leak(_ database: ModelDatabase) async throws -> Trip? {
  var leaked: Trip?
  try await database.fetch(FetchDescriptor<Trip>()) { leaked = $0.first }
  return leaked
}
