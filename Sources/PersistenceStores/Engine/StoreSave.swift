import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// One call of a store's `save`: creates its request from the changes of a transaction, and applies its result.
struct StoreSave<Store: DataStore> {
  private let transaction: CustomStoreTransaction<Store>
  private let inserted: [SavedRow]
  private let updated: [SavedRow]
  let request: DataStoreSaveChangesRequest<Store.Snapshot>

  private struct SavedRow {
    let key: Int64
    let entity: EntityLayout
    let identifier: PersistentIdentifier
    let values: SnapshotValues
  }

  private var engine: CustomStoreEngine<Store> { transaction.engine }

  init(of transaction: CustomStoreTransaction<Store>) throws {
    let changes = transaction.changes
    let inserted = try Self.contents(of: changes.inserted.mapValues { ($0, []) }, in: transaction)
    let updated = try Self.contents(of: changes.updated.mapValues { ($0.entity, $0.properties) }, in: transaction)
    let deleted = changes.deleted.sorted { $0.key < $1.key }.map { key, row in
      SavedRow(
        key: key, entity: row.entity, identifier: transaction.identifier(of: key, row.entity), values: row.values)
    }
    self.transaction = transaction
    self.inserted = inserted
    self.updated = updated
    request = DataStoreSaveChangesRequest(
      inserted: Self.snapshots(of: inserted), updated: Self.snapshots(of: updated),
      deleted: Self.snapshots(of: deleted),
      editingState: transaction.editor ?? EditingState())
  }

  /// The inserted or updated rows with their current values, in the order of their keys.
  private static func contents(
    of rows: [Int64: (entity: EntityLayout, properties: Set<String>)], in transaction: CustomStoreTransaction<Store>
  ) throws -> [SavedRow] {
    var contents: [SavedRow] = []
    var keys: [ObjectIdentifier: (entity: EntityLayout, keys: [Int64])] = [:]
    for (key, row) in rows { keys[ObjectIdentifier(row.entity), default: (row.entity, [])].keys.append(key) }
    let changed = rows.mapValues(\.properties)
    for (entity, keys) in keys.values {
      for (key, values) in try transaction.snapshotValues(of: keys, entity, changed: changed) {
        contents.append(
          SavedRow(key: key, entity: entity, identifier: transaction.identifier(of: key, entity), values: values))
      }
    }
    return contents.sorted { $0.key < $1.key }
  }

  private static func snapshots(of contents: [SavedRow]) -> [Store.Snapshot] {
    var snapshots: [Store.Snapshot] = []
    for content in contents { snapshots.append(snapshot(content)) }
    return snapshots
  }

