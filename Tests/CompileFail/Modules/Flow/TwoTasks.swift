// Two tasks cannot use the same model.
// expect: sending value of non-Sendable type '() async -> ()' risks causing data races
import SwiftData

private func renameTwice() {
  let trip = Trip(name: "a")
  Task { trip.name = "b" }
  Task { trip.name = "c" }
}
