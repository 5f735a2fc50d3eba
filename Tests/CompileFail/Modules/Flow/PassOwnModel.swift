// An actor cannot pass a model that it stores to another actor.
// expect: risks causing data races
import SwiftData

extension TripStore {
  fileprivate func receive(_ trip: Trip?) {}

  fileprivate func pass(to other: TripStore) async {
    await other.receive(last)
  }
}
