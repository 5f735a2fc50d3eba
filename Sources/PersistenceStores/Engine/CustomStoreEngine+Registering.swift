import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// Writes the snapshots that the store has returned: each becomes a row of the mirror, the engine's in-memory cache.

extension CustomStoreEngine {
  /// Runs code in a transaction of the mirror: that of the engine's open transaction or, if none is open, a new one.
  func writing<Result>(
    in transaction: (any StoreTransaction)?, _ body: (any StoreTransaction) throws -> Result
  ) throws -> Result {
    if let base = base(of: transaction) { return try body(base) }
    let base = try mirror.beginTransaction()
    let number = state.withLock { $0.begin() }
    do {
      let result = try body(base)
      try base.commit()
      state.withLock { $0.end(number) }
      return result
    } catch {
      state.withLock { $0.undo(number) }
      base.rollBack()
      throw error
    }
  }

  // MARK: Snapshots

  /// Writes the snapshots of a fetch to the mirror. Returns the keys of the fetched models, in their order.
  func register<T>(
    _ result: DataStoreFetchResult<T, Store.Snapshot>, of entity: EntityLayout, in base: any StoreTransaction,
    besides own: CustomStoreTransaction<Store>? = nil
  ) throws -> [Int64] {
    let keys = try register(
      result.fetchedSnapshots, oneOf: entity.family, in: base, at: "the result of fetch(_:)", besides: own)
    let fetched = Set(keys)
    let related = result.relatedSnapshots.values.filter { snapshot in
      !(table.key(of: snapshot.persistentIdentifier).map(fetched.contains) ?? false)
    }
    _ = try register(
      related, oneOf: plan.layouts, in: base, at: "relatedSnapshots of the result of fetch(_:)", besides: own)
    return keys
  }

  /// Writes snapshots to the mirror, and returns their keys in the same order.
  ///
  /// - Parameter own: The transaction of a running save. Its rows in the mirror are newer, so the snapshots do not
  ///   overwrite them.
  func register(
    _ snapshots: [Store.Snapshot], oneOf entities: [EntityLayout], in base: any StoreTransaction, at place: String,
    besides own: CustomStoreTransaction<Store>? = nil
  ) throws -> [Int64] {
    guard !snapshots.isEmpty else { return [] }
    try contract.checkUnique(snapshots.map(\.persistentIdentifier), in: place)
    var rows: [ObjectIdentifier: (entity: EntityLayout, rows: [MirrorRow])] = [:]
    var keys: [Int64] = []
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      let entity = try contract.check(identifier, isOneOf: entities, in: place)
      guard let key = table.key(of: identifier) else { continue }
      keys.append(key)
      rows[ObjectIdentifier(entity), default: (entity, [])].rows.append(
        MirrorRow(key: key, identifier: identifier, values: try values(of: snapshot, entity)))
    }
    for (entity, rows) in rows.values { try write(rows, of: entity, in: base, besides: own) }
    return keys
  }

  /// The values of a snapshot. If a program declares its own snapshot type, the snapshot is encoded to read its values.
  private func values(of snapshot: Store.Snapshot, _ entity: EntityLayout) throws -> SnapshotValues {
    if let snapshot = snapshot as? DefaultSnapshot { return snapshot.values }
    let encoder = SnapshotEncoder()
    do {
      try snapshot.encode(to: encoder)
    } catch {
      throw SwiftDataError(
        .storeFailure, "The store '\(contract.name)' has a snapshot of \(entity.name) whose values cannot be taken.",
        underlying: error)
    }
    return try entity.snapshotValues(encoder.values, of: snapshot.persistentIdentifier, contract)
  }

  private func write(
    _ all: [MirrorRow], of entity: EntityLayout, in base: any StoreTransaction,
    besides own: CustomStoreTransaction<Store>?
  ) throws {
    let writer = MirrorWriter(entity: entity, table: table, contract: contract) { name in
      Set(self.layout(name)?.family.map(\.name) ?? [])
    }
    let references = listedReferences(of: entity)
    let known = try mirror.references(of: all.map(\.key), entity, at: references, in: base)
    var batch = try MirrorBatch(all, known: known, references, writer)
    if let own { batch.keepNew { own.changes.deleted[$0] == nil } }
    guard !batch.isEmpty else { return }
    try write(&batch, in: base, besides: own)
    try writeLists(of: batch, in: base, besides: own)
  }

  /// Writes the rows of a batch. A unique value of a row may still belong to another row in the mirror, because the
  /// store has meanwhile changed or deleted that other row.
  private func write(
    _ batch: inout MirrorBatch, in base: any StoreTransaction, besides own: CustomStoreTransaction<Store>?
  ) throws {
    let (entity, root) = (batch.entity, root(of: batch.entity))
    do {
      do {
        try batch.write(to: base)
      } catch let error as UniqueValueTaken {
        // The rows that the save has written exist only in the mirror. Deleting them from the mirror would lose them.
        if own?.hasWritten(root) == true { throw error.cause }
        // Rows of the batch may have exchanged their unique values.
        try batch.writeExchanging(to: base)
      }
    } catch is UniqueValueTaken {
      try evictAll(of: root, in: base)
      do {
        try batch.becomeNew()
        try batch.write(to: base)
      } catch let error as UniqueValueTaken {
        throw contract.broken(
          "unique values are those of one model", "two models of \(entity.name) share one: \(error.cause).")
      }
    }
  }

  /// Deletes all rows of an entity from the mirror, so that they are fetched again.
  private func evictAll(of root: EntityLayout, in base: any StoreTransaction) throws {
    // Rows of the batch that were written already are deleted too. The caller writes the whole batch again.
    try base.delete(from: root, keys: mirror.keys(FetchRequest(entity: root), in: base))
    state.withLock { $0.setComplete(root.name, false) }
    let names = root.destinationNames
    let owners = plan.layouts.filter { $0.relationships.contains { names.contains($0.destination) } }
    let forgotten = (root.family + owners).map { entity in
      var rows = ForeignRows(of: entity)
      rows.meansAll = true
      return rows
    }
    reordered.withLock { $0.add(forgotten) }
  }

  func root(of entity: EntityLayout) -> EntityLayout { entity.inheritance.flatMap { layout($0.rootName) } ?? entity }
}

extension EntityLayout {
  /// Converts the values that a program's own snapshot has encoded. Throws if a value does not fit its property.
  func snapshotValues(
    _ encoded: [String: Any?], of owner: PersistentIdentifier, _ contract: StoreContract
  ) throws -> SnapshotValues {
    var values = SnapshotValues()
    for property in properties {
      guard let found = encoded[property.name] else { continue }
      values[property.name] = try snapshotValue(found, of: property, owner, contract)
    }
    return values
  }

  private func snapshotValue(
    _ found: Any?, of property: PropertyLayout, _ owner: PersistentIdentifier, _ contract: StoreContract
  ) throws -> SnapshotValue {
    if let relationship = property.relationship {
      if relationship.isToMany, let list = (found ?? []) as? [PersistentIdentifier] { return .toMany(list) }
      guard let found else { return .toOne(nil) }
      if !relationship.isToMany, let identifier = found as? PersistentIdentifier { return .toOne(identifier) }
      throw contract.wrongType(found, of: property, self, owner)
    }
    guard let found else { return .null }
    guard let value = found as? any Codable else { throw contract.wrongType(found, of: property, self, owner) }
    return .value(value)
  }
}
