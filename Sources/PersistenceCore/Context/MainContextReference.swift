/// Carries the main context to the main actor.
final class MainContextReference: @unchecked Sendable {
  // Unchecked: the reference is made where the main context is used, which is the main actor, and looked at there.
  weak var context: ModelContext?

  init(_ context: ModelContext) {
    self.context = context
  }
}
