// A model cannot hide in a class that says it is Sendable.
// expect: stored property 'trip' of 'Sendable'-conforming class 'ModelBox' has non-Sendable type 'Trip'
import SwiftData

private final class ModelBox: Sendable {
  let trip: Trip

  init(trip: Trip) { self.trip = trip }
}
