import PersistenceRuntime

/// What one context has to save of one entity, and what else it knows of the entity's rows.
///
/// Confined to the context: only the code that may use the context may touch any of this. Nothing here is locked, and
/// the class is not Sendable.
///
/// Only the context owns the changes, and they go with it. Its ``IdentityMap`` refers to them unretained, until
/// ``close()``: objects own their map, and the last of them may die on any thread, long after the context. What such
/// objects still need is in the map.
package final class EntityChanges {
  /// The objects of the entity.
  package let map: IdentityMap
  /// The context, until it goes. The changes go with it, but what it saves last must not find it.
  private(set) unowned(unsafe) var context: ModelContext?
  /// The changes of the root of the hierarchy. Nil for a root, and for entities that inherit nothing.
  private let root: EntityChanges?

  /// Objects that the next save inserts; those that were taken back carry no flag.
  @exclusivity(unchecked) var inserted: ContiguousArray<AnyObject> = []
  /// The objects of ``inserted`` whose identity the program has asked for, by that.
  @exclusivity(unchecked) var unsaved: [ObjectIdentifier: AnyObject] = [:]
  /// Objects that the next save updates; those that were taken back carry no flag.
  @exclusivity(unchecked) package var changed: ContiguousArray<AnyObject> = []
  /// Objects that the next save deletes; those that were taken back carry no flag.
  @exclusivity(unchecked) package var deleted: ContiguousArray<AnyObject> = []
  /// What the changed properties were before.
  @exclusivity(unchecked) var originals = OriginalValues()
  /// The keys of rows that the next save deletes without there being objects of them.
  var batchDeletedKeys: Set<Int64> {
    get { root?.batchDeletedKeys ?? ownBatchDeletedKeys }
    _modify {
      if let root { yield &root.batchDeletedKeys } else { yield &ownBatchDeletedKeys }
    }
  }
  private(set) var ownBatchDeletedKeys: Set<Int64> = []
  /// Where objects stand in to-many relationships that do not stand where their keys put them, by the position of the
  /// property that refers to the owner, and by key.
  var listPositions: [Int: [Int64: Double]] {
    get { root?.listPositions ?? ownListPositions }
    _modify {
      if let root { yield &root.listPositions } else { yield &ownListPositions }
    }
  }
  private var ownListPositions: [Int: [Int64: Double]] = [:]
  /// How many places there may be before those of objects that are gone are forgotten.
  private var rankLimit = 1_024
  private var handWritten = HandWrittenModels()
  /// How many objects were taken back from the lists, which have to be sifted then.
  var takenBackCount = 0

  var isRoot: Bool { root == nil }

  /// Makes the changes of an entity, and the map's owner of them.
  init(of map: IdentityMap, in context: ModelContext, root: EntityChanges?) {
    self.map = map
    self.context = context
    self.root = root
    map.owner = self
  }

  /// Forgets the places in lists of objects that are gone, once there are many: where a list is loaded its objects are
  /// alive, and where it is loaded again so are their places.
  func pruneRanks() {
    if let root { return root.pruneRanks() }
    let count = ownListPositions.values.reduce(0) { $0 + $1.count }
    guard count > rankLimit else { return }
    for (position, places) in ownListPositions { ownListPositions[position] = map.registered(among: places) }
    rankLimit = max(1_024, 2 * ownListPositions.values.reduce(0) { $0 + $1.count })
  }

  /// Keeps a model that is written by hand for as long as the program may use it through its backing data.
  func keep(_ object: AnyObject, key: Int64) {
    // Their backing data takes them out of the table.
    for model in keepByHand(object, key: key, as: map.modelType) { model.release() }
  }

  private func keepByHand<T: PersistentModel>(
    _ object: AnyObject, key: Int64, as type: T.Type
  ) -> [Unmanaged<AnyObject>] {
    handWritten.keep(object, key: key, as: type)
  }

  // MARK: The end of the context

  /// Takes the context away, which is going. All of its changes lose it before it saves for the last time, and before
  /// the first are closed. The map still refers to them: that save needs them.
  func closeContext() {
    context = nil
  }

  /// Ends the changes with their context.
  ///
  /// Objects that were never saved become their own again. Those that live on let go of the objects that they relate
  /// to: a graph whose objects hold each other would never be freed, and would keep the store open. What they relate to
  /// is read again when it is asked for.
  func close() {
    context = nil
    map.flush()
    letGo(of: inserted, as: map.modelType)
    inserted = []
    unsaved = [:]
    changed = []
    deleted = []
    // Of a hierarchy the root's map does, for the objects of all classes.
    if isRoot, map.entity.hasRelationshipsInFamily { releaseRelationships(as: map.modelType) }
    // The end of a model may run code of the program, which must find nothing to leave a model in any more.
    let kept = handWritten.takeAll()
    map.owner = nil
    // Last, and out of the table: backing data may outlive a model that dies with its context.
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
