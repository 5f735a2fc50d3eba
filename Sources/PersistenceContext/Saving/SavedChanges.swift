import Foundation
import PersistenceRuntime
import PersistenceSupport

/// The changes that one save writes, by entity.
struct SavedChanges {
  /// The changes of one entity.
  struct SavedEntity {
    /// The changes of the context.
    let source: EntityChanges
    let inserted: ContiguousArray<AnyObject>
    let changed: ContiguousArray<AnyObject>
    let deleted: ContiguousArray<AnyObject>
    /// The keys of batch-deleted rows.
    let batchDeletedKeys: [Int64]
    /// The count of the source when the save collected the changes.
    let filterCount: Int

    var map: IdentityMap { source.map }
    var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty && batchDeletedKeys.isEmpty }

    /// Whether code has deleted collected new objects since, as code may that the rows of an earlier store executed.
    var hasTakenBack: Bool {
      func hasTakenBack<T: PersistentModel>(as type: T.Type) -> Bool {
        !inserted.allSatisfy { unsafeDowncast($0, to: T.self)._$state.pointee.flags.contains(.inserted) }
      }
      return hasTakenBack(as: map.entity.modelType)
    }

    /// The changes without those objects, which get no rows.
    var withoutTakenBack: SavedEntity {
      let pending = inserted.filter { map.entity.model($0)._$state.pointee.flags.contains(.inserted) }
      return SavedEntity(
        source: source, inserted: ContiguousArray(pending), changed: changed, deleted: deleted,
        batchDeletedKeys: batchDeletedKeys, filterCount: filterCount)
    }
  }

  private(set) var entities: [SavedEntity]
  let upserts = Upserts()
  let conflicts = ConflictResolution()
  let affected = AffectedByDeletion()
  let bindings = TokenBindings()
  /// The pairs and positions of each store. The context applies them after the commit.
  let relationships: [ObjectIdentifier: RelationshipChanges]

  init(collecting context: ModelContext) {
    let entities: [SavedEntity] = context.orderedChanges.compactMap { source in
      let changes = SavedEntity(
        source: source, inserted: source.livingInserted, changed: source.livingChanged,
        deleted: source.livingDeleted, batchDeletedKeys: source.ownBatchDeletedKeys.sorted(),
        filterCount: source.filterCount)
      return changes.isEmpty ? nil : changes
    }
    self.entities = entities
    let stores = Dictionary(grouping: entities) { ObjectIdentifier($0.map.store) }
    relationships = stores.mapValues(RelationshipChanges.init)
  }

  // MARK: Writing

  /// Loads the relationships that the writing needs, before the last save of a context: once the changes are detached
  /// from it, a relationship is read with objects of another context.
  ///
  /// - Throws: The error of a read.
  func loadRelationships() throws {
    for changes in relationships.values { try changes.load() }
  }

  /// Writes to every store with changes, with one transaction for each.
  ///
  /// Stores commit one by one. Entities of different stores cannot be related, so each store stays consistent.
  ///
  /// - Parameters:
  ///   - context: The context.
  ///   - retry: The number of the attempt, without the first. A later one compares every row.
  ///   - didSavePart: Gets the user info of a partial save, before the error of a later store is thrown.
  /// - Throws: `RetryableFailure` if the save has to be run again, outside of a `transaction` only.
  func write(
    in context: ModelContext, retry: Int = 0, didSavePart: ([AnyHashable: Any]) -> Void = { _ in }
  ) throws {
    guard let log = context.transactionSnapshot else {
      return try writeAndCommit(in: context, retry: retry, didSavePart: didSavePart)
    }
    var marks: [OpenTransactions.Mark] = []
    do {
      for store in stores {
        let transaction = try log.begin(in: store)
        marks.append(try log.mark(store))
        if deletesRows(of: store) { log.noteDeletion(in: store) }
        try write(to: store, in: transaction, of: context, isRetry: false)
      }
      try log.release(marks)
      for store in stores {
        if changesRows(of: store) {
          // A context that subscribes before the end of the transaction has to read everything again.
          log.note(store.subscribers.areSeveral ? news(of: store) : .unknown, of: store, from: context.inbox)
        }
        didCommit(store, in: context)
      }
    } catch {
      // The transaction continues and may save again. This save must leave nothing in it.
      log.undo(marks, after: error)
      forgetKeys(in: entities)
      throw error
    }
  }

  private func writeAndCommit(
    in context: ModelContext, retry: Int, didSavePart: ([AnyHashable: Any]) -> Void
  ) throws {
    var open: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
    var hasCommitted = false
    do {
      for store in stores { open.append((store, try store.beginTransaction(retry: retry))) }
      for (store, transaction) in open { try write(to: store, in: transaction, of: context, isRetry: retry > 0) }
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
      // The user info needs the keys of upserts, so it is created before they are reset.
      let information = saved?.userInfo
      // Only a commit throws such an error, and that is of the first store.
      let uncertain = UnknownOutcome.isCause(of: error) ? open.first?.store : nil
      if let uncertain { noteUncertainRows(of: uncertain, in: context) }
      forgetKeys(in: entities.filter { changes in open.contains { $0.store === changes.map.store } })
      guard let saved, let information else {
        // A partial save is not run again: its rest is a save of its own.
        guard uncertain == nil, retry < retryLimit(after: error) else { throw error }
        throw RetryableFailure()
      }
      didSavePart(information)
      throw PartialCommit(saved: saved.stores, refused: open.map(\.store), uncertain: uncertain).error(error)
    }
  }

  /// The number of times that a save with an error may be run again.
  private func retryLimit(after error: any Error) -> Int {
    stores.filter { $0.engine.isRetryable(error) }.map(\.engine.saveRetryLimit).max() ?? 0
  }

  /// The changes of the stores that have committed.
  private func part(without refusing: [StoreCoordinator]) -> SavedChanges {
    var part = self
    part.entities.removeAll { changes in refusing.contains { $0 === changes.map.store } }
    return part
  }

  /// The stores with changes, each once.
  var stores: [StoreCoordinator] {
    entities.reduce(into: []) { stores, changes in
      if !stores.contains(where: { $0 === changes.map.store }) { stores.append(changes.map.store) }
    }
  }

  private func write(
    to store: StoreCoordinator, in transaction: any StoreTransaction, of context: ModelContext, isRetry: Bool
  ) throws {
    var own = entities.filter { $0.map.store === store }
    // Others have committed since an attempt that they made fail.
    let knowsAll = !isRetry && context.knowsAll(of: store)
    try conflicts.resolve(own, in: transaction, of: context, onlyContested: knowsAll)
    let relationships = relationships[ObjectIdentifier(store)]
    if own.contains(where: \.hasTakenBack) {
      own = own.map(\.withoutTakenBack)
      relationships?.leaveOut(allBut: own)
    }
    for changes in own where !changes.inserted.isEmpty {
      if store.keysRise {
        let first = try reserveKeys(changes.inserted.count, for: changes.map, in: transaction)
        assignKeys(changes.inserted, from: first, in: changes.map, as: changes.map.entity.modelType)
      } else {
        try assignTakenKeys(to: changes)
      }
      try giveFormerKeys(to: changes, in: transaction)
    }
    // Loaded before any write: a read must not find rows of new objects before those are registered.
    try relationships?.load()
    try releaseReferences(own, in: transaction)
    // Deletions come first: a unique value may be deleted with one row and inserted with another.
    let deletions = own.filter { !$0.deleted.isEmpty || !$0.batchDeletedKeys.isEmpty }
    if !deletions.isEmpty {
      upserts.dropChanges(toRowsOf: deletions, of: own)
      try affected.batchDeleted.read(deletions, in: transaction)
      // The only context of a store, if it knows all commits, has applied every foreign key action itself.
      let mayAffectOthers = !knowsAll || store.subscribers.areSeveral
      try delete(deletions, in: transaction, of: store, watchesReferences: mayAffectOthers)
      try conflicts.lose(affected.deleted(in: store), of: own, policy: context.conflictPolicy)
    }
    for changes in Self.inOrderOfUniqueness(own) { try insert(changes, in: transaction) }
    for changes in own { try update(changes, in: transaction, policy: context.conflictPolicy) }
    for changes in own { changes.forgetLateInverses() }
    try relationships?.findMoves(in: transaction, of: context, besides: upserts)
    for changes in own { changes.forgetLatePairs() }
    try relationships?.write(in: transaction)
    if try transaction.hasBrokenReferences() {
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

  /// Assigns keys of an engine whose keys do not rise.
  private func assignTakenKeys(to changes: SavedEntity) throws {
    var rest = changes.inserted[...]
    for keys in try takeKeys(changes.inserted.count, for: changes.map) {
      let part = ContiguousArray(rest.prefix(keys.count))
      assignKeys(part, from: keys.lowerBound, in: changes.map, as: changes.map.entity.modelType)
      rest = rest.dropFirst(part.count)
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

  /// - Parameter withdrawn: Gets the objects that leave the context.
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
