import PersistenceSupport

/// What few objects have beside their slots, so that the others do not make room for it.
@usableFromInline
package final class ModelExtras {
  /// The objects that were fetched together with this one.
  @usableFromInline var group: FetchGroup?
  /// Whether the object has left a context, which has told it nothing since, and has not been saved again.
  var hasLeft = false
  /// Who observes the object; nil until an observer reads a property.
  @usableFromInline var observation: ObservationBox?
  /// The identity that was handed out before the object had a row.
  var token: IdentifierToken?
  /// The row that the object had before it was deleted, when it waits to be inserted again.
  package var formerRow: (entity: StoreEntity, key: Int64)?
  /// What was done to the object's to-many relationships since the last save.
  package var lists: ContiguousArray<ListChanges> = []
  /// The values of to-one relationships that are being changed in place, the innermost last.
  package var modified: ContiguousArray<AnyObject?> = []
  /// The properties that could not be read, as ``ModelState/hasFailedReads`` says.
  package var failedReads: ContiguousArray<FailedRead> = []
  /// The properties that are being changed in place and will not keep it, the innermost last.
  package var refusedChanges: ContiguousArray<(position: Int, keyPath: AnyKeyPath)> = []

  init(group: FetchGroup?) {
    self.group = group
  }

  /// The changes of the relationship at a position.
  package func list(at position: Int) -> ListChanges? {
    for list in lists where list.position == position { return list }
    return nil
  }
}

extension ModelState {
  @usableFromInline package var extras: ModelExtras? {
    guard hasExtras, let companion else { return nil }
    // What `hasExtras` says.
    return unsafeDowncast(companion, to: ModelExtras.self)
  }

  /// The objects that were fetched together with this one; nil where there are no relationships to load for all of them.
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

  /// What is noted about changes of the relationship at a position, made if need be.
  package mutating func listChanges(at position: Int) -> ListChanges {
    let extras = ensureExtras()
    if let known = extras.list(at: position) { return known }
    let made = ListChanges(position: position)
    extras.lists.append(made)
    return made
  }

  /// Forgets what was done to relationships: it is saved, or undone.
  package mutating func forgetListChanges() {
    flags.remove(.stale)
    extras?.lists.removeAll()
  }
}
