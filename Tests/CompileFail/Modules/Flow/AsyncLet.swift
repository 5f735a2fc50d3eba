// Nor do a function and its child.
// expect: sending 'trip' risks causing data races
import SwiftData

private func readName(_ trip: Trip) async -> String { trip.name }

private func readTwice() async -> String {
  let trip = Trip(name: "a")
  async let name = readName(trip)
  trip.name = "b"
  return await name
}
