import Foundation
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The changes that one save writes, by entity.
struct SavedChanges {
  /// The changes of one entity. It is a class, because a save iterates over all entities a dozen times.
  final class SavedEntity {
    /// The changes of the context.
    let source: EntityChanges
    let inserted: ContiguousArray<AnyObject>
    let changed: ContiguousArray<AnyObject>
    let deleted: ContiguousArray<AnyObject>
    /// The keys of batch-deleted rows: rows that the save deletes without objects.
    private(set) var batchDeletedKeys: [Int64]
    /// Whether the save deletes cascaded rows whose keys are not read yet.
    let deletesUnreadRows: Bool
    /// ``EntityChanges/filterCount`` when the save collected the changes. It differs later if the lists were filtered.
    let filterCount: Int

    init(_ source: EntityChanges, deletesUnreadRows: Bool) {
      (self.source, complete) = (source, nil)
      self.deletesUnreadRows = deletesUnreadRows
      inserted = source.livingInserted
      changed = source.livingChanged
      deleted = source.livingDeleted
      batchDeletedKeys = source.ownBatchDeletedKeys.isEmpty ? [] : source.ownBatchDeletedKeys.sorted()
      filterCount = source.filterCount
    }

    /// Whether the cascaded rows were deleted by their owners. ``batchDeletedKeys`` may then contain keys that the
    /// context has not marked.
    private(set) var isDeletedByOwner = false

    /// - Parameter keys: The keys of all batch-deleted rows, with those that the deletion by owners has returned.
    func setDeletedByOwner(_ keys: [Int64]) {
      (batchDeletedKeys, isDeletedByOwner) = (keys.sorted(), true)
      complete?.setDeletedByOwner(keys)
    }

    /// The changes from which ``withoutTakenBack`` was created; nil if these are all changes of the entity.
    private let complete: SavedEntity?

    private init(_ changes: SavedEntity, inserting inserted: ContiguousArray<AnyObject>) {
      complete = changes
      self.inserted = inserted
      (source, changed, deleted) = (changes.source, changes.changed, changes.deleted)
      (batchDeletedKeys, filterCount) = (changes.batchDeletedKeys, changes.filterCount)
      deletesUnreadRows = changes.deletesUnreadRows
    }

    /// Excludes batch-deleted rows that must not be deleted.
    func leaveOut(_ keys: Set<Int64>) { batchDeletedKeys.removeAll { keys.contains($0) } }

    var map: IdentityMap { source.map }
    var isEmpty: Bool { inserted.isEmpty && !changesRows }
    var deletesRows: Bool { !deleted.isEmpty || !batchDeletedKeys.isEmpty || deletesUnreadRows }
    /// Whether the save changes or deletes rows that other contexts may have read.
    var changesRows: Bool { !changed.isEmpty || deletesRows }

    /// The keys of the rows that are changed or deleted.
    var writtenKeys: [Int64] { map.keys(of: changed) + deletedKeys + batchDeletedKeys }
    /// The keys of ``deleted``.
    private(set) lazy var deletedKeys: [Int64] = complete?.deletedKeys ?? map.keys(of: deleted)

    /// True if code has deleted new objects since the save collected them, such as code that another store executed.
    var hasTakenBack: Bool {
      func hasTakenBack<T: PersistentModel>(as type: T.Type) -> Bool {
        !inserted.allSatisfyUnretained(as: T.self) { $0._$state.pointee.flags.contains(.inserted) }
      }
      return hasTakenBack(as: map.entity.modelType)
    }

    /// The changes without new objects that were deleted after the save collected them. These objects get no rows.
    var withoutTakenBack: SavedEntity {
      let pending = inserted.filter { map.entity.model($0)._$state.pointee.flags.contains(.inserted) }
      return SavedEntity(self, inserting: ContiguousArray(pending))
    }
  }

  private(set) var entities: [SavedEntity]
  let upserts = Upserts()
  /// The effects of deletions on other objects and rows; nil without deletions.
  let affected: AffectedByDeletion?
  let bindings = TokenBindings()
  /// The parts of the save for the stores, in the order of ``entities``.
  private var parts: [Part] = []

