import PersistenceRuntime
import PersistenceSupport

/// The new objects of a save whose unique values exist in other rows. Those rows get their values, and the objects
/// become objects of those rows.
final class Upserts {
  private struct Upsert {
    let object: AnyObject
    let map: IdentityMap
    /// The reserved key, before the existing row was found.
    let reserved: Int64
  }

  private var upserts: [Upsert] = []
  private var identities: Set<ObjectIdentifier> = []
  private var discarded: [(object: any PersistentModel, dirty: UInt64)] = []

  var isEmpty: Bool { upserts.isEmpty }

  func note(_ indexes: [Int], of objects: ContiguousArray<AnyObject>, in map: IdentityMap) {
    for index in indexes {
      identities.insert(ObjectIdentifier(objects[index]))
      upserts.append(Upsert(object: objects[index], map: map, reserved: map.key(of: objects[index])))
    }
  }

  // MARK: Writing

  /// Writes the upserts of an entity in order, so that the last of several objects with equal values wins.
  func write(
    to map: IdentityMap, in transaction: any StoreTransaction, encode: (AnyObject, EngineStatement) throws -> Void
  ) throws {
    let own = upserts.filter { $0.map === map }
    guard !own.isEmpty else { return }
    let rows = try transaction.upsert(into: map.entity, count: own.count) { index, statement in
      try encode(own[index].object, statement)
    }
    var redirected: [RedirectedKey] = []
    for (upsert, row) in zip(own, rows) {
      if let other = row.entityName, other != map.entity.name { throw classError(upsert, row.key, other) }
      map.entity.model(upsert.object)._$state.pointee.primaryKey = row.key
      if row.key != upsert.reserved { redirected.append(RedirectedKey(old: upsert.reserved, new: row.key)) }
    }
    // Rows that were written before refer to reserved keys, those of these objects among them.
    let references = redirected.isEmpty ? [] : map.store.references(to: map.entity)
    if !references.isEmpty { try transaction.redirect(references, redirected) }
    for key in Set(rows.map(\.key)) {
      for known in map.objects(ofRow: key) { discardLocalChanges(known) }
    }
  }

  /// Discards changes of other objects of rows that the save deletes.
  ///
  /// - Parameters:
  ///   - deletions: The deletions of the save.
  ///   - entities: All changes that the save writes to the store.
  func dropChanges(
    toRowsOf deletions: [SavedChanges.SavedEntity], of entities: [SavedChanges.SavedEntity]
  ) {
    for changes in deletions where !changes.batchDeletedKeys.isEmpty {
      dropChanges(toBatchDeletedRowsOf: changes, of: entities)
    }
    for changes in deletions where !changes.map.seconds.isEmpty {
      for key in Set(changes.map.keys(of: changes.deleted) + changes.batchDeletedKeys) {
        for known in changes.map.objects(ofRow: key) { discardLocalChanges(known) }
      }
    }
  }

  /// A fetch without pending changes may have created objects of batch-deleted rows.
  private func dropChanges(
    toBatchDeletedRowsOf deletion: SavedChanges.SavedEntity, of entities: [SavedChanges.SavedEntity]
  ) {
    // The root of a hierarchy has the batch-deleted keys of all its entities.
    let family = entities.filter { $0.map.rootMap === deletion.map && !$0.changed.isEmpty }
    guard !family.isEmpty else { return }
    let batchDeletedKeys = Set(deletion.batchDeletedKeys)
    for changes in family {
      for object in changes.changed where batchDeletedKeys.contains(changes.map.key(of: object)) {
        discardLocalChanges(changes.map.entity.model(object))
      }
    }
  }

  /// The error of an upsert that would change the class of a row, on which its objects, its references and its unique
  /// values depend.
  private func classError(_ upsert: Upsert, _ key: Int64, _ other: String) -> SwiftDataError {
    let entity = upsert.map.entity
    let values = entity.uniqueValues(of: entity.model(upsert.object)).joined(separator: ", ")
    return SwiftDataError(
      .modelValidationFailure,
      "the new \(entity.name) with \(values) has a unique value of \(other) p\(key), and a row cannot become one of "
        + "another class; change the value, or delete the \(other) with this save or before it")
  }

  /// Discards the changes of an existing object in favour of the new object's values.
  private func discardLocalChanges<T: PersistentModel>(_ known: T) {
    guard known._$state.pointee.dirty != 0 else { return }
    discarded.append((known, known._$state.pointee.dirty))
    known._$state.pointee.dirty = 0
    known._$state.pointee.identityMap?.ownContext?.lateChanges?.forget(known)
  }

