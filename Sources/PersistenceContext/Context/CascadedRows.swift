import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// The rows that are deleted together with an owner, because one relationship of the owner cascades. Only used on the
/// context's thread or actor.
///
/// The next save deletes the rows that then refer to the owner. If the program reads the relationship of the owner, or
/// `deletedModelsArray`, before the save, the context creates a deleted object for each row.
struct CascadedRows {
  let owner: any PersistentModel
  let map: IdentityMap
  let relationship: RelationshipLayout
  /// The keys of the rows; nil if they are not read yet. They are read before a fetch, or during the save.
  var keys: [Int64]?
  /// Whether the owner was deleted after the running save had collected its changes. The next save deletes the rows.
  var isLate = false

  var ownerKey: Int64 { owner._$state.pointee.primaryKey }
}

/// The keys of rows that deletions cascade to, by the key of their owner. One query has read them for many owners.
/// Valid until the context saves or receives remote changes.
struct CascadeReads {
  let relationship: RelationshipLayout
  /// The save count of the context at the time of the read.
  let saveCount: Int
  let keys: [Int64: [Int64]]
}

extension ModelContext {
  /// The rows that a deletion cascades to, for each relationship whose rows can be deleted without objects. If the
  /// context has objects of the destination, reads the keys of the rows, to find the objects that must be deleted too.
  ///
  /// - Parameter model: The object to delete, before it is marked as deleted.
  /// - Returns: An entry for each such relationship, except for a relationship whose keys could not be read.
  func cascadedRows(of model: some PersistentModel, in map: IdentityMap) -> [CascadedRows] {
    // An undo restores the objects, and the policy `throwError` compares them with their rows. So both need objects.
    guard undoRecorder == nil, conflictPolicy != .throwError, model._$state.pointee.primaryKey != 0,
      !model._$state.pointee.flags.contains(.inserted)
    else { return [] }
    return map.entity.relationships.compactMap { relationship in
      guard goesByKeys(relationship, of: model, in: map) else { return nil }
      var rows = CascadedRows(owner: model, map: map, relationship: relationship, keys: nil)
      rows.isLate = autosave.phase == .writing
      guard rows.isLate || mayHaveObjects(rows) else { return rows }
      rows.keys = try? cascadedKeys(of: model, relationship, in: map)
      return rows.keys == nil ? nil : rows
    }
  }

  /// The keys of an owner's rows. In a series of deletions, one query reads them for many owners of the same fetch.
  private func cascadedKeys(
    of model: some PersistentModel, _ relationship: RelationshipLayout, in map: IdentityMap
  ) throws -> [Int64] {
    let key = model._$state.pointee.primaryKey
    let isSeries = cascadeReads.map { $0.relationship === relationship && $0.saveCount == saveCount } ?? false
    if isSeries, let known = cascadeReads?.keys[key] { return known }
    let window = isSeries ? model._$state.pointee.group?.window(around: key, for: relationship.position).keys : nil
    let owners = window.map { $0.contains(key) ? Array($0) : [key] } ?? [key]
    let keys = try relatedKeys(relationship, in: map, owners: owners)
    cascadeReads = CascadeReads(relationship: relationship, saveCount: saveCount, keys: keys)
    return keys[key] ?? []
  }

  private func relatedKeys(
    _ relationship: RelationshipLayout, in map: IdentityMap, owners: [Int64]
  ) throws -> [Int64: [Int64]] {
    let pairs = try map.store.engine.pairs(
      of: relationship, in: map.entity, owners: owners, transaction: openTransaction(of: map.store))
    var keys = Dictionary(owners.map { ($0, [Int64]()) }) { first, _ in first }
    for pair in pairs { keys[pair.owner]?.append(pair.target) }
    return keys
  }

  /// Reads the keys of cascaded rows before an operation that has to know all rows to be deleted, and marks the rows
  /// for deletion. If the read fails, reads the objects instead: this records the error, and the next save tries again.
  func readCascadedKeys() {
    if autosave.phase != .writing { readCascadedKeys { _ in true } }
  }

