// A Sendable struct cannot have a context as a property.
// expect: stored property 'context' of 'Sendable'-conforming struct 'ContextBox' has non-Sendable type 'ModelContext'
import SwiftData

private struct ContextBox: Sendable {
  let context: ModelContext
}
