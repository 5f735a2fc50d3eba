// A `@Sendable` closure may run on any thread, so it cannot capture a context.
// expect: capture of 'context' with non-Sendable type 'ModelContext' in a '@Sendable' closure
import SwiftData

private func later(_ context: ModelContext) -> @Sendable () -> Void {
  { context.insert(Trip(name: "a")) }
}
