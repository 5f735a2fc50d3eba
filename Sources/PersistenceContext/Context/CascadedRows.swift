import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Rows that go along with a deleted object, and have no objects: only their keys are read. Confined to the context.
///
/// The next save deletes them as it deletes batch-deleted rows, if they still have this owner then. They become deleted objects when the
/// program asks for these: by the list of the owner, or by `deletedModelsArray`.
struct CascadedRows {
  let owner: any PersistentModel
  let map: IdentityMap
  let relationship: RelationshipLayout
  var keys: [Int64]

  var ownerKey: Int64 { owner._$state.pointee.primaryKey }
}

/// The keys that were read for deletions, by those of their owners, until the context saves or hears of others.
struct CascadeReads {
  let relationship: RelationshipLayout
  /// The number of the context's saves then.
  let saveCount: Int
  let keys: [Int64: [Int64]]
}

extension ModelContext {
  /// Reads the keys of the rows that a deletion takes along, for each relationship whose objects are not needed.
  ///
  /// - Parameter model: The object that is deleted, before it is marked.
  /// - Returns: The rows; nothing for relationships that cannot be read so, or not at all.
  func cascadedRows(of model: some PersistentModel, in map: IdentityMap) -> [CascadedRows] {
    // Undoing brings objects back, and the policy asks what others have changed in each.
    guard undoRecorder == nil, conflictPolicy != .throwError, model._$state.pointee.primaryKey != 0,
      !model._$state.pointee.flags.contains(.inserted)
    else { return [] }
    return map.entity.relationships.compactMap { relationship in
      guard goesByKeys(relationship, of: model, in: map) else { return nil }
      let keys = try? cascadedKeys(of: model, relationship, in: map)
      return keys.map { CascadedRows(owner: model, map: map, relationship: relationship, keys: $0) }
    }
  }

  /// The rows that still go by their keys after observers were told of the deletion, who may have read or changed what goes along.
  func stillCascading(_ rows: [CascadedRows]) -> [CascadedRows] {
    func goes<T: PersistentModel>(_ owner: T, _ rows: CascadedRows) -> Bool {
      goesByKeys(rows.relationship, of: owner, in: rows.map)
    }
    return rows.filter { goes($0.owner, $0) }
  }

  /// The keys of the rows of an owner. From the second one of a series on those of all owners that were fetched together are read at once.
  private func cascadedKeys(
    of model: some PersistentModel, _ relationship: RelationshipLayout, in map: IdentityMap
  ) throws -> [Int64] {
    let key = model._$state.pointee.primaryKey
    let isSeries = cascadeReads.map { $0.relationship === relationship && $0.saveCount == saveCount } ?? false
    if isSeries, let known = cascadeReads?.keys[key] { return known }
    let window = isSeries ? model._$state.pointee.group?.window(around: key, for: relationship.position).keys : nil
    let owners = window.map { $0.contains(key) ? Array($0) : [key] } ?? [key]
    let pairs = try map.store.engine.pairs(
      of: relationship, in: map.entity, owners: owners, transaction: openTransaction(of: map.store))
    var keys = Dictionary(owners.map { ($0, [Int64]()) }) { first, _ in first }
    for pair in pairs { keys[pair.owner]?.append(pair.target) }
    cascadeReads = CascadeReads(relationship: relationship, saveCount: saveCount, keys: keys)
    return keys[key] ?? []
  }

