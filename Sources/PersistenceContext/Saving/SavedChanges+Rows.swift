import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// The rows of a save: deletions, insertions and updates in one transaction.

extension SavedChanges {
  /// Deletes the rows of deleted objects and batch-deleted rows.
  ///
  /// - Parameters:
  ///   - watchesReferences: Whether to record the rows that the store changes by its foreign keys.
  ///   - expected: The values that rows must still have, for a transaction that compares rows while it deletes them.
  ///   - byOwner: Whether cascaded rows are deleted by the owners to which they refer.
  func delete(
    _ entities: [SavedEntity], in transaction: any StoreTransaction, of store: StoreCoordinator,
    watchesReferences: Bool, expecting expected: [ObjectIdentifier: ExpectedValues]?, byOwner: Bool
  ) throws {
    let history = history(of: store)
    func delete(_ changes: SavedEntity) throws {
      let (map, known) = (changes.map, expected?[ObjectIdentifier(changes.map)])
      guard let known, let comparing = transaction as? any ComparingTransaction else {
        let rest = transaction.appliesDeleteRules || byOwner ? changes.keysBesidesCascaded : changes.batchDeletedKeys
        try transaction.delete(from: map.entity, keys: changes.deletedKeys + rest)
        return
      }
      let start = map.ownContext?.reaches.first { $0.store === store }?.start
      for part in known.deletions {
        let keys =
          known.deletions.count == 1
          ? changes.deletedKeys : part.range.map { Array(changes.deletedKeys[$0]) } ?? map.keys(of: part.objects)
        try comparing.delete(from: map.entity, having: part.mask, keys: keys, since: start) {
          _ = try encode(part.objects, of: map, to: $0, mask: part.mask, keyComesFirst: false)
        }
      }
    }
    func delete() throws {
      let cascaded = byOwner ? entities.filter(\.hasCascadedRows) : []
      for changes in cascaded {
        // Rows with objects are compared, so they are deleted before the other rows of their owner.
        try delete(changes)
        guard let cascading = transaction as? any CascadingTransaction else { continue }
        try changes.deleteCascadedRows(in: cascading, isRecorded: history != nil)
      }
      for changes in entities where !cascaded.contains(where: { $0 === changes }) { try delete(changes) }
    }
    guard watchesReferences || history != nil else { return try delete() }
    try history?.willDelete(entities, in: transaction)
    let rows = try transaction.deletingWithReferences(delete)
    if watchesReferences { affected?.note(rows, by: entities, in: store) }
    try history?.noteDeletions(rows, in: transaction)
  }

  /// Writes changed references before their former targets are deleted. Otherwise the store's foreign keys would also
  /// delete the rows that still refer to these targets.
  func releaseReferences(_ entities: [SavedEntity], in transaction: any StoreTransaction) throws {
    guard entities.contains(where: \.deletesRows) else { return }
    for changes in entities where changes.map.entity.cascadingMask != 0 && !changes.changed.isEmpty {
      let cascading = changes.map.entity.cascadingMask
      for (mask, objects) in Self.batches(of: changes.changed, as: changes.map.entity.modelType)
      where mask & cascading != 0 {
        _ = try update(objects, of: changes.map, mask: mask & cascading, in: transaction)
      }
    }
  }

  /// Inserts the rows of new objects. If a row with the same unique value exists, and the policy of the store is
  /// `updateExisting`, updates this row instead.
  func insert(_ changes: SavedEntity, in transaction: any StoreTransaction) throws {
    guard !changes.inserted.isEmpty else { return }
    let entity = changes.map.entity
    let replaces = entity.hasUniqueness && changes.map.store.uniquenessPolicy == .updateExisting
    var session: WriteSession?
    let refused = try transaction.insert(into: entity) { statement in
      session = try encode(
        changes.inserted, of: changes.map, to: statement, mask: PropertyMask.all, keyComesFirst: true,
        collectsConflicts: replaces)
    }
    if !refused.isEmpty { try session?.take(refused) }
    if let conflicts = session?.conflicts { upserts.note(conflicts, of: changes.inserted, in: changes.map) }
    try upserts.write(to: changes.map, in: transaction) { object, statement in
      _ = try encode([object], of: changes.map, to: statement, mask: PropertyMask.all, keyComesFirst: true)
    }
  }

