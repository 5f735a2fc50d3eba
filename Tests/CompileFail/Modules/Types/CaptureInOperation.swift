// An operation runs on another thread, so its closure cannot capture a model.
// expect: capture of 'trip' with non-Sendable type 'Trip' in a '@Sendable' closure
import SwiftData

private func renameInOperation(_ trip: Trip) {
  OperationQueue().addOperation { trip.name = "b" }
}
