import PersistenceRuntime

/// The pending changes of one context for one entity, and the ranks of its objects in lists.
///
/// Confined to the context: only code that may use the context may touch it. It has no locks and is not Sendable.
///
/// The context owns the changes. The ``IdentityMap`` refers to them unretained until ``close()``: objects own their
/// map, and the last of them may be freed on any thread, long after the context.
package final class EntityChanges {
  /// The registered objects of the entity.
  package let map: IdentityMap
  /// The context; nil from its deinit on, because code that its last save runs must not find it.
  private(set) unowned(unsafe) var context: ModelContext?
  /// The context while it writes in its deinit. Only the library finds it then.
  private(set) unowned(unsafe) var endingContext: ModelContext?
  /// The changes of the root of the hierarchy; nil for the root itself and without a hierarchy.
  private let root: EntityChanges?

  /// Objects that the next save inserts. Those that were taken back have no flag.
  @exclusivity(unchecked) var inserted: ContiguousArray<AnyObject> = []
  /// The objects of ``inserted`` with an identifier that the program knows, by that identifier.
  @exclusivity(unchecked) var unsaved: [ObjectIdentifier: AnyObject] = [:]
  /// Objects that the next save updates. Those that were taken back have no flag.
  @exclusivity(unchecked) package var changed: ContiguousArray<AnyObject> = []
  /// Objects that the next save deletes. Those that were taken back have no flag.
  @exclusivity(unchecked) package var deleted: ContiguousArray<AnyObject> = []
  /// The values of changed properties before the change.
  @exclusivity(unchecked) var originals = OriginalValues()
  /// The keys of rows that the next save deletes without objects.
  var batchDeletedKeys: Set<Int64> {
    get { root?.batchDeletedKeys ?? ownBatchDeletedKeys }
    _modify {
      if let root { yield &root.batchDeletedKeys } else { yield &ownBatchDeletedKeys }
    }
  }
  private(set) var ownBatchDeletedKeys: Set<Int64> = []
  /// The ranks of objects in to-many relationships, if they differ from the keys: by the position of the property that
  /// refers to the owner, then by key.
  var listPositions: [Int: [Int64: Double]] {
    get { root?.listPositions ?? ownListPositions }
    _modify {
      if let root { yield &root.listPositions } else { yield &ownListPositions }
    }
  }
  private var ownListPositions: [Int: [Int64: Double]] = [:]
  /// The number of ranks at which those of freed objects are pruned.
  private var rankLimit = 1_024
  private var handWritten = HandWrittenModels()
  /// The number of taken-back objects in the lists, which have to be filtered if it is not 0.
  var takenBackCount = 0
  /// The number of times that the lists were filtered. Lists of the same length then may have other objects.
  var filterCount = 0

  /// Whether a save has found that generated code keeps the relationships of the entity.
  var keepsRelationships = false

  var isRoot: Bool { root == nil }

  /// Creates the changes of an entity as the owner of its map.
  init(of map: IdentityMap, in context: ModelContext, root: EntityChanges?) {
    self.map = map
    self.context = context
    self.root = root
    map.owner = .passUnretained(self)
  }

  /// Removes the ranks of freed objects once there are many. A loaded list keeps its objects alive, and loading it
  /// again reads their ranks.
  func pruneRanks() {
    if let root { return root.pruneRanks() }
    let count = ownListPositions.values.reduce(0) { $0 + $1.count }
    guard count > rankLimit else { return }
    for (position, ranks) in ownListPositions { ownListPositions[position] = map.registered(among: ranks) }
    rankLimit = max(1_024, 2 * ownListPositions.values.reduce(0) { $0 + $1.count })
  }

  /// Retains a hand-written model while the program may use it through its backing data.
  func keep(_ object: AnyObject, key: Int64) {
    // The backing data of a released model removes it from the table.
    for model in keepByHand(object, key: key, as: map.modelType) { model.release() }
  }

  private func keepByHand<T: PersistentModel>(
    _ object: AnyObject, key: Int64, as type: T.Type
  ) -> [Unmanaged<AnyObject>] {
    handWritten.keep(object, key: key, as: type)
  }

  // MARK: The end of the context

  /// Hides the context from the program while the context writes in its deinit, and shows it again.
  ///
  /// All changes are detached before rows are written. The map still refers to its changes, because the save needs them.
  func hideContext(_ isHidden: Bool) {
    if isHidden, let context { (self.context, endingContext) = (nil, context) }
    if !isHidden, let endingContext { (context, self.endingContext) = (endingContext, nil) }
  }

  /// Detaches the changes from the context, in its deinit. All are detached before the first is closed.
  func closeContext() {
    context = nil
    endingContext = nil
  }

  /// Adds an object to the changed ones that code changed while the context writes in its deinit.
  func noteChangeAtEnd<T: PersistentModel>(of model: T) {
    let state = model._$state
    guard let endingContext, state.pointee.flags.isDisjoint(with: [.inserted, .changed, .deleted, .gone]) else {
      return
    }
    state.pointee.flags.insert(.changed)
    changed.append(model)
    endingContext.pending.changed += 1
  }

  /// Ends the changes with their context.
  ///
  /// Unsaved objects become detached. Registered objects that live on release the objects they relate to, and read
  /// relationships again on access: objects that retain each other would never be freed, and would keep the store open.
  func close() {
    closeContext()
    map.flush()
    letGo(of: inserted, as: map.modelType)
    inserted = []
    unsaved = [:]
    changed = []
    deleted = []
    // The map of the root has the objects of all classes of the hierarchy.
    if isRoot, map.entity.hasRelationshipsInFamily { releaseRelationships(as: map.modelType) }
    // Deinitialisers of models may run code of the program, which must not add to the hand-written models any more.
    let kept = handWritten.takeAll()
    map.owner = nil
    // Removed from the table explicitly, because backing data may outlive its model.
    for (key, model) in kept {
      map.forget(model.toOpaque(), key: key)
      model.release()
    }
  }

  private func letGo<T: PersistentModel>(of objects: ContiguousArray<AnyObject>, as type: T.Type) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      if model._$state.pointee.identityMap === map, model._$isDetached { model._$becomeNew() }
    }
  }

  private func releaseRelationships<T: PersistentModel>(as type: T.Type) {
    NullRowReader.releaseRelationships(of: map.objectsOfRows().lazy.map { unsafeDowncast($0, to: T.self) }, in: map)
  }
}
