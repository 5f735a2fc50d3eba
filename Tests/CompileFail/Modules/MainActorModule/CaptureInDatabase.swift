// A closure that a database runs cannot capture a model that the main actor uses.
// expect: capture of 'trip' with non-Sendable type 'Trip' in a '@Sendable' closure
import OpenSwiftData

private func rename(_ trip: Trip, in database: ModelDatabase) async {
  await database.withModelContext { _ in trip.name = "b" }
}