  /// Before a save, reads the keys of cascaded rows if the save's transaction cannot return them, or if the context has
  /// objects that have to be deleted too.
  ///
  /// - Parameter retry: The number of attempts before this one.
  func readCascadedKeys(retry: Int) {
    readCascadedKeys { !deletesByOwner(in: $0.map.store, retry: retry) || mayHaveObjects($0) }
  }

  /// Returns true if the context has objects of the entity of the rows.
  private func mayHaveObjects(_ rows: CascadedRows) -> Bool {
    changes(for: rows.relationship.destinationType)?.map.objectCount != 0
  }

  /// Returns true if a save may delete cascaded rows by their owners. If not, it has to know their keys before.
  func deletesByOwner(in store: StoreCoordinator, retry: Int) -> Bool {
    // The history reads the values of the rows before the deletion.
    retry == 0 && transactionSnapshot == nil && !store.keepsHistory && store.engine is any CascadingEngine
  }

  func readCascadedKeys(of isConcerned: (CascadedRows) -> Bool) {
    let all = cascadedRows.suffix(cascadedRows.reversed().prefix { $0.keys == nil }.count)
    guard !all.isEmpty else { return }
    cascadedRows.removeLast(all.count)
    cascadedRows += all.filter { !isConcerned($0) }
    let unread = all.filter(isConcerned)
    for group in Dictionary(grouping: unread, by: { ObjectIdentifier($0.relationship) }).values {
      let keys = try? relatedKeys(group[0].relationship, in: group[0].map, owners: group.map(\.ownerKey))
      // An observer of the reads and deletions below may take back the deletion of an owner.
      for var rows in group where rows.owner._$state.pointee.flags.contains(.deleted) {
        guard let keys else {
          read(rows)
          continue
        }
        rows.keys = keys[rows.ownerKey] ?? []
        for model in mark(rows) where !hasOtherOwner(model, than: rows) { deleteWithoutSaving(model) }
      }
    }
  }

  /// Returns true if an object refers to another owner in memory, because of a pending change or a remote one.
  private func hasOtherOwner<T: PersistentModel>(_ model: T, than rows: CascadedRows) -> Bool {
    guard let inverse = rows.relationship.inverse else { return false }
    let edit = model._$edit(.find, at: inverse.position)
    return edit.isLoaded && edit.related !== rows.owner
  }

  /// Returns true if the stored references determine which rows to delete, and no other object or row is affected.
  func goesByKeys(
    _ relationship: RelationshipLayout, of model: some PersistentModel, in map: IdentityMap
  ) -> Bool {
    guard relationship.deleteRule == .cascade, relationship.isToMany, relationship.storage == .inverseColumn,
      let inverse = relationship.inverse, inverse.position < PropertyMask.sharedPosition,
      let destination = changes(for: relationship.destinationType), destination !== map.changes
    else { return false }
    let entity = destination.map.entity
    guard entity.inheritance == nil, entity.relationships.count == 1,
      !map.store.oneWayDestinations.contains(entity.name), destination.map.store === map.store,
      destination.changed.isEmpty, destination.inserted.isEmpty, destination.map.seconds.isEmpty
    else { return false }
    let state = model._$state
    return state.pointee.dirty & PropertyMask.bit(relationship.position) == 0
      && state.pointee.failedRead(at: relationship.position) == nil
      && model._$modifiedMembers(at: relationship.position) == nil
      && !model._$edit(.find, at: relationship.position).isLoaded
  }

