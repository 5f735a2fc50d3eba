// A context that is used here is not used on the main actor.
// expect: sending 'context' risks causing data races
import SwiftData

@MainActor private func show(_ context: ModelContext) {}

private func pass(_ context: ModelContext) async {
  await show(context)
}
