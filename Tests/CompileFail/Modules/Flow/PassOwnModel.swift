// An actor does not pass its models on.
// expect: risks causing data races
import SwiftData

extension TripStore {
  fileprivate func receive(_ trip: Trip?) {}

  fileprivate func pass(to other: TripStore) async {
    await other.receive(last)
  }
}