  /// The data that a save writes to one store in addition to rows.
  final class Part {
    let store: StoreCoordinator
    /// The changes of junction rows and list orders, written after all other rows; nil if no entity has relationships.
    let relationships: RelationshipChanges?
    /// The recorded history; nil if the store keeps none.
    let history: SavedHistory?
    /// The conflicts of the written rows with changes of other contexts and processes; nil before rows are compared.
    private var foundConflicts: ConflictResolution?

    fileprivate init(_ store: StoreCoordinator, _ entities: [SavedEntity]) {
      self.store = store
      let isRelated = entities.contains { !$0.map.entity.relationships.isEmpty }
      relationships = isRelated ? RelationshipChanges(entities) : nil
      history = store.keepsHistory ? SavedHistory(of: store) : nil
    }

    func conflicts() -> ConflictResolution? {
      foundConflicts = foundConflicts ?? ConflictResolution()
      return foundConflicts
    }

    /// Removes the conflicts after the commit, so that a later failure of another store does not undo them.
    func takeConflicts() -> ConflictResolution? {
      defer { foundConflicts = nil }
      return foundConflicts
    }
  }

  init(collecting context: ModelContext) {
    for index in context.cascadedRows.indices { context.cascadedRows[index].isLate = false }
    let unread = context.cascadedRows.filter { $0.keys == nil }
    entities = context.orderedChanges.compactMap { source in
      let deletesUnreadRows = unread.contains { $0.relationship.destinationType == source.map.modelType }
      let changes = SavedEntity(source, deletesUnreadRows: deletesUnreadRows)
      return changes.isEmpty ? nil : changes
    }
    affected = entities.contains(where: \.deletesRows) ? AffectedByDeletion() : nil
    for changes in entities where !parts.contains(where: { $0.store === changes.map.store }) {
      parts.append(Part(changes.map.store, entities(of: changes.map.store)))
    }
  }

  private func entities(of store: StoreCoordinator) -> [SavedEntity] {
    let isAlone = entities.allSatisfy { $0.map.store === store }
    return isAlone ? entities : entities.filter { $0.map.store === store }
  }

  /// The stores with changes, each once.
  var stores: [StoreCoordinator] { parts.map { $0.store } }

  func part(of store: StoreCoordinator) -> Part? { parts.first { $0.store === store } }

  /// The changes of junction rows and list orders in a store; nil if no entity has relationships.
  func relationships(of store: StoreCoordinator) -> RelationshipChanges? { part(of: store)?.relationships }

  /// The rows that a store changed by its foreign keys.
  func affectedRows(of store: StoreCoordinator) -> [AffectedRows] { affected?.rows(in: store) ?? [] }

  /// The recorded history of a store; nil if it keeps none.
  func history(of store: StoreCoordinator) -> SavedHistory? { part(of: store)?.history }

  /// The history tokens of the save, by store identifier. A store without a history has no token.
  ///
  /// - Parameter known: The tokens of the last save. In most cases they have the same keys.
  func historyTokens(replacing known: consuming [String: any HistoryToken]) -> [String: any HistoryToken] {
    if parts.count == 1, known.count == 1, let token = parts[0].history?.token,
      known.first?.key == parts[0].store.engine.identifier
    {
      known.values[known.startIndex] = token
      return known
    }
    var tokens: [String: any HistoryToken] = [:]
    // If a copied file has the identifier of its original, the last token is used.
    for part in parts {
      if let token = part.history?.token { tokens[part.store.engine.identifier] = token }
    }
    return tokens
  }

  // MARK: Writing

  /// Before the last save of a context, loads the relationships that the save needs. After the changes are detached
  /// from the context, a read would return objects of another context.
  ///
  /// - Throws: The error of a read.
  func loadRelationships() throws {
    for part in parts { try part.relationships?.load() }
  }

