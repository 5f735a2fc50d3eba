// A context cannot hide in a value that says it is Sendable.
// expect: stored property 'context' of 'Sendable'-conforming struct 'ContextBox' has non-Sendable type 'ModelContext'
import SwiftData

private struct ContextBox: Sendable {
  let context: ModelContext
}
