// A model of the main context does not go into a database.
// expect: capture of 'trip' with non-Sendable type 'Trip' in a '@Sendable' closure
import OpenSwiftData

private func rename(_ trip: Trip, in database: ModelDatabase) async {
  await database.withModelContext { _ in trip.name = "b" }
}