  /// Whether the rows of a relationship go along without effect on anything else, and what is stored says which they are.
  private func goesByKeys(
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

  /// Marks rows for deletion by the next save.
  ///
  /// - Returns: The registered objects of such rows. The caller deletes them as objects.
  func mark(_ rows: CascadedRows) -> ContiguousArray<any PersistentModel> {
    guard let changes = changes(for: rows.relationship.destinationType) else { return [] }
    var (registered, unregistered): (ContiguousArray<any PersistentModel>, [Int64]) = ([], [])
    for key in rows.keys {
      if let object = changes.map.anyObject(ofRow: key) {
        registered.append(changes.map.entity.model(object))
      } else {
        unregistered.append(key)
      }
    }
    let marked = markDeleted(rows: unregistered, of: changes)
    guard !marked.isEmpty else { return registered }
    watch?.noteRows(of: ObjectIdentifier(changes.map.modelType))
    var rows = rows
    rows.keys = marked
    cascadedRows.append(rows)
    return registered
  }

  // MARK: Objects of the rows

  /// Makes deleted objects of all rows that go along with others.
  func readCascadedRows() {
    let all = cascadedRows
    cascadedRows = []
    for rows in all { read(rows) }
  }

  /// Makes deleted objects of the rows that go along with an object.
  func readCascadedRows(of owner: some PersistentModel) {
    guard !cascadedRows.isEmpty else { return }
    let own = cascadedRows.filter { $0.owner === owner }
    cascadedRows.removeAll { $0.owner === owner }
    for rows in own { read(rows) }
  }

  /// Makes rows that go along batch-deleted ones, which go whatever becomes of their owners.
  package func detachCascadedRows(_ keys: [Int64], of changes: EntityChanges) {
    guard !cascadedRows.isEmpty else { return }
    let keys = Set(keys)
    detachCascadedRows { $0 === changes && keys.contains($1) }
  }

  func detachCascadedRows(_ isDetached: (EntityChanges, Int64) -> Bool) {
    guard !cascadedRows.isEmpty else { return }
    for index in cascadedRows.indices {
      guard let changes = changes(for: cascadedRows[index].relationship.destinationType) else { continue }
      cascadedRows[index].keys.removeAll { isDetached(changes, $0) }
    }
    cascadedRows.removeAll { $0.keys.isEmpty }
  }

  /// Forgets the rows that a save has deleted.
  func forgetCascadedRows(of store: StoreCoordinator) {
    cascadedRows.removeAll { rows in
      rows.map.store === store
        && changes(for: rows.relationship.destinationType)?.batchDeletedKeys.isDisjoint(with: rows.keys) != false
    }
  }

  private func read(_ rows: CascadedRows) {
    guard let changes = changes(for: rows.relationship.destinationType) else { return }
    let waiting = unmarkDeleted(rows: rows.keys, of: changes)
    func read<T: PersistentModel>(_ owner: T) {
      var deletion = Deletion(in: self)
      deletion.resume(rows.relationship, of: owner, in: rows.map)
      guard owner._$state.pointee.failedRead(at: rows.relationship.position) != nil else { return }
      // The rows are to go, whether they can be read or not.
      markDeleted(rows: waiting, of: changes)
      cascadedRows.append(rows)
    }
    read(rows.owner)
  }
}

// What a save does with such rows.

extension SavedChanges {
  /// Leaves out rows that have another owner by now, or none, where others may have committed since the keys were read.
  func leaveOutMovedRows(
    of store: StoreCoordinator, in transaction: any StoreTransaction, of context: ModelContext
  ) throws {
    let own = context.cascadedRows.filter { $0.map.store === store }
    for rows in Dictionary(grouping: own, by: { ObjectIdentifier($0.relationship) }).values {
      guard let first = rows.first, let changes = context.changes(for: first.relationship.destinationType) else {
        continue
      }
      let all = rows.flatMap(\.keys)
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
  /// The batch-deleted rows with what their owners are known to be; nil if one of them went for another reason.
  func cascadedRows(of context: ModelContext) -> [CascadedRows]? {
    let own = ownCascadedRows(of: context)
    // No key is in two of them, and none is not pending.
    let isAll =
      own.reduce(0) { $0 + $1.keys.count } == batchDeletedKeys.count
      && batchDeletedKeys.count == source.batchDeletedKeys.count
    return isAll ? own : nil
  }

  /// The batch-deleted rows, without those that the deletion of their owners deletes.
  var keysBesidesCascaded: [Int64] {
    guard !batchDeletedKeys.isEmpty, let context = map.ownContext, !context.cascadedRows.isEmpty else {
      return batchDeletedKeys
    }
    if cascadedRows(of: context) != nil { return [] }
    let cascaded = Set(ownCascadedRows(of: context).flatMap(\.keys))
    return batchDeletedKeys.filter { !cascaded.contains($0) }
  }

  private func ownCascadedRows(of context: ModelContext) -> [CascadedRows] {
    context.cascadedRows.filter { $0.relationship.destinationType == map.modelType }
  }

  /// Deletes the batch-deleted rows that have the owners that they had; else the save fails.
  func delete(_ rows: [CascadedRows], in transaction: any ComparingTransaction) throws {
    // Entities whose rows go by their keys have one relationship.
    guard let inverse = rows.first?.relationship.inverse else { return }
    try transaction.delete(
      from: map.entity, referringAt: inverse.position, to: rows.map(\.ownerKey), keys: rows.flatMap(\.keys))
  }
}
