// The tasks of a task group cannot return models.
// expect: conformance of 'Trip' to 'Sendable' is unavailable: a model belongs to its context
import SwiftData

private func gather() async {
  await withTaskGroup(of: Trip.self) { _ in }
}
