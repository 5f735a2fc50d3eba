// A Sendable class cannot have a model as a property.
// expect: stored property 'trip' of 'Sendable'-conforming class 'ModelBox' has non-Sendable type 'Trip'
import SwiftData

private final class ModelBox: Sendable {
  let trip: Trip

  init(trip: Trip) { self.trip = trip }
}
