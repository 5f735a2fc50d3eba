import PersistenceSupport

/// State that few objects have, out of line so that the others stay small.
@usableFromInline
package final class ModelExtras {
  /// The objects that were fetched together with this one.
  @usableFromInline var group: FetchGroup?
  /// Whether the object left a context, which has not updated it since, and has not been saved again.
  var hasLeft = false
  /// The object's observation registrar; nil until an observer reads a property.
  @usableFromInline var observation: ObservationBox?
  /// The identity created before the object had a row.
  var token: IdentifierToken?
  /// The row before the deletion, while the object waits to be inserted again.
  package var formerRow: (entity: StoreEntity, key: Int64)?
  /// The changes of to-many relationships since the last save.
  package var lists: ContiguousArray<ListChanges> = []
  /// The values of to-one relationships that are being modified in place, innermost last.
  package var modified: ContiguousArray<AnyObject?> = []
  /// The properties whose reads failed. See ``ModelState/hasFailedReads``.
  package var failedReads: ContiguousArray<FailedRead> = []
  /// The properties that are being modified in place and whose change is rejected, innermost last.
  package var refusedChanges: ContiguousArray<(position: Int, keyPath: AnyKeyPath)> = []

  init(group: FetchGroup?) {
    self.group = group
  }

  /// The changes of the relationship at a position; nil if there are none.
  package func list(at position: Int) -> ListChanges? {
    for list in lists where list.position == position { return list }
    return nil
  }
}

extension ModelState {
  @usableFromInline package var extras: ModelExtras? {
    guard hasExtras, let companion else { return nil }
    // `hasExtras` is the type tag of `companion`.
    return unsafeDowncast(companion, to: ModelExtras.self)
  }

  /// The objects that were fetched together with this one; nil if the entity has no relationships to prefetch.
  @inlinable package var group: FetchGroup? {
    get {
      guard let companion else { return nil }
      return hasExtras ? extras?.group : unsafeDowncast(companion, to: FetchGroup.self)
    }
    set {
      if hasExtras { setGroupOfExtras(newValue) } else { companion = newValue }
    }
  }

  @usableFromInline
  func setGroupOfExtras(_ group: FetchGroup?) { extras?.group = group }

  package var token: IdentifierToken? {
    get { extras?.token }
    set {
      guard newValue != nil || extras != nil else { return }
      ensureExtras().token = newValue
    }
  }

  package mutating func ensureExtras() -> ModelExtras {
    if let extras { return extras }
    let made = ModelExtras(group: group)
    companion = made
    hasExtras = true
    return made
  }

  /// The changes of the relationship at a position, created if necessary.
  package mutating func listChanges(at position: Int) -> ListChanges {
    let extras = ensureExtras()
    if let known = extras.list(at: position) { return known }
    let made = ListChanges(position: position)
    extras.lists.append(made)
    return made
  }

  /// Discards the recorded changes of relationships after a save or rollback.
  package mutating func forgetListChanges() {
    flags.remove(.stale)
    guard let extras, !extras.lists.isEmpty else { return }
    let former = extras.lists
    extras.lists = []
    // Released after the mutation: deinitialisers of removed objects may read the lists.
    withExtendedLifetime(former) {}
  }

  // MARK: Leaving a context

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
