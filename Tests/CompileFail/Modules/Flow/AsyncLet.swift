// A function and the task that its `async let` starts cannot use the same model at the same time.
// expect: sending 'trip' risks causing data races
import SwiftData

private func readName(_ trip: Trip) async -> String { trip.name }

private func readTwice() async -> String {
  let trip = Trip(name: "a")
  async let name = readName(trip)
  trip.name = "b"
  return await name
}
