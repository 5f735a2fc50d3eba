// The result of a task may be had anywhere.
// expect: conformance of 'Trip' to 'Sendable' is unavailable: a model belongs to its context
import SwiftData

private func wait(for task: Task<Trip, Never>) {}
