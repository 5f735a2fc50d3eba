import PersistenceRuntime

/// Recognises a program that reads the same relationship of each model that it looks up, as a loop over identifiers does.
///
/// The related rows of the next model are then read together with its row (``RelatedReadingEngine``). Used only on the
/// context's thread or actor.
package struct LookUpPattern {
  /// The model that was looked up last, if none of its relationships has been read since then.
  private var last: ObjectIdentifier?
  private var relationship: RelationshipLayout?
  /// How many times in a row the program has read the relationship after a look-up.
  private var hits = 0
  /// The number of look-ups that have read the relationship since the program's own last read of it.
  private var ahead = 0
  private var isOff = false

  /// The number of hits from which look-ups read the relationship.
  private static let leastHits = 2
  /// The number of such look-ups after which one does not read the relationship, to see whether the program does.
  private static let mostAhead = 16
  /// The maximum number of related models: reading more of them for nothing would take too long.
  private static let mostRelated = 1_000

  package init() {}

  /// The relationship to read together with the row of an entity; nil for none.
  package mutating func relationshipToRead(of entity: EntityLayout) -> RelationshipLayout? {
    guard hits >= Self.leastHits, !isOff, let relationship, relationship.entity == entity.name else { return nil }
    ahead += 1
    guard ahead > Self.mostAhead else { return relationship }
    (hits, ahead) = (Self.leastHits - 1, 0)
    return nil
  }

  /// Records a look-up that has read only the row of its model.
  package mutating func didLookUp(_ object: AnyObject?) {
    if last != nil { hits = 0 }
    last = object.map { ObjectIdentifier($0) }
  }

  /// Records that the program has read a relationship of a model.
  package mutating func didRead(_ relationship: RelationshipLayout, of object: AnyObject, count: Int) {
    guard last == ObjectIdentifier(object) else { return }
    last = nil
    hits = count > Self.mostRelated ? 0 : relationship === self.relationship ? hits + 1 : 1
    self.relationship = relationship
  }

  /// Stops for the life of the context, because the engine or the context cannot read both together.
  package mutating func stop() { isOff = true }
}
