// A variable that all code may set is worse.
// expect: static property 'current' is not concurrency-safe
import SwiftData

private enum CurrentTrip {
  static var current: Trip?
}
