// A model that is in use cannot be given to an actor.
// expect: sending 'trip' risks causing data races
import SwiftData

extension TripStore {
  fileprivate func keep(_ trip: Trip) { last = trip }
}

private func keep(_ trip: Trip, in store: TripStore) async {
  await store.keep(trip)
}
