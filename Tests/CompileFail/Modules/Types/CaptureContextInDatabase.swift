// A closure that a database runs cannot use a context from outside the closure.
// expect: capture of 'mine' with non-Sendable type 'ModelContext' in a '@Sendable' closure
import OpenSwiftData

private func copy(from mine: ModelContext, to database: ModelDatabase) async throws {
  try await database.transaction { theirs in
    for trip in try mine.fetch(FetchDescriptor<Trip>()) { theirs.insert(Trip(name: trip.name)) }
  }
}