  /// Restores the discarded changes of a failed save.
  func undo() {
    for (object, dirty) in discarded.reversed() { object._$state.pointee.dirty |= dirty }
    discarded.removeAll()
    upserts.removeAll()
    identities.removeAll()
  }

  // MARK: The commit

  /// Updates the context's other objects of the rows. Called after the new objects are registered.
  func didCommit(_ store: StoreCoordinator) {
    var stale: [(map: IdentityMap, objects: ContiguousArray<AnyObject>)] = []
    for upsert in upserts where upsert.map.store === store {
      let objects = didCommit(upsert, as: upsert.map.modelType)
      guard !objects.isEmpty else { continue }
      if stale.last?.map !== upsert.map { stale.append((upsert.map, [])) }
      stale[stale.count - 1].objects += objects
    }
    // Discarded changes are not marked any more. Marked ones were made since the row was written.
    for (map, objects) in stale { store.restore(objects, in: map, as: map.modelType) }
    refreshFormer(of: store)
    // Another store of the save may still fail.
    discarded.removeAll { $0.object._$state.pointee.identityMap?.store === store }
  }

  /// Whether a new object became a row of which the context has another object.
  func hasOtherInstance<T: PersistentModel>(of model: T, in map: IdentityMap) -> Bool {
    guard contains(model) else { return false }
    return map.object(for: model._$state.pointee.primaryKey).map { $0 !== model } ?? false
  }

  /// Hands the relationships of a new object to the registered one of its row.
  ///
  /// - Returns: The two, which have to be read again; empty if they are one.
  private func didCommit<T: PersistentModel>(_ upsert: Upsert, as type: T.Type) -> ContiguousArray<AnyObject> {
    let model = unsafeDowncast(upsert.object, to: T.self)
    let key = model._$state.pointee.primaryKey
    upsert.map.context?.undoRecorder?.didReplaceRow(model)
    guard let registered = upsert.map.object(for: key) else { return [] }
    let survivor = unsafeDowncast(registered, to: T.self)
    for relationship in upsert.map.entity.relationships { hand(relationship, from: model, to: survivor) }
    guard survivor !== model else { return [] }
    upsert.map.context?.didTouch(survivor, in: upsert.map)
    return [survivor, model]
  }

  /// Updates second objects, which became the rows by former saves.
  private func refreshFormer(of store: StoreCoordinator) {
    var known: [ObjectIdentifier: Set<Int64>] = [:]
    var former: [(map: IdentityMap, objects: [any PersistentModel])] = []
    for upsert in upserts where upsert.map.store === store && !upsert.map.seconds.isEmpty {
      let (map, key) = (upsert.map, upsert.map.key(of: upsert.object))
      guard known[ObjectIdentifier(map), default: []].insert(key).inserted else { continue }
      let registered = map.object(for: key)
      if former.last?.map !== map { former.append((map, [])) }
      former[former.count - 1].objects += map.secondObjects(ofRow: key).filter { $0 !== registered && !contains($0) }
    }
    for (map, objects) in former { map.context?.refreshTogether(objects, in: map) }
  }

  /// Whether an object became an existing row.
  func contains(_ object: AnyObject) -> Bool {
    identities.contains(ObjectIdentifier(object))
  }

  /// Moves the links of the new object to the registered object of the row, which reads its relationships again.
  private func hand<T: PersistentModel>(_ relationship: RelationshipLayout, from model: T, to survivor: T) {
    defer {
      for object in [model, survivor] where relationship.storage != .column {
        _ = object._$edit(.release, at: relationship.position)
      }
    }
    guard let inverse = relationship.inverse else { return }
    for object in model._$edit(.read, at: relationship.position).objects {
      let related = EntityLayout.model(object, as: relationship.destinationType)
      if inverse.isToMany {
        _ = related._$edit(.release, at: inverse.position)
      } else if survivor !== model {
        _ = related._$edit(.set, survivor, at: inverse.position)
      }
    }
  }
}

extension StoreCoordinator {
  /// The relationships with a column that refers to an entity.
  fileprivate func references(to entity: EntityLayout) -> [(EntityLayout, RelationshipLayout)] {
    relationships(to: entity).filter { $0.1.storage == .column }
  }

  /// The relationships to an entity and to its superentities, each with the entity that declares it.
  func relationships(to entity: EntityLayout) -> [(EntityLayout, RelationshipLayout)] {
    let names = [entity.name] + (entity.inheritance?.superentityNames ?? [])
    return layouts.flatMap { layout in
      layout.relationships.filter { $0.entity == layout.name && names.contains($0.destination) }.map { (layout, $0) }
    }
  }
}
