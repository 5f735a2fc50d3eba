// A model is not Sendable, even in a module whose declarations are isolated to the main actor by default.
// expect: conformance of 'Trip' to 'Sendable' is unavailable: a model belongs to its context
import SwiftData

private func share<Value: Sendable>(_ value: Value) {}

private func pass(_ trip: Trip) {
  share(trip)
}
