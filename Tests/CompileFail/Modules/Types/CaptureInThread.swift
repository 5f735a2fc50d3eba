// The closure of a new thread cannot capture a context.
// expect: capture of 'context' with non-Sendable type 'ModelContext' in a '@Sendable' closure
import SwiftData

private func saveInThread(_ context: ModelContext) {
  Thread { try? context.save() }.start()
}
