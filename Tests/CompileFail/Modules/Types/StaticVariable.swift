// A static variable cannot be a model, because all threads could set and use it.
// expect: static property 'current' is not concurrency-safe
import SwiftData

private enum CurrentTrip {
  static var current: Trip?
}
