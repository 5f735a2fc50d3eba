import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// A transaction of the mirror, the cache of the store's rows. Its commit passes its changes to the store's `save`.
final class CustomStoreTransaction<Store: DataStore>: StoreTransaction {
  let engine: CustomStoreEngine<Store>
  let base: any StoreTransaction
  /// The changes of all saves in the transaction.
  private(set) var changes = StoreChanges()
  /// Identifies the context that saves.
  private(set) var editor: EditingState?
  /// The history token that the store has returned for the save; nil before the save.
  private(set) var ownToken: (any HistoryToken)?
  /// The ID of this transaction in ``MirrorState``.
  private let number: Int
  private var marks: [Int: (changes: StoreChanges.Mark, state: Int)] = [:]
  /// The temporary identifiers of new rows, to which the store has not assigned identifiers yet.
  private var temporary: [Int64: PersistentIdentifier] = [:]
  /// The names of root entities that have unique properties and to which the transaction has written rows.
  private var written: Set<String> = []
  /// The rows that a running deletion deletes or changes, by root entity. Recorded only if `notesAffected` is true.
  private var affected: [String: AffectedRows] = [:]
  private var notesAffected = false

  init(of engine: CustomStoreEngine<Store>, _ base: any StoreTransaction, number: Int) {
    self.engine = engine
    self.base = base
    self.number = number
  }

  /// The identifier that the store has assigned to a row; a temporary one if the row is new.
  func identifier(of key: Int64, _ entity: EntityLayout) -> PersistentIdentifier {
    if let known = engine.table.identifier(of: key) ?? temporary[key] { return known }
    let name = changes.inserted[key]?.name ?? entity.name
    let made = PersistentIdentifier(.token(IdentifierToken(entityName: name)))
    temporary[key] = made
    return made
  }

  var reader: MirrorReader {
    MirrorReader(mirror: engine.mirror, stores: engine.mirrorStores, plan: engine.plan, transaction: base) {
      self.identifier(of: $0, $1)
    }
  }

  // MARK: Rows

  func lock(_ keys: [Int64], of entity: EntityLayout) throws { try engine.loadRows(keys, of: entity, in: self) }

  func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64 { engine.table.take(count)?.lowerBound ?? 1 }

