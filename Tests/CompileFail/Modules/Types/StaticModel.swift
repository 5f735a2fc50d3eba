// A static constant cannot be a model, because all threads could use the model.
// expect: static property 'trip' is not concurrency-safe
import SwiftData

private enum EverybodysTrip {
  static let trip = Trip(name: "a")
}