  /// Writes to every store with changes, with one transaction for each.
  ///
  /// Stores commit one by one. Each store stays consistent, because entities of different stores cannot be related.
  ///
  /// - Parameters:
  ///   - context: The context.
  ///   - retry: The number of attempts before this one. Attempts after the first compare every row.
  ///   - didSavePart: Gets the changes that a partial save has saved, before the error of a later store is thrown.
  /// - Throws: `RetryableFailure` if the save has to be repeated; never thrown inside of a `transaction`.
  func write(
    in context: ModelContext, retry: Int = 0, didSavePart: (SavedIdentifiers) -> Void = { _ in }
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
          // With `unknown`, a context that subscribes before the transaction ends reads everything again.
          log.note(store.subscribers.areSeveral ? news(of: store) : .unknown, of: store, from: context.inbox)
        }
        log.note(store.watchers.isEmpty ? nil : committedChanges(of: store), of: store)
        didCommit(store, in: context)
      }
    } catch {
      // The transaction continues and may save again. The failed save must not leave any changes in the transaction.
      log.undo(marks, after: error)
      forgetKeys(in: entities)
      throw error
    }
  }

  private func writeAndCommit(
    in context: ModelContext, retry: Int, didSavePart: (SavedIdentifiers) -> Void
  ) throws {
    var all: [(store: StoreCoordinator, transaction: any StoreTransaction)] = []
    var committedCount = 0
    do {
      for part in parts { all.append((part.store, try part.store.beginTransaction(retry: retry))) }
      for (store, transaction) in all { try write(to: store, in: transaction, of: context, isRetry: retry > 0) }
      if all.count > 1 { for (_, transaction) in all { try transaction.prepareCommit() } }
      for (store, transaction) in all {
        let number = try context.commit(transaction, to: store, changesRows: changesRows(of: store))
        committedCount += 1
        // The changes are collected here, because `didCommit` clears the record of which properties changed.
        let watched = store.watchers.isEmpty ? nil : committedChanges(of: store)
        didCommit(store, in: context)
        notify(store, commit: number, from: context)
        if let watched { store.watchers.notify(watched) }
      }
    } catch {
      let open = all.dropFirst(committedCount)
      for (_, transaction) in open { transaction.rollBack() }
      let saved = committedCount > 0 ? part(without: open.map(\.store)) : nil
      // The identifiers need the keys of upserts, so they are collected before these keys are reset.
      let identifiers = saved?.identifiers()
      // Only a commit can fail with an unknown outcome, and the failed commit is that of the first open store.
      let uncertain = UnknownOutcome.isCause(of: error) ? open.first?.store : nil
      if let uncertain { noteUncertainRows(of: uncertain, in: context) }
      forgetKeys(in: entities.filter { changes in open.contains { $0.store === changes.map.store } })
      guard let saved, let identifiers else {
        // A partial save is not repeated: the remaining changes belong to a later save.
        guard uncertain == nil, retry < retryLimit(after: error) else { throw error }
        throw RetryableFailure()
      }
      didSavePart(identifiers)
      throw PartialCommit(saved: saved.stores, refused: open.map(\.store), uncertain: uncertain).error(error)
    }
  }

  /// The maximum number of repetitions of a save that failed with this error.
  private func retryLimit(after error: any Error) -> Int {
    stores.filter { $0.engine.isRetryable(error) }.map(\.engine.saveRetryLimit).max() ?? 0
  }

  /// The changes of the stores that have committed.
  private func part(without refusing: [StoreCoordinator]) -> SavedChanges {
    var part = self
    part.entities.removeAll { changes in refusing.contains { $0 === changes.map.store } }
    part.parts.removeAll { part in refusing.contains { $0 === part.store } }
    return part
  }

  private func write(
    to store: StoreCoordinator, in transaction: any StoreTransaction, of context: ModelContext, isRetry: Bool
  ) throws {
    var own = entities(of: store)
    // If an object of a cascaded row was created, the row becomes a batch-deleted row: the object may be changed.
    if !context.cascadedRows.isEmpty { context.detachCascadedRows { $0.map.anyObject(ofRow: $1) != nil } }
    for changes in own where store.identities != nil {
      try transaction.lock(changes.writtenKeys, of: changes.map.entity)
    }
    let knowsAll = !isRetry && context.knowsAll(of: store)
    let mayWait = !store.engine.isSingleWriter && !isRetry && context.transactionSnapshot == nil
    var expected = mayWait ? expectedValues(own) : nil
    let waits = expected != nil && transaction.beginWaiting()
    if !waits { expected = nil }
    let mayCascade = store.engine.isSingleWriter && !context.cascadedRows.isEmpty
    let deletesByOwner = waits || (mayCascade && context.deletesByOwner(in: store, retry: isRetry ? 1 : 0))
    if !deletesByOwner, own.contains(where: \.deletesUnreadRows) { throw UnreadCascade() }
    if !context.cascadedRows.isEmpty, !knowsAll, !deletesByOwner {
      try leaveOutMovedRows(of: store, in: transaction, of: context)
    }
    let part = part(of: store)
    let onlyContested = knowsAll || waits
    if own.contains(where: { $0.changesRows && !(onlyContested && $0.source.originals.contested.isEmpty) }) {
      try part?.conflicts()?.resolve(own, in: transaction, of: context, onlyContested: onlyContested)
    }
    let (relationships, history) = (part?.relationships, part?.history)
    history?.trustsOriginals = knowsAll && own.allSatisfy { $0.source.originals.contested.isEmpty }
    if own.contains(where: { $0.hasTakenBack }) {
      own = own.map(\.withoutTakenBack)
      relationships?.leaveOut(allBut: own)
    }
    for changes in own where !changes.inserted.isEmpty {
      if store.keysRise {
        let first = try reserveKeys(changes.inserted.count, for: changes.map, in: transaction)
        assignKeys(changes.inserted, from: first, in: changes.map, as: changes.map.entity.modelType)
      } else {
        try assignTakenKeys(to: changes, in: transaction)
      }
      try giveFormerKeys(to: changes, in: transaction)
    }
    // Loaded before any write: a read must not find the row of a new object, which is registered only after the commit.
    try relationships?.load()
    let deletions = own.filter(\.deletesRows)
    // Updates come first, because they compare their rows. A deletion may clear references in these rows, or delete
    // the rows.
    let updatesFirst = waits && !deletions.isEmpty
    if !waits { try releaseReferences(own, in: transaction) }
    if updatesFirst { try update(own, in: transaction, of: context, expecting: expected) }
    // Deletions come before insertions: a unique value may be deleted with one row and inserted with another.
    if let affected, !deletions.isEmpty {
      upserts.dropChanges(toRowsOf: deletions, of: own)
      try affected.batchDeleted.read(deletions, in: transaction)
      // If the store has no other context and this one knows all commits, foreign keys do no more than delete rules.
      let mayAffectOthers =
        !knowsAll || store.subscribers.areSeveral || !store.watchers.isEmpty
        || (deletesByOwner && own.contains { $0.hasCascadedRows && $0.map.objectCount > 0 })
      try delete(
        deletions, in: transaction, of: store, watchesReferences: mayAffectOthers, expecting: expected,
        byOwner: deletesByOwner)
      let deleted = affected.deleted(in: store)
      if !deleted.isEmpty { try part?.conflicts()?.lose(deleted, of: own, policy: context.conflictPolicy) }
    }
    for changes in Self.inOrderOfUniqueness(own) { try insert(changes, in: transaction) }
    for changes in own { history?.noteInsertions(changes, upserts) }
    if !updatesFirst { try update(own, in: transaction, of: context, expecting: expected) }
    for changes in own { changes.forgetLateInverses() }
    try relationships?.findMoves(in: transaction, of: context, besides: upserts)
    for changes in own { changes.forgetLatePairs() }
    try relationships?.write(in: transaction)
    if try transaction.hasBrokenReferences() {
      try part?.conflicts()?.mendReferences(of: own, to: store, in: transaction, policy: context.conflictPolicy)
    }
    try history?.write(to: transaction, by: context.savedState)
    // A custom store assigns its own identifier. The object then has this identifier instead of the requested one.
    bindings.bind(in: store, isAlias: { store.identities != nil || upserts.contains($0) })
  }

  // MARK: Keys

  private func assignKeys<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, from first: Int64, in map: IdentityMap, as type: T.Type
  ) {
    var key = first
    objects.forEachUnretained(as: T.self) { model in
      let state = model._$state
      state.pointee.primaryKey = key
      key += 1
      if state.pointee.hasExtras, let token = state.pointee.token { bindings.note(model, token, in: map) }
    }
  }

  /// Assigns keys of an engine whose keys do not rise.
  private func assignTakenKeys(to changes: SavedEntity, in transaction: any StoreTransaction) throws {
    var rest = changes.inserted[...]
    for keys in try takeKeys(changes.inserted.count, for: changes.map, in: transaction) {
      let part = ContiguousArray(rest.prefix(keys.count))
      assignKeys(part, from: keys.lowerBound, in: changes.map, as: changes.map.entity.modelType)
      rest = rest.dropFirst(part.count)
    }
  }

  private func forgetKeys(in entities: [SavedEntity]) {
    bindings.undo()
    upserts.undo()
    for part in parts { part.takeConflicts()?.undo() }
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

/// The result of a save to several stores, if a store failed to commit after others had committed.
///
/// Stores commit one by one, after all checks. So a commit fails here only if a disk fails or becomes full in between.
package struct PartialCommit {
  let saved: [StoreCoordinator]
  let refused: [StoreCoordinator]
  /// The store whose commit has an unknown outcome. ``refused`` does not contain it.
  let uncertain: StoreCoordinator?
  /// A sentence about the unsaved changes.
  let rest: String

  init(
    saved: [StoreCoordinator], refused: [StoreCoordinator], uncertain: StoreCoordinator?,
    rest: String = "The rest is still pending, and the next save writes it."
  ) {
    self.saved = saved
    self.refused = refused.filter { $0 !== uncertain }
    self.uncertain = uncertain
    self.rest = rest
  }

  /// The error of the failed store, with the state of the other stores.
  func error(_ error: any Error) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    var others: [String] = []
    if !refused.isEmpty { others.append("Not saved: \(Self.words(refused)). ") }
    if let uncertain { others.append("Not known: \(Self.words([uncertain])). ") }
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were saved, and the others were not. Saved: \(Self.words(saved)). "
        + "\(others.joined())"
        + "What was saved stays saved. \(rest) The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  /// The error of a store that could not be erased, with the state of the other stores.
  package static func error(
    _ error: any Error, erased: some Sequence<StoreCoordinator>, left: some Sequence<StoreCoordinator>
  ) -> SwiftDataError {
    let cause = error as? SwiftDataError
    let reason = cause?.explanation ?? "\(error)"
    return SwiftDataError(
      cause?.kind ?? .storeFailure,
      "of several stores some were erased, and the others were not. Erased: \(words(Array(erased))). "
        + "Not erased: \(words(Array(left))). Erasing again erases the rest. The store that failed said: \(reason)",
      underlying: cause?.underlyingError ?? error)
  }

  private static func words(_ stores: [StoreCoordinator]) -> String {
    stores.map { store in
      "\(store.engine.location) (\(store.layouts.map(\.name).sorted().joined(separator: ", ")))"
    }.joined(separator: ", ")
  }
}

/// A save that failed because of a concurrent transaction and has to be repeated. Nothing is written, and the changes
/// stay pending. The error never leaves the context.
struct RetryableFailure: Error {}

/// A save has to be repeated after the keys of cascaded rows are read, because its transaction cannot return them.
struct UnreadCascade: Error {}

// The entries of a save in the history of a store.

extension SavedHistory {
  /// Records changed rows.
  ///
  /// - Parameter mask: The properties that were set.
  func noteUpdates(_ objects: ContiguousArray<AnyObject>, mask: UInt64, of changes: SavedChanges.SavedEntity) {
    let (map, entity) = (changes.map, changes.map.entity)
    guard !objects.isEmpty, mask & entity.recordedMask != 0 else { return }
    if !map.seconds.isEmpty { mayRepeat = true }
    let isShared = mask & PropertyMask.bit(PropertyMask.sharedPosition) != 0
    let unchanged = trustsOriginals && mask & entity.storedMask != 0 ? changes.unchangedProperties(of: objects) : [:]
    guard isShared || !unchanged.isEmpty else { return noteUpdates(map.keys(of: objects), mask: mask, of: entity) }
    for object in objects {
      noteUpdate(
        map.key(of: object), mask: mask, shared: isShared ? changes.changedSharedPositions(of: object) : nil,
        without: unchanged[ObjectIdentifier(object)] ?? [], of: entity)
    }
  }

  /// Records the rows of a save's deletions, before they are deleted.
  func willDelete(_ entities: [SavedChanges.SavedEntity], in transaction: any StoreTransaction) throws {
    let deletions = entities.flatMap { changes in
      let (entity, root) = (changes.map.entity, changes.map.rootMap.entity)
      return [
        Deletion(of: entity, in: root, keys: changes.deletedKeys),
        Deletion(of: nil, in: root, keys: changes.batchDeletedKeys),
      ]
    }
    try willDelete(deletions.filter { !$0.keys.isEmpty }, in: transaction)
  }
}

extension SavedChanges.SavedEntity {
  /// Returns the changed properties among the 64th and later ones, which share a bit. Relationships count as changed.
  /// The old value of a list is recorded when the list changes, and the old value of a reference when it is read.
  fileprivate func changedSharedPositions(of object: AnyObject) -> Set<Int> {
    let positions = map.entity.properties.indices.dropFirst(PropertyMask.sharedPosition)
    return Set(
      positions.filter {
        map.entity.properties[$0].isRelationship || source.originals.shared(of: object, at: $0) != nil
      })
  }

  /// For each object, the stored properties that were set but have their original value again.
  ///
  /// Empty if code that the save executes may have set a written property to another value meanwhile.
  fileprivate func unchangedProperties(of objects: ContiguousArray<AnyObject>) -> [ObjectIdentifier: Set<Int>] {
    guard lateChanges == nil else { return [:] }
    var result: [ObjectIdentifier: Set<Int>] = [:]
    func find<T: PersistentModel>(_ type: T.Type) {
      source.originals.forEach(of: objects) { object, position, value in
        if unsafeDowncast(object, to: T.self)._$has(value, at: position, in: map.entity) {
          result[ObjectIdentifier(object), default: []].insert(position)
        } else if !result.isEmpty {
          result[ObjectIdentifier(object)]?.remove(position)
        }
      }
    }
    find(map.entity.modelType)
    return result
  }
}

extension PersistentModel {
  /// Whether a property has the recorded original value or reference. False if that is uncertain.
  fileprivate func _$has(_ original: Any, at position: Int, in entity: EntityLayout) -> Bool {
    guard _$state.pointee.failedRead(at: position) == nil else { return false }
    guard let relationship = entity.relationship(at: position) else {
      let keyPath = entity.properties[position].keyPath
      if let isSame = _$hasPlain(original, at: keyPath) { return isSame }
      guard let current = self[keyPath: keyPath] else { return false }
      return StoredEquality.areSamePlain(original, current)
        ?? StoredEquality.areStoredAlike(original, current, as: entity.properties[position])
    }
    let edit = _$edit(.read, at: position)
    guard let reference = original as? OriginalReference, edit.isLoaded else { return false }
    let held = edit.objects.first.map { EntityLayout.model($0, as: relationship.destinationType) }
    return reference.key == OriginalReference(object: held).key
  }

  /// ``_$has(_:at:in:)`` for the most frequent types, without boxing the value; nil for other types.
  private func _$hasPlain(_ original: Any, at keyPath: AnyKeyPath) -> Bool? {
    // Inlined, so that the types are known: a look-up of `KeyPath<Self, Value>` would take as long as the rest.
    @inline(__always) func has<Value: StorableValue>(_ type: Value.Type) -> Bool? {
      guard let original = original as? Value, let keyPath = keyPath as? KeyPath<Self, Value> else { return nil }
      return original._$isStored(as: self[keyPath: keyPath])
    }
    let type = type(of: original)
    if type == Int.self { return has(Int.self) }
    if type == String.self { return has(String.self) }
    return type == Double.self ? has(Double.self) : nil
  }
}