  /// Marks the rows that have no object in the context for deletion by the next save.
  ///
  /// - Returns: The objects of the other rows. The caller must delete these objects.
  func mark(_ rows: CascadedRows) -> ContiguousArray<any PersistentModel> {
    guard let changes = changes(for: rows.relationship.destinationType) else { return [] }
    var rows = rows
    // An observer of the deletion may have read objects, which have to be deleted now.
    if rows.keys == nil, mayHaveObjects(rows) {
      rows.keys = try? relatedKeys(rows.relationship, in: rows.map, owners: [rows.ownerKey])[rows.ownerKey] ?? []
    }
    guard let keys = rows.keys else {
      watch?.noteRows(of: ObjectIdentifier(changes.map.modelType))
      cascadedRows.append(rows)
      return []
    }
    var (registered, unregistered): (ContiguousArray<any PersistentModel>, [Int64]) = ([], [])
    for key in keys {
      if let object = changes.map.anyObject(ofRow: key) {
        registered.append(changes.map.entity.model(object))
      } else {
        unregistered.append(key)
      }
    }
    let marked = markDeleted(rows: unregistered, of: changes)
    guard !marked.isEmpty else { return registered }
    watch?.noteRows(of: ObjectIdentifier(changes.map.modelType))
    rows.keys = marked
    insertRead(rows)
    return registered
  }

  /// Inserts an entry whose keys are read. Unread entries come last, so that a look at the last entry finds them.
  private func insertRead(_ rows: CascadedRows) {
    cascadedRows.insert(rows, at: (cascadedRows.lastIndex { $0.keys != nil } ?? -1) + 1)
  }

  /// Creates an object for each of the cascaded rows, and marks it as deleted.
  func readCascadedRows(_ isRead: (CascadedRows) -> Bool = { _ in true }) {
    guard !cascadedRows.isEmpty else { return }
    let all = cascadedRows.filter(isRead)
    cascadedRows.removeAll(where: isRead)
    for rows in all { read(rows) }
  }

  /// Turns cascaded rows into batch-deleted rows: the next save deletes these rows even if their owner has changed.
  package func detachCascadedRows(_ keys: [Int64], of changes: EntityChanges) {
    guard !cascadedRows.isEmpty else { return }
    readCascadedKeys()
    let keys = Set(keys)
    detachCascadedRows { $0 === changes && keys.contains($1) }
  }

  func detachCascadedRows(_ isDetached: (EntityChanges, Int64) -> Bool) {
    guard !cascadedRows.isEmpty else { return }
    for index in cascadedRows.indices {
      guard let changes = changes(for: cascadedRows[index].relationship.destinationType) else { continue }
      cascadedRows[index].keys?.removeAll { isDetached(changes, $0) }
    }
    cascadedRows.removeAll { $0.keys?.isEmpty == true }
  }

  /// Removes the entries whose rows a save has deleted, so that none of their keys is pending any more.
  func forgetCascadedRows(of store: StoreCoordinator) {
    cascadedRows.removeAll { rows in
      guard rows.map.store === store else { return false }
      guard let keys = rows.keys else { return rows.owner._$state.pointee.flags.contains(.gone) }
      return changes(for: rows.relationship.destinationType)?.batchDeletedKeys.isDisjoint(with: keys) != false
    }
  }

  private func read(_ rows: CascadedRows) {
    guard let changes = changes(for: rows.relationship.destinationType) else { return }
    let waiting = unmarkDeleted(rows: rows.keys ?? [], of: changes)
    func read<T: PersistentModel>(_ owner: T) {
      var deletion = Deletion(in: self)
      deletion.resume(rows.relationship, of: owner, in: rows.map)
      guard owner._$state.pointee.failedRead(at: rows.relationship.position) != nil else { return }
      // The rows could not be read. They stay marked for deletion by key; without keys, the next save reads them again.
      guard rows.keys != nil else {
        noteIncomplete(owner, rows.relationship.position, wasUnread: false)
        return
      }
      markDeleted(rows: waiting, of: changes)
      insertRead(rows)
    }
    read(rows.owner)
  }
}

