// Nor is a list of models.
// expect: conformance of 'Trip' to 'Sendable' is unavailable: a model belongs to its context
import SwiftData

private func share<Value: Sendable>(_ value: Value) {}

private func passModels(_ trips: [Trip]) {
  share(trips)
}
