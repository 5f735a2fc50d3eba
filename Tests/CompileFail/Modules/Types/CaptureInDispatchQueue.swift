// A closure for a dispatch queue runs on another thread, so it cannot capture a model.
// expect: capture of 'trip' with non-Sendable type 'Trip' in a '@Sendable' closure
import Dispatch
import SwiftData

private func renameLater(_ trip: Trip) {
  DispatchQueue.global().async { trip.name = "b" }
}
