// A detached task runs beside its maker.
// expect: passing closure as a 'sending' parameter risks causing data races
import SwiftData

private func renameDetached(_ trip: Trip) {
  Task.detached { trip.name = "b" }
}
