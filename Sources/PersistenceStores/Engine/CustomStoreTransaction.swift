import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// A transaction of the mirror that becomes one save of the store when it commits.
final class CustomStoreTransaction<Store: DataStore>: StoreTransaction {
  let engine: CustomStoreEngine<Store>
  let base: any StoreTransaction
  /// What the saves in the transaction have changed.
  private(set) var changes = StoreChanges()
  /// The context that saves.
  private(set) var editor: EditingState?
  /// The place of the save in the history of the store, once it is there.
  private(set) var ownToken: (any HistoryToken)?
  private var marks: [Int: StoreChanges] = [:]
  /// The identifiers of rows that the store does not have yet.
  private var temporary: [Int64: PersistentIdentifier] = [:]

  init(of engine: CustomStoreEngine<Store>, _ base: any StoreTransaction) {
    self.engine = engine
    self.base = base
  }

  /// The identifier of a row; a temporary one before the store has given it another.
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
    // Unique values of rows that were never fetched count too.
    if entity.hasUniqueness { try engine.load([entity], in: self) }
    return try base.insert(into: entity, body)
  }

  func upsert(
    into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
  ) throws -> [UpsertedRow] { try base.upsert(into: entity, count: count, body) }

  @discardableResult
  func update(
    _ entity: EntityLayout, mask: UInt64, _ body: (EngineStatement) throws -> Void
  ) throws -> [RefusedRow] { try base.update(entity, mask: mask, body) }

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

  /// Keeps what rows have, before they are deleted.
  private func noteDeletion(of keys: [Int64], _ entity: EntityLayout) throws {
    for member in entity.family {
      let own = keys.filter { identifier(of: $0, entity).entityName == member.name }
      for (key, values) in try snapshotValues(of: own, member, changed: [:]) {
        changes.noteDeletion(of: key, member, values)
      }
    }
  }

  /// Does what a database does by its rules: rows that refer to deleted ones are deleted too, or refer to none.
  private func releaseReferences(to keys: [Int64], of entity: EntityLayout) throws {
    let names = Set([entity.name] + entity.family.map(\.name) + (entity.inheritance?.superentityNames ?? []))
    for layout in engine.plan.layouts {
      for relationship in layout.relationships where names.contains(relationship.destination) {
        guard relationship.entity == layout.name, relationship.storage != .inverseColumn else { continue }
        try engine.load([layout], in: self)
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
      for key in referring { changes.noteUpdate(of: key, layout, [relationship.name]) }
    case .deny, .nullify, nil: changes.noteDenial(by: relationship, of: layout, keys)
    }
  }

  /// Refuses deletions of rows that others still must refer to. They may have been deleted or changed after those.
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

  func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
    try base.deletingWithReferences(body)
  }

  /// They may be: the mirror does not check them, since it may lack what a row refers to. The context asks for the rows.
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
    marks[mark] = changes
    return mark
  }

  func release(_ savepoint: Int) throws {
    try base.release(savepoint)
    marks[savepoint] = nil
  }

  func rollBack(to savepoint: Int) throws {
    try base.rollBack(to: savepoint)
    if let changes = marks.removeValue(forKey: savepoint) { self.changes = changes }
  }

  func prepareCommit() throws {
    do {
      try checkDenials()
      try base.prepareCommit()
    } catch {
      engine.open.end(self)
      throw error
    }
  }

  func commit() throws {
    defer { engine.open.end(self) }
    guard !changes.isEmpty else { return try base.commit() }
    do {
      try checkDenials()
      let save = try StoreSave(of: self)
      let result = try engine.access.run { try $0.save(save.request) }
      try save.check(result)
      try save.finish(result)
      ownToken = result.historyToken
    } catch {
      base.rollBack()
      throw error
    }
    try base.commit()
  }

  func rollBack() {
    base.rollBack()
    engine.open.end(self)
  }
}

extension CustomStoreTransaction: HistoryStoreTransaction {
  /// Notes what a save has changed. The store numbers its saves itself, or not at all.
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

/// What a transaction has changed in all.
struct StoreChanges {
  private(set) var inserted: [Int64: EntityLayout] = [:]
  private(set) var updated: [Int64: (entity: EntityLayout, properties: Set<String>)] = [:]
  private(set) var deleted: [Int64: (entity: EntityLayout, values: SnapshotValues)] = [:]
  /// Relationships that keep deleted rows from going, if anything still refers to these at the end.
  private(set) var denials: [(entity: EntityLayout, relationship: RelationshipLayout, keys: [Int64])] = []

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  mutating func noteInsertion(of key: Int64, _ entity: EntityLayout) {
    // An undone deletion, of a row that the store still has.
    if deleted.removeValue(forKey: key) != nil {
      updated[key] = (entity, Set(entity.properties.map(\.name)))
    } else {
      inserted[key] = entity
    }
  }

  mutating func noteDenial(by relationship: RelationshipLayout, of entity: EntityLayout, _ keys: [Int64]) {
    denials.append((entity, relationship, keys))
  }

  mutating func noteUpdate(of key: Int64, _ entity: EntityLayout, _ properties: [String]) {
    guard inserted[key] == nil, deleted[key] == nil else { return }
    updated[key, default: (entity, [])].properties.formUnion(properties)
  }

  mutating func noteDeletion(of key: Int64, _ entity: EntityLayout, _ values: SnapshotValues) {
    updated[key] = nil
    if inserted.removeValue(forKey: key) == nil { deleted[key] = (entity, values) }
  }
}

extension RelationshipLayout.Storage {
  fileprivate var isLinks: Bool {
    if case .links = self { return true }
    return false
  }
}
