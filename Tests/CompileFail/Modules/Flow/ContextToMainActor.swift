// A function cannot pass its caller's context to the main actor, because the caller may still use the context.
// expect: sending 'context' risks causing data races
import SwiftData

@MainActor private func show(_ context: ModelContext) {}

private func pass(_ context: ModelContext) async {
  await show(context)
}
