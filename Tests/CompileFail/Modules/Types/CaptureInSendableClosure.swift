// A closure that may run anywhere holds no context.
// expect: capture of 'context' with non-Sendable type 'ModelContext' in a '@Sendable' closure
import SwiftData

private func later(_ context: ModelContext) -> @Sendable () -> Void {
  { context.insert(Trip(name: "a")) }
}
