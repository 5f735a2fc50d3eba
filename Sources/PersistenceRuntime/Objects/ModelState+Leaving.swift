extension ModelState {
  /// Marks the object as leaving its context. Without relationships it needs no later update.
  package mutating func noteLeaving() {
    if identityMap?.entity.hasRelationships == true { ensureExtras().hasLeft = true }
  }

  /// Whether the object left a context and has not been saved since, so that its lists may contain objects without the
  /// inverse.
  package var hasLeft: Bool { extras?.hasLeft == true }

  /// Marks the relationships of the object as consistent with their inverses again.
  package mutating func forgetLeaving() { extras?.hasLeft = false }
}
