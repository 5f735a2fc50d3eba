// The result of a task cannot be a model, because any code may read the result.
// expect: conformance of 'Trip' to 'Sendable' is unavailable: a model belongs to its context
import SwiftData

private func wait(for task: Task<Trip, Never>) {}
