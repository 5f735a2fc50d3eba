import PersistenceRuntime

// The rows of a save: deletions, insertions and updates in one transaction.

extension SavedChanges {
  /// Deletes the rows of deleted objects and batch-deleted rows, one statement run for each key.
  ///
  /// - Parameter watchesReferences: Whether to note the rows that the store changes by its foreign keys.
  func delete(
    _ entities: [SavedEntity], in transaction: any StoreTransaction, of store: StoreCoordinator,
    watchesReferences: Bool
  ) throws {
    func delete() throws {
      for changes in entities {
        let keys = changes.map.keys(of: changes.deleted)
        try transaction.delete(from: changes.map.entity, keys: keys + changes.batchDeletedKeys)
      }
    }
    guard watchesReferences else { return try delete() }
    affected.note(try transaction.deletingWithReferences(delete), by: entities, in: store)
  }

  /// Writes changed references before their former targets are deleted, because the store would cascade to the owners'
  /// rows.
  func releaseReferences(_ entities: [SavedEntity], in transaction: any StoreTransaction) throws {
    guard entities.contains(where: { !$0.deleted.isEmpty || !$0.batchDeletedKeys.isEmpty }) else { return }
    for changes in entities where changes.map.entity.cascadingMask != 0 && !changes.changed.isEmpty {
      let cascading = changes.map.entity.cascadingMask
      for (mask, objects) in Self.batches(of: changes.changed, as: changes.map.entity.modelType)
      where mask & cascading != 0 {
        _ = try update(objects, of: changes.map, mask: mask & cascading, in: transaction)
      }
    }
  }

  /// Inserts the rows of new objects. Conflicts of unique values become upserts, by the policy of the store.
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

  /// Updates the changed columns of changed objects, one batch for each mask.
  func update(
    _ changes: SavedEntity, in transaction: any StoreTransaction, policy: ModelContext.ConflictPolicy
  ) throws {
    guard !changes.changed.isEmpty else { return }
    let entity = changes.map.entity
    for (mask, objects) in Self.batches(of: changes.changed, as: entity.modelType)
    where mask & entity.storedMask & ~entity.columnlessMask != 0 {
      let isUnique = mask & entity.uniqueMask != 0
      let point = isUnique && !transaction.survivesConflicts ? try transaction.savepoint() : nil
      let (conflicts, missing) = try update(
        objects, of: changes.map, mask: mask, in: transaction, collectsConflicts: isUnique)
      // A row that is missing when it is written was deleted by others, even if the context knew all commits.
      try self.conflicts.lose(missing.map { objects[$0] }, in: changes.map, policy: policy)
      var waiting = ContiguousArray(conflicts.map { objects[$0] })
      if let point {
        guard !waiting.isEmpty else {
          try transaction.release(point)
          continue
        }
        try transaction.rollBack(to: point)
        waiting = ContiguousArray(objects.indices.filter { !missing.contains($0) }.map { objects[$0] })
      }
      guard !waiting.isEmpty else { continue }
      let gone = try exchange(waiting, of: changes.map, mask: mask, in: transaction)
      try self.conflicts.lose(gone, in: changes.map, policy: policy)
    }
  }

  /// Updates rows that exchange unique values: all give up their values before any gets a new one.
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
    collectsConflicts: Bool = false
  ) throws -> (conflicts: [Int], missing: [Int]) {
    var session: WriteSession?
    let refused = try transaction.update(map.entity, mask: mask) { statement in
      session = try encode(
        objects, of: map, to: statement, mask: mask, keyComesFirst: false, collectsConflicts: collectsConflicts)
    }
    if !refused.isEmpty { try session?.take(refused) }
    return (session?.conflicts ?? [], session?.missing ?? [])
  }

  /// The entities in the order of insertion: first those that unique constraints of others refer to.
  static func inOrderOfUniqueness(_ entities: [SavedEntity]) -> [SavedEntity] {
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

  /// The changed objects by mask, so that each statement writes only changed columns.
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