extension SavedChanges {
  /// Leaves out cascaded rows that another transaction moved to another owner or deleted since their keys were read.
  func leaveOutMovedRows(
    of store: StoreCoordinator, in transaction: any StoreTransaction, of context: ModelContext
  ) throws {
    let own = context.cascadedRows.filter { $0.map.store === store }
    for rows in Dictionary(grouping: own, by: { ObjectIdentifier($0.relationship) }).values {
      guard let first = rows.first, let changes = context.changes(for: first.relationship.destinationType) else {
        continue
      }
      let all = rows.flatMap { $0.keys ?? [] }
      try transaction.lock(all, of: changes.map.entity)
      let stored = Set(
        try store.engine.pairs(
          of: first.relationship, in: first.map.entity, owners: rows.map(\.ownerKey), transaction: transaction
        ).map(\.target))
      let moved = all.filter { !stored.contains($0) }
      guard !moved.isEmpty else { continue }
      context.detachCascadedRows(moved, of: changes)
      entities.first { $0.source === changes }?.leaveOut(Set(moved))
      context.unmarkDeleted(rows: moved, of: changes)
    }
  }
}

extension SavedChanges.SavedEntity {
  /// The cascaded rows; nil if the entity also has batch-deleted rows that no deletion cascades to.
  func cascadedRows(of context: ModelContext) -> [CascadedRows]? {
    let own = ownCascadedRows(of: context)
    // Each cascaded key occurs once and is also a batch-deleted key. So if the counts are equal, the sets are equal.
    let isAll =
      own.reduce(0) { $0 + ($1.keys?.count ?? 0) } == batchDeletedKeys.count
      && batchDeletedKeys.count == source.batchDeletedKeys.count
    return isAll ? own : nil
  }

  /// The keys of the batch-deleted rows, without the keys of the cascaded rows.
  var keysBesidesCascaded: [Int64] {
    guard !batchDeletedKeys.isEmpty, let context = map.ownContext, !context.cascadedRows.isEmpty else {
      return batchDeletedKeys
    }
    if cascadedRows(of: context) != nil { return [] }
    let cascaded = Set(ownCascadedRows(of: context).flatMap { $0.keys ?? [] })
    return batchDeletedKeys.filter { !cascaded.contains($0) }
  }

  var hasCascadedRows: Bool { map.ownContext.map { !ownCascadedRows(of: $0).isEmpty } ?? false }

  private func ownCascadedRows(of context: ModelContext) -> [CascadedRows] {
    context.cascadedRows.filter { $0.relationship.destinationType == map.modelType && !$0.isLate }
  }

  /// Deletes the cascaded rows: the rows that refer to the deleted owners now.
  ///
  /// - Parameter isRecorded: Whether the history has recorded the values of the known rows. If so, and other rows refer
  ///   to the owners by now, the save is run again.
  func deleteCascadedRows(in transaction: any CascadingTransaction, isRecorded: Bool) throws {
    // The entity of cascaded rows has only one relationship, so all rows have the same inverse.
    guard let context = map.ownContext, !context.cascadedRows.isEmpty,
      case let rows = ownCascadedRows(of: context), let inverse = rows.first?.relationship.inverse
    else { return }
    let known = rows.flatMap { $0.keys ?? [] }
    var keys = try transaction.deleteRows(
      of: map.entity, referringAt: inverse.position, to: rows.map(\.ownerKey), expecting: isRecorded ? known : nil)
    if map.objectCount > 0 {
      let pending = Set(batchDeletedKeys)
      let count = keys.count
      // Another transaction gave the owner a row that this context has an object of. The store reports the row as
      // affected by the deletion; with several writers, the save checks for conflicts first and is run again.
      keys.removeAll { !pending.contains($0) && map.anyObject(ofRow: $0) != nil }
      guard keys.count == count || map.store.engine.isSingleWriter else { throw RetryableFailure() }
    }
    guard !batchDeletedKeys.isEmpty else { return setDeletedByOwner(keys) }
    let deleted = Set(keys)
    let moved = Set(known).subtracting(deleted)
    if !moved.isEmpty {
      context.detachCascadedRows { $0 === source && moved.contains($1) }
      context.unmarkDeleted(rows: Array(moved), of: source)
    }
    setDeletedByOwner(keys + batchDeletedKeys.filter { !deleted.contains($0) && !moved.contains($0) })
  }
}