  /// The values that changed and deleted rows must still have, by identity map; nil if rows must be compared first.
  func expectedValues(_ entities: [SavedEntity]) -> [ObjectIdentifier: ExpectedValues]? {
    var expected: [ObjectIdentifier: ExpectedValues] = [:]
    for changes in entities {
      guard changes.batchDeletedKeys.isEmpty || changes.map.ownContext.flatMap({ changes.cascadedRows(of: $0) }) != nil,
        changes.map.seconds.isEmpty,
        changes.source.originals.contested.isEmpty, let values = expectedValues(of: changes)
      else { return nil }
      expected[ObjectIdentifier(changes.map)] = values
    }
    return expected
  }

  private func expectedValues(of changes: SavedEntity) -> ExpectedValues? {
    ExpectedValues(
      of: changes.changed, deleted: changes.deleted, in: changes.map.entity,
      originals: { changes.source.originals.forEach(of: changes.changed, $0) },
      key: { ($0 as? OriginalReference)?.key })
  }

  /// Updates the rows of changed objects, and compares them with the expected values.
  func update(
    _ entities: [SavedEntity], in transaction: any StoreTransaction, of context: ModelContext,
    expecting expected: [ObjectIdentifier: ExpectedValues]?
  ) throws {
    for changes in entities where !changes.changed.isEmpty {
      var known = expected?[ObjectIdentifier(changes.map)]
      if known?.covers(changes.changed, in: changes.map.entity) == false {
        // Code that the save executed made further changes. Rows that the store cannot compare are compared here.
        known = expectedValues(of: changes)
        let conflicts = known == nil ? part(of: changes.map.store)?.conflicts() : nil
        try conflicts?.resolve([changes], in: transaction, of: context, onlyContested: false)
      }
      let history = history(of: changes.map.store)
      try update(changes, in: transaction, policy: context.conflictPolicy, noting: history, expecting: known)
    }
  }

  /// Updates the changed columns of changed objects, with one batch for each set of changed properties.
  private func update(
    _ changes: SavedEntity, in transaction: any StoreTransaction, policy: ModelContext.ConflictPolicy,
    noting history: SavedHistory?, expecting expected: ExpectedValues?
  ) throws {
    let entity = changes.map.entity
    for (mask, objects) in Self.batches(of: changes.changed, as: entity.modelType) {
      guard mask & entity.storedMask & ~entity.columnlessMask != 0 else {
        history?.noteUpdates(objects, mask: mask, of: changes)
        continue
      }
      let isUnique = mask & entity.uniqueMask != 0
      let point = isUnique && !transaction.survivesConflicts ? try transaction.savepoint() : nil
      let (conflicts, missing) = try update(
        objects, of: changes.map, mask: mask, in: transaction, collectsConflicts: isUnique,
        expecting: expected?.columns(of: objects, mask: mask & entity.storedMask, in: entity))
      // A row that is missing at this point was deleted elsewhere, even if the context knew all commits.
      if !missing.isEmpty { try lose(missing.map { objects[$0] }, of: changes, policy: policy) }
      var written = missing.isEmpty ? objects : ContiguousArray(objects.without(missing))
      defer { history?.noteUpdates(written, mask: mask, of: changes) }
      var waiting = ContiguousArray(conflicts.map { objects[$0] })
      if let point {
        guard !waiting.isEmpty else {
          try transaction.release(point)
          continue
        }
        try transaction.rollBack(to: point)
        waiting = written
      }
      guard !waiting.isEmpty else { continue }
      let gone = try exchange(waiting, of: changes.map, mask: mask, in: transaction)
      guard !gone.isEmpty else { continue }
      written.removeAll { object in gone.contains { $0 === object } }
      try lose(gone, of: changes, policy: policy)
    }
  }

