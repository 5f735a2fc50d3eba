// A closure that observes notifications cannot capture a context, because any thread may post the notification.
// expect: capture of 'context' with non-Sendable type 'ModelContext' in a '@Sendable' closure
import SwiftData

private func observe(_ context: ModelContext) -> any NSObjectProtocol {
  NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: nil, queue: nil) { _ in
    context.rollback()
  }
}
