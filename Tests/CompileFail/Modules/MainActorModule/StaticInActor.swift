// What such a module keeps for all code is for the main actor, and not for a model actor.
// expect: main actor-isolated static property 'trip' can not be mutated on a nonisolated actor instance
import SwiftData

extension TripStore {
  fileprivate func useCurrent() { Current.trip = Trip(name: "a") }
}