  private static func snapshot(_ content: SavedRow) -> Store.Snapshot {
    func snapshot<T: PersistentModel>(_ type: T.Type) -> Store.Snapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      let data = SnapshotBackingData<T>(content.identifier, content.values, content.entity)
      return Store.Snapshot(from: data, relatedBackingDatas: &related)
    }
    return snapshot(content.entity.modelType)
  }

  // MARK: The result

  /// Checks that the result of the store has a valid identifier for each inserted model.
  func check(_ result: DataStoreSaveChangesResult<Store.Snapshot>) throws {
    let (contract, place) = (engine.contract, "remappedIdentifiers of the result of save(_:)")
    guard result.storeIdentifier == contract.identifier else {
      throw contract.broken(
        "the result of save(_:) has the identifier of the store",
        "it has '\(result.storeIdentifier)', and the store '\(contract.identifier)'.")
    }
    var given: [PersistentIdentifier] = []
    for content in inserted {
      guard let identifier = result.remappedIdentifiers[content.identifier] else {
        throw contract.broken(
          "\(place) has each inserted model", "it lacks \(content.identifier), a \(content.entity.name).")
      }
      _ = try contract.check(identifier, isOneOf: [content.entity], in: place)
      given.append(identifier)
    }
    try contract.checkUnique(given, in: place)
  }

  /// Assigns the identifiers from the store to the inserted rows, and writes values that the store has changed.
  func finish(_ result: DataStoreSaveChangesResult<Store.Snapshot>) throws {
    var former: [(entity: EntityLayout, key: Int64)] = []
    for content in inserted {
      guard let identifier = result.remappedIdentifiers[content.identifier] else { continue }
      // If the identifier is known, the store has merged the model with an existing row. The mirror (the in-memory
      // cache of the store's rows) already has a copy of this row, under another key. The old copy is deleted below.
      if let known = engine.table.bind(content.key, to: identifier) { former.append((content.entity, known)) }
    }
    for (entity, key) in former { try transaction.base.delete(from: entity, keys: [key]) }
    noteLists(result.remappedIdentifiers)
    _ = try engine.register(
      Array(result.snapshotsToReregister.values), oneOf: engine.plan.layouts, in: transaction.base,
      at: "snapshotsToReregister of the result of save(_:)")
  }

  private func noteLists(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) {
    engine.state.withLock { state in
      for content in inserted + updated {
        for relationship in content.entity.relationships where relationship.storage != .column {
          let list = content.values[relationship.name]?.identifiers
          state.setList(list?.map { identifiers[$0] ?? $0 }, of: content.key, at: relationship.position)
        }
      }
    }
    Self.forgetDeleted(by: transaction)
  }

  /// Removes the transaction's deleted rows from the cached lists of other rows, and discards their own lists.
  static func forgetDeleted(by transaction: CustomStoreTransaction<Store>) {
    let (deleted, table) = (transaction.changes.deleted, transaction.engine.table)
    // Grouped by owner and relationship, because one list may contain many of the deleted rows.
    var gone: [Int64: [Int: Set<PersistentIdentifier>]] = [:]
    for (key, row) in deleted {
      guard let identifier = table.identifier(of: key) else { continue }
      for relationship in row.entity.relationships {
        guard let inverse = relationship.inverse else { continue }
        for other in row.values[relationship.name]?.identifiers?.compactMap(table.key) ?? [] {
          gone[other, default: [:]][inverse.position, default: []].insert(identifier)
        }
      }
    }
    transaction.engine.state.withLock { state in
      for (owner, relationships) in gone where deleted[owner] == nil {
        for (position, gone) in relationships {
          guard let list = state.list(of: owner, at: position) else { continue }
          state.setList(list.filter { !gone.contains($0) }, of: owner, at: position)
        }
      }
      for key in deleted.keys { state.forgetLists(of: key) }
    }
  }
}

extension SnapshotValue {
  /// The identifiers in a relationship; nil for an attribute.
  fileprivate var identifiers: [PersistentIdentifier]? {
    switch self {
    case .toMany(let list): list
    case .toOne(let identifier): identifier.map { [$0] } ?? []
    case .value, .null: nil
    }
  }
}

extension CustomStoreTransaction {
  /// The values of rows of one entity. For a relationship without a column, they contain the related models that the
  /// store has returned or, if the transaction has changed the relationship, those in the mirror (the cached rows).
  func snapshotValues(
    of keys: [Int64], _ entity: EntityLayout, changed: [Int64: Set<String>]
  ) throws -> [Int64: SnapshotValues] {
    var found = try reader.values(of: keys, entity)
    for relationship in entity.relationships where relationship.storage != .column {
      let known = engine.state.withLock { state in
        keys.reduce(into: [Int64: [PersistentIdentifier]]()) {
          $0[$1] = state.list(of: $1, at: relationship.position)
        }
      }
      let unknown = keys.filter { known[$0] == nil || changed[$0]?.contains(relationship.name) == true }
      var lists = known
      if !unknown.isEmpty {
        try engine.loadMembers(of: relationship, entity, owners: unknown, in: self)
        let read = try reader.members(of: relationship, entity, owners: unknown)
        for key in unknown { lists[key] = read[key] ?? [] }
      }
      for key in keys {
        let list = (lists[key] ?? []).filter { !isDeleted($0) }
        found[key]?[relationship.name] = relationship.isToMany ? .toMany(list) : .toOne(list.first)
      }
    }
    return found
  }

  /// Whether the transaction has deleted the model with an identifier.
  private func isDeleted(_ identifier: PersistentIdentifier) -> Bool {
    guard !changes.deleted.isEmpty, let key = engine.table.key(of: identifier) else { return false }
    return changes.deleted[key] != nil
  }
}