  @discardableResult
  func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow] {
    // A row that was never fetched may have one of the unique values. So all rows of the entity are fetched first.
    if entity.hasUniqueness { try engine.load([entity], in: self) }
    noteWriting(to: entity)
    return try base.insert(into: entity, body)
  }

  private func noteWriting(to entity: EntityLayout) {
    if entity.hasUniqueness { written.insert(engine.root(of: entity).name) }
  }

  /// Whether the transaction has written rows to an entity with unique properties. The store does not have them yet.
  func hasWritten(_ root: EntityLayout) -> Bool { written.contains(root.name) }

  func upsert(
    into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
  ) throws -> [UpsertedRow] {
    noteWriting(to: entity)
    return try base.upsert(into: entity, count: count, body)
  }

  @discardableResult
  func update(
    _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?, _ body: (EngineStatement) throws -> Void
  ) throws -> [RefusedRow] {
    noteWriting(to: entity)
    return try base.update(entity, mask: mask, expecting: nil, body)
  }

  func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws {
    try base.vacate(entity, mask: mask, keys: keys)
  }

  func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws {
    try base.redirect(relationships, keys)
  }

  var survivesConflicts: Bool { base.survivesConflicts }

  // MARK: Deletions

  @discardableResult
  func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int {
    guard !keys.isEmpty else { return 0 }
    try engine.loadRows(keys, of: entity, in: self)
    try noteDeletion(of: keys, entity)
    let count = try base.delete(from: entity, keys: keys)
    try releaseReferences(to: keys, of: entity)
    return count
  }

  func delete(_ request: FetchRequest) throws -> [Int64] {
    let keys = try engine.keys(request, in: self)
    try delete(from: request.entity, keys: keys)
    return keys
  }

  /// Records the values of rows that are about to be deleted: the store gets them as snapshots.
  private func noteDeletion(of keys: [Int64], _ entity: EntityLayout) throws {
    for (member, own) in members(of: keys, entity) {
      let values = try snapshotValues(of: own, member, changed: [:])
      for (key, values) in values { changes.noteDeletion(of: key, member, values) }
      noteAffected(member) { $0.deleted.formUnion(values.keys) }
    }
  }

  /// Groups keys by the entity of their rows, which may be a subclass of the given entity.
  private func members(of keys: [Int64], _ entity: EntityLayout) -> [(entity: EntityLayout, keys: [Int64])] {
    guard entity.family.count > 1 else { return [(entity, keys)] }
    return Dictionary(grouping: keys) { identifier(of: $0, entity).entityName }.map { name, keys in
      (engine.layout(name) ?? entity, keys)
    }
  }

  private func noteAffected(_ entity: EntityLayout, _ change: (inout AffectedRows) -> Void) {
    guard notesAffected else { return }
    let root = engine.root(of: entity)
    change(&affected[root.name, default: AffectedRows(entity: root)])
  }

  /// Applies the delete rules, because SQLite enforces no foreign keys in the mirror. Rows that refer to a deleted row
  /// are deleted, lose the reference, or are recorded as denying the deletion.
  private func releaseReferences(to keys: [Int64], of entity: EntityLayout) throws {
    let names = entity.destinationNames
    for layout in engine.plan.layouts {
      for relationship in layout.relationships where names.contains(relationship.destination) {
        guard relationship.entity == layout.name, relationship.storage != .inverseColumn else { continue }
        // The pairs of a junction table need no fetch, because the lists of the rows at either end contain them.
        if relationship.storage == .column { try engine.load([layout], in: self) }
        try release(relationship, layout, keys)
      }
    }
    for relationship in entity.relationships where relationship.storage.isLinks {
      try base.dropPairs([(entity, relationship)], of: keys)
    }
  }

  private func release(_ relationship: RelationshipLayout, _ layout: EntityLayout, _ keys: [Int64]) throws {
    guard relationship.storage == .column else { return try base.dropReferences([(layout, relationship)], to: keys) }
    guard let base = base as? any HistoryStoreTransaction else { return }
    let referring = try base.keys(of: layout, referringAt: relationship.position, to: keys)
    guard !referring.isEmpty else { return }
    switch relationship.inverseDeleteRule {
    case .cascade: try delete(from: layout, keys: referring)
    case .noAction: return
    case .nullify where relationship.isOptional, nil where relationship.isOptional:
      try base.dropReferences([(layout, relationship)], to: keys)
      for (member, keys) in members(of: referring, layout) {
        for key in keys { changes.noteUpdate(of: key, member, [relationship.name]) }
      }
      noteAffected(layout) { $0.changed.formUnion(referring) }
    case .deny, .nullify, nil: changes.noteDenial(by: relationship, of: layout, keys)
    }
  }

  /// Throws if a row still refers to a deleted row, and its relationship is required or has the rule deny. Changes that
  /// followed the deletion may have removed the reference.
  private func checkDenials() throws {
    guard let base = base as? any HistoryStoreTransaction else { return }
    for (entity, relationship, keys) in changes.denials {
      let referring = try base.keys(of: entity, referringAt: relationship.position, to: keys)
      guard let first = referring.min() else { continue }
      let others = referring.count > 1 ? " and \(referring.count - 1) more" : ""
      throw SwiftDataError(
        .modelValidationFailure,
        "\(relationship.destination) models cannot be deleted: \(relationship.path) of \(identifier(of: first, entity))\(others) "
          + "refers to them; delete or change those first")
    }
  }

  /// This class records the affected rows: the mirror would also report rows that a fetch has moved in lists.
  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
    notesAffected = true
    defer { (affected, notesAffected) = ([:], false) }
    try body()
    return affected.values.map { rows in
      var rows = rows
      rows.changed.subtract(rows.deleted)
      return rows
    }
  }

  /// Always true: the context must check the references itself. The mirror (the in-memory cache of the store's rows)
  /// may lack rows that the store has.
  func hasBrokenReferences() throws -> Bool { true }

  func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws {
    try base.dropReferences(relationships, to: keys)
  }

  func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws {
    try base.dropPairs(relationships, of: keys)
  }

  // MARK: Relationships

  func changePairs(
    of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]
  ) throws { try base.changePairs(of: relationship, in: entity, adding: adding, removing: removing) }

  func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws {
    try base.orderPairs(of: relationship, in: entity, orders)
  }

  func setPositions(
    _ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout
  ) throws { try base.setPositions(positions, of: relationship, in: entity) }

  // MARK: Ends

  func savepoint() throws -> Int {
    let mark = try base.savepoint()
    marks[mark] = (changes.mark(), engine.state.withLock(\.mark))
    return mark
  }

  func release(_ savepoint: Int) throws {
    try base.release(savepoint)
    if marks.removeValue(forKey: savepoint) != nil { changes.forgetMark() }
  }

  func rollBack(to savepoint: Int) throws {
    try base.rollBack(to: savepoint)
    guard let mark = marks.removeValue(forKey: savepoint) else { return }
    changes.undo(to: mark.changes)
    engine.state.withLock { $0.undo(number, to: mark.state) }
  }

  func prepareCommit() throws {
    do {
      try checkDenials()
      try base.prepareCommit()
    } catch {
      rollBack()
      throw error
    }
  }

  func commit() throws {
    do {
      if !changes.isEmpty { try commitToStore() }
      try base.commit()
    } catch {
      rollBack()
      throw error
    }
    engine.state.withLock { $0.end(number) }
    if let editor { engine.deletions.withLock { $0[editor.id] = nil } }
    engine.open.end(self)
  }

  private func commitToStore() throws {
    try checkDenials()
    if try engine.runDeletion(changes, by: editor) { return StoreSave.forgetDeleted(by: self) }
    let save = try StoreSave(of: self)
    let result = try engine.access.run { try $0.save(save.request) }
    try save.check(result)
    try save.finish(result)
    ownToken = result.historyToken
  }

  func rollBack() {
    // The state is undone first, because another thread can begin a transaction after the mirror's rollback.
    engine.state.withLock { $0.undo(number) }
    base.rollBack()
    engine.open.end(self)
  }
}

extension CustomStoreTransaction: HistoryStoreTransaction {
  /// Records which rows a save has inserted and updated. Returns 0, because only the store may number its saves.
  func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64 {
    if let editor { self.editor = editor }
    for group in record.groups {
      guard let entity = engine.layout(group.entity) else { continue }
      for key in group.keys.joined() {
        switch group.kind {
        case .insert: changes.noteInsertion(of: key, entity)
        case .update: changes.noteUpdate(of: key, entity, group.properties)
        case .delete: break
        }
      }
    }
    return 0
  }

  func deleteHistory(_ numbers: [Int64]) throws {}
  func prepareTombstones() throws {}

  func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    for key in keys { names[key] = engine.table.identifier(of: key)?.entityName }
    return names
  }

  func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64] {
    try engine.load([entity], in: self)
    return try (base as? any HistoryStoreTransaction)?.keys(of: entity, referringAt: position, to: keys) ?? []
  }
}

extension RelationshipLayout.Storage {
  fileprivate var isLinks: Bool {
    if case .links = self { return true }
    return false
  }
}
