// A detached task cannot use a model of the function that creates the task, because both may run at the same time.
// expect: passing closure as a 'sending' parameter risks causing data races
import SwiftData

private func renameDetached(_ trip: Trip) {
  Task.detached { trip.name = "b" }
}
