extension ModelState {
  /// Notes that the object is about to leave its context. One without relationships misses nothing.
  package mutating func noteLeaving() {
    if identityMap?.entity.hasRelationships == true { ensureExtras().hasLeft = true }
  }

  /// Whether the object has left a context and has not been saved since, so that its lists may have what does not know
  /// of it.
  package var hasLeft: Bool { extras?.hasLeft == true }

  /// Notes that both ends of all that the object relates to agree again.
  package mutating func forgetLeaving() { extras?.hasLeft = false }
}
