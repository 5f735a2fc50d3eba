// Nor is a model.
// expect: static property 'trip' is not concurrency-safe
import SwiftData

private enum EverybodysTrip {
  static let trip = Trip(name: "a")
}
