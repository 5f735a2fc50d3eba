import PersistenceRuntime
import PersistenceSupport

/// New objects of one save whose unique values other rows have: those rows take their values, and they stand for them.
final class Upserts {
  private struct Upsert {
    let object: AnyObject
    let map: IdentityMap
    /// The key that the object was given before it was found to have a row.
    let reserved: Int64
  }

  private var upserts: [Upsert] = []
  private var identities: Set<ObjectIdentifier> = []
  private var discarded: [(object: any PersistentModel, dirty: UInt64)] = []

  var isEmpty: Bool { upserts.isEmpty }

  func note(_ places: [Int], of objects: ContiguousArray<AnyObject>, in map: IdentityMap) {
    for place in places {
      identities.insert(ObjectIdentifier(objects[place]))
      upserts.append(Upsert(object: objects[place], map: map, reserved: map.key(of: objects[place])))
    }
  }

  // MARK: Writing

  /// Writes what was noted of an entity, in order, so that of several objects with the same values the last one's stay.
  func write(
    to map: IdentityMap, in transaction: any StoreTransaction, encode: (AnyObject, EngineStatement) throws -> Void
  ) throws {
    let own = upserts.filter { $0.map === map }
    let references = own.isEmpty ? [] : map.store.references(to: map.entity)
    var rows: Set<Int64> = []
    for upsert in own {
      let row = try transaction.upsert(into: map.entity) { try encode(upsert.object, $0) }
      let key = row.key
      if let other = row.entityName, other != map.entity.name { throw classError(upsert, key, other) }
      map.entity.model(upsert.object)._$state.pointee.primaryKey = key
      if key != upsert.reserved { try transaction.redirect(references, from: upsert.reserved, to: key) }
      rows.insert(key)
    }
    for key in rows {
      for known in map.objects(ofRow: key) { discardLocalChanges(known) }
    }
  }

  /// Drops what was changed in other objects of rows that the save deletes: what goes is not written.
  ///
  /// - Parameter entities: Everything that the save writes to the store.
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

  /// Objects may have been made of rows that were to be deleted already, by a fetch that ignores that.
  private func dropChanges(
    toBatchDeletedRowsOf deletion: SavedChanges.SavedEntity, of entities: [SavedChanges.SavedEntity]
  ) {
    // The entities of a hierarchy have one set of such rows, the root's.
    let family = entities.filter { $0.map.rootMap === deletion.map && !$0.changed.isEmpty }
    guard !family.isEmpty else { return }
    let batchDeletedKeys = Set(deletion.batchDeletedKeys)
    for changes in family {
      for object in changes.changed where batchDeletedKeys.contains(changes.map.key(of: object)) {
        discardLocalChanges(changes.map.entity.model(object))
      }
    }
  }

  /// A row keeps its class: objects of it, references to it and what is unique in it depend on that. What was written of it
  /// is undone with the save.
  private func classError(_ upsert: Upsert, _ key: Int64, _ other: String) -> SwiftDataError {
    let entity = upsert.map.entity
    let values = entity.uniqueValues(of: entity.model(upsert.object)).joined(separator: ", ")
    return SwiftDataError(
      .modelValidationFailure,
      "the new \(entity.name) with \(values) has a unique value of \(other) p\(key), and a row cannot become one of "
        + "another class; change the value, or delete the \(other) with this save or before it")
  }

  /// What was changed in an instance that the context has gives way to the values of the new object.
  private func discardLocalChanges<T: PersistentModel>(_ known: T) {
    guard known._$state.pointee.dirty != 0 else { return }
    discarded.append((known, known._$state.pointee.dirty))
    known._$state.pointee.dirty = 0
    known._$state.pointee.identityMap?.context?.lateChanges?.forget(known)
  }

  /// Gives back what gave way: the save failed.
  func undo() {
    for (object, dirty) in discarded.reversed() { object._$state.pointee.dirty |= dirty }
    discarded.removeAll()
    upserts.removeAll()
    identities.removeAll()
  }

  // MARK: Settling

  /// Makes the context's own instances of the rows agree with them. Called when the new objects have been settled.
  func didCommit(_ store: StoreCoordinator) {
    for upsert in upserts where upsert.map.store === store { didCommit(upsert, as: upsert.map.modelType) }
    refreshFormer(of: store)
    // Another store of the save may still fail.
    discarded.removeAll { $0.object._$state.pointee.identityMap?.store === store }
  }

  /// Whether a new object came to a row that the context has another instance of.
  func hasOtherInstance<T: PersistentModel>(of model: T, in map: IdentityMap) -> Bool {
    guard contains(model) else { return false }
    return map.object(for: model._$state.pointee.primaryKey).map { $0 !== model } ?? false
  }

  private func didCommit<T: PersistentModel>(_ upsert: Upsert, as type: T.Type) {
    let model = unsafeDowncast(upsert.object, to: T.self)
    let key = model._$state.pointee.primaryKey
    upsert.map.context?.undoRecorder?.didReplaceRow(model)
    guard let registered = upsert.map.object(for: key) else { return }
    let survivor = unsafeDowncast(registered, to: T.self)
    for relationship in upsert.map.entity.relationships { hand(relationship, from: model, to: survivor) }
    guard survivor !== model else { return }
    upsert.map.context?.didTouch(survivor, in: upsert.map)
    // What gave way is not marked as changed any more; what is was changed since the row was written.
    for object in [survivor, model] { upsert.map.store.restore(object, in: upsert.map) }
  }

  /// Makes second objects, which came to the rows with former saves, agree with them too.
  private func refreshFormer(of store: StoreCoordinator) {
    var known: [ObjectIdentifier: Set<Int64>] = [:]
    for upsert in upserts where upsert.map.store === store && !upsert.map.seconds.isEmpty {
      let (map, key) = (upsert.map, upsert.map.key(of: upsert.object))
      guard known[ObjectIdentifier(map), default: []].insert(key).inserted else { continue }
      let registered = map.object(for: key)
      let former = map.secondObjects(ofRow: key).filter { $0 !== registered && !contains($0) }
      map.context?.refreshOneByOne(former, in: map)
    }
  }

  /// Whether an object came to a row that was there before.
  func contains(_ object: AnyObject) -> Bool {
    identities.contains(ObjectIdentifier(object))
  }

  /// Makes what the new object related to relate to the instance of the row, which reads its own relationships anew.
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
  /// The relationships with a column that refers to rows of an entity.
  fileprivate func references(to entity: EntityLayout) -> [(EntityLayout, RelationshipLayout)] {
    relationships(to: entity).filter { $0.1.storage == .column }
  }

  /// The relationships that may lead to rows of an entity: those to it and to what it inherits from, each with the entity
  /// that declares it.
  func relationships(to entity: EntityLayout) -> [(EntityLayout, RelationshipLayout)] {
    let names = [entity.name] + (entity.inheritance?.superentityNames ?? [])
    return layouts.flatMap { layout in
      layout.relationships.filter { $0.entity == layout.name && names.contains($0.destination) }.map { (layout, $0) }
    }
  }
}
