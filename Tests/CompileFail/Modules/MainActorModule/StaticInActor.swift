// A model actor cannot use the module's static variables, because they are isolated to the main actor by default.
// expect: main actor-isolated static property 'trip' can not be mutated on a nonisolated actor instance
import SwiftData

extension TripStore {
  fileprivate func useCurrent() { Current.trip = Trip(name: "a") }
}