  private func lose(_ objects: [AnyObject], of changes: SavedEntity, policy: ModelContext.ConflictPolicy) throws {
    try part(of: changes.map.store)?.conflicts()?.lose(objects, in: changes.map, policy: policy)
  }

  /// Updates rows that exchange unique values. All rows first get temporary values, and then their new values.
  ///
  /// - Returns: The objects whose rows are missing.
  private func exchange(
    _ objects: ContiguousArray<AnyObject>, of map: IdentityMap, mask: UInt64, in transaction: any StoreTransaction
  ) throws -> [AnyObject] {
    try transaction.vacate(map.entity, mask: mask & map.entity.uniqueMask, keys: map.keys(of: objects))
    return try update(objects, of: map, mask: mask, in: transaction).missing.map { objects[$0] }
  }

  /// Writes the columns of a mask in one batch.
  ///
  /// - Returns: The indices of the objects that were not written.
  private func update(
    _ objects: ContiguousArray<AnyObject>, of map: IdentityMap, mask: UInt64, in transaction: any StoreTransaction,
    collectsConflicts: Bool = false, expecting expected: [[QueryValue]]? = nil
  ) throws -> (conflicts: [Int], missing: [Int]) {
    var session: WriteSession?
    let refused = try transaction.update(map.entity, mask: mask, expecting: expected) { statement in
      session = try encode(
        objects, of: map, to: statement, mask: mask, keyComesFirst: false, collectsConflicts: collectsConflicts)
    }
    if !refused.isEmpty { try session?.take(refused) }
    return (session?.conflicts ?? [], session?.missing ?? [])
  }

  /// The entities in the order of insertion. An entity follows the entities that its unique constraints refer to.
  static func inOrderOfUniqueness(_ entities: [SavedEntity]) -> [SavedEntity] {
    guard entities.count > 1 else { return entities }
    var result: [SavedEntity] = []
    var visited: Set<String> = []
    func visit(_ changes: SavedEntity) {
      guard visited.insert(changes.map.entity.name).inserted else { return }
      for name in changes.map.entity.identifyingDestinations {
        if let other = entities.first(where: { $0.map.entity.name == name }) { visit(other) }
      }
      result.append(changes)
    }
    entities.forEach(visit)
    return result
  }

  private func encode(
    _ objects: ContiguousArray<AnyObject>, of map: IdentityMap, to statement: EngineStatement, mask: UInt64,
    keyComesFirst: Bool, collectsConflicts: Bool = false
  ) throws -> WriteSession {
    let context = map.ownContext
    let session = WriteSession(
      entity: map.entity, objects: objects, keyComesFirst: keyComesFirst,
      scope: ReferenceScope(saving: map, isEnding: map.context == nil),
      lateChanges: context, collectsConflicts: collectsConflicts,
      isConflict: statement.isConflict, error: statement.error)
    context?.beginRows(of: session)
    defer { context?.endRows() }
    // A row writer does not retain its session.
    try withExtendedLifetime(session) {
      var writer = RowWriter(statement, session: session, mask: mask)
      try map.modelType._$encode(&writer)
    }
    return session
  }

  /// Groups the changed objects by their changed properties, so that each statement writes only changed columns.
  private static func batches<T: PersistentModel>(
    of objects: ContiguousArray<AnyObject>, as type: T.Type
  ) -> [(mask: UInt64, objects: ContiguousArray<AnyObject>)] {
    let first = unsafeDowncast(objects[0], to: T.self)._$state.pointee.dirty
    if objects.allSatisfy({ unsafeDowncast($0, to: T.self)._$state.pointee.dirty == first }) {
      return [(first, objects)]
    }
    let grouped = Dictionary(grouping: objects) { unsafeDowncast($0, to: T.self)._$state.pointee.dirty }
    return grouped.sorted { $0.key < $1.key }.map { ($0.key, ContiguousArray($0.value)) }
  }
}

