/// What few objects have beside their slots, so that the others do not make room for it.
@usableFromInline
package final class ModelExtras {
  /// The identity that was handed out before the object had a row.
  var token: IdentifierToken?
  /// The row that the object had before it was deleted, when it waits to be inserted again.
  var formerRow: (entity: StoreEntity, key: Int64)?
  /// What was done to the object's to-many relationships since the last save.
  var lists: ContiguousArray<ListChanges> = []
  /// The values of to-one relationships that are being changed in place, the innermost last.
  var modified: ContiguousArray<AnyObject?> = []

  /// The changes of the relationship at a position.
  func list(at position: Int) -> ListChanges? {
    for list in lists where list.position == position { return list }
    return nil
  }
}

extension ModelState {
  var token: IdentifierToken? {
    get { extras?.token }
    set {
      guard newValue != nil || extras != nil else { return }
      ensureExtras().token = newValue
    }
  }

  mutating func ensureExtras() -> ModelExtras {
    if let extras { return extras }
    let made = ModelExtras()
    extras = made
    return made
  }

  /// What is noted about changes of the relationship at a position, made if need be.
  mutating func listChanges(at position: Int) -> ListChanges {
    let extras = ensureExtras()
    if let known = extras.list(at: position) { return known }
    let made = ListChanges(position: position)
    extras.lists.append(made)
    return made
  }

  /// Forgets what was done to relationships: it is saved, or undone.
  mutating func forgetListChanges() {
    flags.remove(.stale)
    extras?.lists.removeAll()
  }
}
