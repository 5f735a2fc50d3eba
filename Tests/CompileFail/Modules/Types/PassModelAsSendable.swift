// A model cannot be passed to a function whose parameter has to be Sendable.
// expect: conformance of 'Trip' to 'Sendable' is unavailable: a model belongs to its context
import SwiftData

private func share<Value: Sendable>(_ value: Value) {}

private func passModel(_ trip: Trip) {
  share(trip)
}