extension SavedChanges {
  /// Gives objects that an undo restored the keys of their former rows, unless other rows have these keys now.
  func giveFormerKeys(to changes: SavedEntity, in transaction: any StoreTransaction) throws {
    try giveFormerKeys(to: changes, in: transaction, as: changes.map.entity.modelType)
  }

  private func giveFormerKeys<T: PersistentModel>(
    to changes: SavedEntity, in transaction: any StoreTransaction, as type: T.Type
  ) throws {
    let entity = changes.map.store.storeEntity(of: changes.map.entity)
    var returning: [(state: UnsafeMutablePointer<ModelState>, key: Int64)] = []
    changes.inserted.forEachUnretained(as: T.self) { model in
      let state = model._$state
      if let key = state.pointee.formerKey(of: entity) { returning.append((state, key)) }
    }
    guard !returning.isEmpty else { return }
    // A hierarchy shares one table, so a row of any class may have the key.
    let request = FetchRequest(entity: changes.map.rootMap.entity, selection: .keys(returning.map(\.key)))
    var taken = Set(try changes.map.store.engine.keys(request, in: transaction))
    for (state, key) in returning where taken.insert(key).inserted {
      state.pointee.primaryKey = key
      changes.source.forgetRanks(of: key)
    }
  }
}

extension ModelState {
  /// The key of the former row of an object that was deleted, saved and inserted again; otherwise nil.
  func formerKey(of entity: StoreEntity) -> Int64? {
    guard let row = extras?.formerRow, row.entity == entity else { return nil }
    return row.key
  }
}

extension EntityChanges {
  /// Removes the list positions (ranks) of a restored row, so that lists sort the row by its key.
  fileprivate func forgetRanks(of key: Int64) {
    for position in listPositions.keys where listPositions[position]?[key] != nil {
      context?.transactionSnapshot?.noteRank(of: key, at: position, in: self)
      listPositions[position]?[key] = nil
    }
  }

  /// The restored object with a pending insertion whose row had this key before the object was deleted.
  func returningObject(for key: Int64) -> AnyObject? {
    func find<T: PersistentModel>(_ type: T.Type) -> AnyObject? {
      let row = map.store.storeEntity(of: map.entity)
      return livingInserted.first { unsafeDowncast($0, to: T.self)._$state.pointee.formerKey(of: row) == key }
    }
    return context?.undoRecorder == nil ? nil : find(map.modelType)
  }
}

/// The new objects of a save whose unique values already exist in other rows. These rows get the values of the objects,
/// and the objects become objects of these rows.
final class Upserts {
  private struct Upsert {
    let object: AnyObject
    let map: IdentityMap
    /// The key that was reserved before the existing row was found.
    let reserved: Int64
  }

  @exclusivity(unchecked) private var upserts: [Upsert] = []
  @exclusivity(unchecked) private var identities: Set<ObjectIdentifier> = []
  @exclusivity(unchecked) private var discarded: [(object: any PersistentModel, dirty: UInt64)] = []

  var isEmpty: Bool { upserts.isEmpty }

  func note(_ indexes: [Int], of objects: ContiguousArray<AnyObject>, in map: IdentityMap) {
    for index in indexes {
      identities.insert(ObjectIdentifier(objects[index]))
      upserts.append(Upsert(object: objects[index], map: map, reserved: map.key(of: objects[index])))
    }
  }

  // MARK: Writing

