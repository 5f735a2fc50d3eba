// A function cannot pass its caller's model to an actor, because the caller may still use the model.
// expect: sending 'trip' risks causing data races
import SwiftData

extension TripStore {
  fileprivate func keep(_ trip: Trip) { last = trip }
}

private func keep(_ trip: Trip, in store: TripStore) async {
  await store.keep(trip)
}
