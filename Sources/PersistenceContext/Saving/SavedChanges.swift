import Foundation
import PersistenceRuntime

/// What one save writes, entity by entity.
struct SavedChanges {
  /// The changes of one entity.
  struct SavedEntity {
    /// What the changes were collected from.
    let source: EntityChanges
    let inserted: ContiguousArray<AnyObject>
    let changed: ContiguousArray<AnyObject>
    let deleted: ContiguousArray<AnyObject>
    /// Rows to be deleted of which there are no objects.
    let batchDeletedKeys: [Int64]

    var map: IdentityMap { source.map }
    var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && batchDeletedKeys.isEmpty }

    /// Whether new objects were collected that code has deleted since, as one may that an earlier store's rows ran.
    var hasTakenBack: Bool {
      func hasTakenBack<T: PersistentModel>(as type: T.Type) -> Bool {
        !inserted.allSatisfy { unsafeDowncast($0, to: T.self)._$state.pointee.flags.contains(.inserted) }
      }
      return hasTakenBack(as: map.entity.modelType)
    }

    /// The same without those objects: they are not pending any more, and get no rows.
    var withoutTakenBack: SavedEntity {
      let pending = inserted.filter { map.entity.model($0)._$state.pointee.flags.contains(.inserted) }
      return SavedEntity(
        source: source, inserted: ContiguousArray(pending), changed: changed, deleted: deleted,
        batchDeletedKeys: batchDeletedKeys)
    }
  }

  private(set) var entities: [SavedEntity]
  let upserts = Upserts()
  let conflicts = ConflictResolution()
  let affected = AffectedByDeletion()
  let bindings = TokenBindings()
  /// What each store is told of relationships, which the context learns when the save has succeeded.
  let relationships: [ObjectIdentifier: RelationshipChanges]

  init(collecting context: ModelContext) {
    let entities: [SavedEntity] = context.orderedChanges.compactMap { source in
      let changes = SavedEntity(
        source: source, inserted: source.livingInserted, changed: source.livingChanged,
        deleted: source.livingDeleted, batchDeletedKeys: source.ownBatchDeletedKeys.sorted())
      return changes.isEmpty ? nil : changes
    }
    self.entities = entities
    let stores = Dictionary(grouping: entities) { ObjectIdentifier($0.map.store) }
    relationships = stores.mapValues(RelationshipChanges.init)
  }

  // MARK: Writing

  /// Writes to every store that is concerned; a transaction for each.
  ///
  /// Stores commit one after the other. Entities of different stores cannot relate to each other, so each store is
  /// whole; a container with several stores has no transaction over all of them.
  ///
  /// - Parameter didSavePart: Told what observers of the save are told, before a failure of a later store is thrown.
  func write(in context: ModelContext, didSavePart: ([AnyHashable: Any]) -> Void = { _ in }) throws {
    guard let log = context.transactionSnapshot else {
      return try writeAndCommit(in: context, didSavePart: didSavePart)
    }
    var marks: [OpenTransactions.Mark] = []
    do {
      for store in stores {
        let transaction = try log.begin(in: store)
        marks.append(try log.mark(store))
        if deletesRows(of: store) { log.noteDeletion(in: store) }
        try write(to: store, in: transaction, of: context)
      }
      try log.release(marks)
      for store in stores {
        if changesRows(of: store) {
          // Who comes before the end of the transaction has to be told too, and then of everything.
          log.note(store.subscribers.areSeveral ? news(of: store) : .unknown, of: store, from: context.inbox)
        }
        didCommit(store, in: context)
      }
    } catch {
      // The transaction goes on, and may save again: nothing of this save may stay in it.
      log.undo(marks, after: error)
      forgetKeys(in: entities)
      throw error
    }
  }

  private func writeAndCommit(in context: ModelContext, didSavePart: ([AnyHashable: Any]) -> Void) throws {
    var open: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
    var hasCommitted = false
    do {
      for store in stores { open.append((store, try store.engine.beginTransaction())) }
      for (store, transaction) in open { try write(to: store, in: transaction, of: context) }
      if open.count > 1 { for (_, transaction) in open { try transaction.prepareCommit() } }
      while let (store, transaction) = open.first {
        let number = try context.commit(transaction, to: store, changesRows: changesRows(of: store))
        hasCommitted = true
        open.removeFirst()
        didCommit(store, in: context)
        notify(store, commit: number, from: context)
      }
    } catch {
      for (_, transaction) in open { transaction.rollBack() }
      let saved = hasCommitted ? part(without: open.map(\.store)) : nil
      // Which of the new objects came to rows that were there is known until the keys are forgotten.
      let information = saved?.userInfo
      forgetKeys(in: entities.filter { changes in open.contains { $0.store === changes.map.store } })
      guard let saved, let information else { throw error }
      didSavePart(information)
      throw PartialCommit(saved: saved.stores, refused: open.map(\.store)).error(error)
    }
  }

  /// The changes of the stores that have taken theirs.
  private func part(without refusing: [StoreCoordinator]) -> SavedChanges {
    var part = self
    part.entities.removeAll { changes in refusing.contains { $0 === changes.map.store } }
    return part
  }

  /// The stores that the changes are of, each once.
  var stores: [StoreCoordinator] {
    entities.reduce(into: []) { stores, changes in
      if !stores.contains(where: { $0 === changes.map.store }) { stores.append(changes.map.store) }
    }
  }

  private func write(
    to store: StoreCoordinator, in transaction: any StoreTransaction, of context: ModelContext
  ) throws {
    var own = entities.filter { $0.map.store === store }
    let knowsAll = context.knowsAll(of: store)
    try conflicts.resolve(own, in: transaction, of: context, onlyContested: knowsAll)
    let relationships = relationships[ObjectIdentifier(store)]
    if own.contains(where: \.hasTakenBack) {
      own = own.map(\.withoutTakenBack)
      relationships?.leaveOut(allBut: own)
    }
    for changes in own where !changes.inserted.isEmpty {
      let first = try reserveKeys(changes.inserted.count, for: changes.map, in: transaction)
      assignKeys(changes.inserted, from: first, in: changes.map, as: changes.map.entity.modelType)
      try giveFormerKeys(to: changes, in: transaction)
    }
    // Before anything is written: rows of new objects must not be met before those are registered.
    try relationships?.load()
    try releaseReferences(own, in: transaction)
    // Deletions come first: a value that has to be unique may go with one row and come back with another.
    let deletions = own.filter { !$0.deleted.isEmpty || !$0.batchDeletedKeys.isEmpty }
    if !deletions.isEmpty {
      upserts.dropChanges(toRowsOf: deletions, of: own)
      // Who has the store alone and knows it has told the database everything that its rules would do.
      let mayAffectOthers = !knowsAll || store.subscribers.areSeveral
      try delete(deletions, in: transaction, of: store, watchesReferences: mayAffectOthers)
      try conflicts.lose(affected.deleted(in: store), of: own, policy: context.conflictPolicy)
    }
    for changes in Self.inOrderOfUniqueness(own) { try insert(changes, in: transaction) }
    for changes in own { try update(changes, in: transaction, policy: context.conflictPolicy) }
    for changes in own { changes.forgetLateInverses() }
    try relationships?.findMoves(in: transaction)
    for changes in own { changes.forgetLatePairs() }
    try relationships?.write(in: transaction)
    if transaction.hasBrokenReferences {
      try conflicts.mendReferences(of: own, to: store, in: transaction, policy: context.conflictPolicy)
    }
    bindings.bind(in: store, isAlias: upserts.contains)
  }

  // MARK: Keys

  private func assignKeys<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, from first: Int64, in map: IdentityMap, as type: T.Type
  ) {
    var key = first
    for object in objects {
      let state = unsafeDowncast(object, to: T.self)._$state
      state.pointee.primaryKey = key
      key += 1
      if state.pointee.hasExtras, let token = state.pointee.token { bindings.note(object, token, in: map) }
    }
  }

  private func forgetKeys(in entities: [SavedEntity]) {
    bindings.undo()
    upserts.undo()
    conflicts.undo()
    var withdrawn: [GoneObjects.Withdrawn] = []
    for changes in entities {
      forgetKeys(changes.inserted, in: changes.map, noting: &withdrawn, as: changes.map.entity.modelType)
    }
    GoneObjects.part(withdrawn)
  }

  /// - Parameter withdrawn: Gets the objects that have left the context by that.
  private func forgetKeys<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, in map: IdentityMap, noting withdrawn: inout [GoneObjects.Withdrawn],
    as type: T.Type
  ) {
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      guard model._$state.pointee.flags.contains(.inserted) else { continue }
      model._$state.pointee.primaryKey = 0
      guard model._$state.pointee.flags.contains(.deleted) else { continue }
      model.modelContext?.withdrawDeleted(model)
      withdrawn.append((model, map))
    }
  }
}