  /// Writes the upserts of an entity in order, so that the last of several objects with the same unique value wins.
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
    // Rows that were written earlier may refer to these objects by their reserved keys.
    let references = redirected.isEmpty ? [] : map.store.references(to: map.entity)
    if !references.isEmpty { try transaction.redirect(references, redirected) }
    for key in Set(rows.map(\.key)) {
      for known in map.objects(ofRow: key) { discardLocalChanges(known) }
    }
  }

  /// If a row that the save deletes has further objects, discards their changes.
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
      for key in Set(changes.deletedKeys + changes.batchDeletedKeys) {
        for known in changes.map.objects(ofRow: key) { discardLocalChanges(known) }
      }
    }
  }

  /// Discards changes of objects of batch-deleted rows. A fetch that excludes pending changes may have created them.
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

  /// The error of an upsert that would change the class of a row. The objects, references and unique values of the row
  /// depend on its class.
  private func classError(_ upsert: Upsert, _ key: Int64, _ other: String) -> SwiftDataError {
    let entity = upsert.map.entity
    let values = entity.uniqueValues(of: entity.model(upsert.object)).joined(separator: ", ")
    let row = PersistentIdentifier(row: key, of: upsert.map.store.storeEntity(of: entity)).primaryKeyText
    return SwiftDataError(
      .modelValidationFailure,
      "the new \(entity.name) with \(values) has a unique value of \(other) \(row), and a row cannot become one of "
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

  /// Updates the context's other objects of the upserted rows. Called after the new objects are registered.
  func didCommit(_ store: StoreCoordinator) {
    guard !upserts.isEmpty || !discarded.isEmpty else { return }
    var stale: [(map: IdentityMap, objects: ContiguousArray<AnyObject>)] = []
    for upsert in upserts where upsert.map.store === store {
      let objects = didCommit(upsert, as: upsert.map.modelType)
      guard !objects.isEmpty else { continue }
      if stale.last?.map !== upsert.map { stale.append((upsert.map, [])) }
      stale[stale.count - 1].objects += objects
    }
    // Changes that are pending now were made after the row was written, and `restore` keeps them.
    for (map, objects) in stale { store.restore(objects, in: map, as: map.modelType) }
    refreshFormer(of: store)
    // A later failure of another store must not restore these changes.
    discarded.removeAll { $0.object._$state.pointee.identityMap?.store === store }
  }

  /// True if a new object was written to an existing row for which the context has another object.
  func hasOtherInstance<T: PersistentModel>(of model: T, in map: IdentityMap) -> Bool {
    guard contains(model) else { return false }
    return map.object(for: model._$state.pointee.primaryKey).map { $0 !== model } ?? false
  }

  /// Moves the relationships of a new object to the registered object of its row.
  ///
  /// - Returns: Both objects, which have to be read again; empty if they are the same.
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

  /// Reads the upserted rows again for their second objects: objects that earlier saves wrote to the same rows.
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

  func contains(_ object: AnyObject) -> Bool {
    identities.contains(ObjectIdentifier(object))
  }

  /// Moves the links of the new object to the registered object of the row. Both objects read the relationship again.
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

extension ContiguousArray {
  /// The elements, except those at some indices.
  fileprivate func without(_ positions: [Int]) -> ContiguousArray {
    let left = Set(positions)
    return ContiguousArray(indices.lazy.filter { !left.contains($0) }.map { self[$0] })
  }
}

extension SavedHistory {
  /// Records the new rows of an entity. For a new object that was written to an existing row, records a changed row.
  func noteInsertions(_ changes: SavedChanges.SavedEntity, _ upserts: Upserts) {
    guard !changes.inserted.isEmpty else { return }
    let (map, entity) = (changes.map, changes.map.entity)
    guard !upserts.isEmpty else { return noteInsertions(map.keys(of: changes.inserted), of: entity) }
    noteInsertions(map.keys(of: changes.inserted.filter { !upserts.contains($0) }), of: entity)
    noteReplaced(map.keys(of: changes.inserted.filter(upserts.contains)), of: entity)
  }
}
