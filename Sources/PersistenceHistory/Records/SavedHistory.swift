import PersistenceRuntime
import PersistenceSupport

/// Collects the changes of a save in one store while the save writes its rows, for the history of the store.
///
/// This object exists only if the store records a history. The save writes the changes as a record in its own
/// transaction, so other readers see the record when the save commits.
package final class SavedHistory {
  /// Rows that a save deletes.
  package struct Deletion {
    /// The entity of the rows; nil if it is only known that the rows belong to the hierarchy of ``root``.
    let entity: EntityLayout?
    let root: EntityLayout
    package let keys: [Int64]

    package init(of entity: EntityLayout?, in root: EntityLayout, keys: [Int64]) {
      self.entity = entity
      self.root = root
      self.keys = keys
    }
  }

  package let store: StoreCoordinator
  @exclusivity(unchecked) private var inserted: [(entity: EntityLayout, keys: [Int64])] = []
  @exclusivity(unchecked) private var updated: [(entity: EntityLayout, properties: PropertySet, keys: [Int64])] = []
  @exclusivity(unchecked) private var deleted: [(entity: String, keys: [Int64])] = []
  /// Whether a row may have several changes here: several updates, or an update and an insertion or deletion.
  package var mayRepeat = false
  /// Whether the rows still contain the values that the objects had before they were changed. If so, a property that
  /// was set and now has its original value again is not recorded as changed.
  package var trustsOriginals = false
  @exclusivity(unchecked) private var deletions: [Deletion] = []
  /// The entity names of deleted rows in hierarchies, by root entity and key. The store reports only their keys.
  private var classes: [String: [Int64: String]] = [:]
  /// By root entity, the relationships that may refer to deleted rows, each with the keys of the rows in which it does.
  /// Only filled in for a root entity with several such relationships.
  private var referrers: [String: [(relationship: RelationshipLayout, keys: Set<Int64>)]] = [:]
  /// The number of the record; nil before the record is written, 0 if the engine does not number its records.
  @exclusivity(unchecked) package private(set) var number: Int64?
  /// The transaction, if ``number`` is 0. After the commit, the transaction returns the position of the save.
  private var ownWriter: (any HistoryStoreTransaction)?

  /// The position of the save in the history; nil if the save has no record.
  package var token: (any HistoryToken)? {
    if let ownWriter { return ownWriter.ownToken }
    return number.map { DefaultHistoryToken($0, of: store.engine.identifier) }
  }

  package init(of store: StoreCoordinator) { self.store = store }

  // MARK: Insertions and updates

  /// Records new rows, after they are written.
  package func noteInsertions(_ keys: [Int64], of entity: EntityLayout) {
    if !keys.isEmpty { inserted.append((entity, keys)) }
  }

  /// Records existing rows that an upsert has overwritten with new objects. All properties of these rows have changed.
  package func noteReplaced(_ keys: [Int64], of entity: EntityLayout) {
    guard !keys.isEmpty else { return }
    mayRepeat = true
    updated.append((entity, PropertySet(entity.recordedMask), keys))
  }

  /// Records changed rows, after they are written.
  ///
  /// - Parameter mask: The properties that were set.
  package func noteUpdates(_ keys: [Int64], mask: UInt64, of entity: EntityLayout) {
    let properties = PropertySet(mask & entity.recordedMask)
    if !properties.isEmpty, !keys.isEmpty { updated.append((entity, properties, keys)) }
  }

  /// Records one changed row.
  ///
  /// - Parameters:
  ///   - mask: The properties that were set.
  ///   - shared: The positions, from 63 on, of the properties that were set. These properties share one bit of the
  ///     mask. Nil if all of them were set.
  ///   - unchanged: The positions of properties that were set but have their former value again.
  package func noteUpdate(
    _ key: Int64, mask: UInt64, shared: Set<Int>?, without unchanged: Set<Int>, of entity: EntityLayout
  ) {
    var properties = PropertySet(mask & entity.recordedMask)
    if let shared { properties.keepShared(shared) }
    properties.subtract(unchanged)
    if !properties.isEmpty { append(entity, properties, key) }
  }

  private func append(_ entity: EntityLayout, _ properties: PropertySet, _ key: Int64) {
    if let last = updated.last, last.entity === entity, last.properties == properties {
      updated[updated.count - 1].keys.append(key)
    } else {
      updated.append((entity, properties, [key]))
    }
  }

  // MARK: Deletions

  /// Before rows are deleted, reads the names of their entities and the keys of the rows that refer to them.
  /// Afterwards, neither can be read.
  package func willDelete(_ deletions: [Deletion], in transaction: any StoreTransaction) throws {
    let transaction = try writer(transaction)
    try transaction.prepareTombstones()
    self.deletions = deletions
    var keys: [String: [Int64]] = [:]
    for deletion in deletions {
      keys[deletion.root.name, default: []] += deletion.keys
      guard deletion.entity == nil, deletion.root.isPolymorphic else { continue }
      let names = try transaction.entityNames(of: deletion.keys, in: deletion.root)
      classes[deletion.root.name, default: [:]].merge(names) { $1 }
    }
    for (root, references) in references(to: Set(keys.keys)) where references.count > 1 {
      referrers[root] = try references.map { entity, relationship in
        let targets = keys[store.rootName(of: relationship.destination)] ?? []
        return (relationship, Set(try transaction.keys(of: entity, referringAt: relationship.position, to: targets)))
      }
    }
  }

  /// Records the rows that the store has deleted, including those that foreign keys deleted, and the rows in which the
  /// store has set a reference to a deleted row to NULL.
  package func noteDeletions(_ rows: [AffectedRows], in transaction: any StoreTransaction) throws {
    for rows in rows where !rows.deleted.isEmpty { noteDeleted(rows.deleted, of: rows.entity) }
    let references = references(to: Set(rows.filter { !$0.deleted.isEmpty }.map(\.entity.name)))
    for rows in rows where !rows.changed.isEmpty {
      try noteCleared(rows.changed, of: rows.entity, by: references[rows.entity.name] ?? [], in: writer(transaction))
    }
  }

  private func noteDeleted(_ keys: Set<Int64>, of root: EntityLayout) {
    guard root.isPolymorphic else { return deleted.append((root.name, Array(keys))) }
    var names = classes[root.name] ?? [:]
    for deletion in deletions where deletion.root === root {
      if let entity = deletion.entity { for key in deletion.keys { names[key] = entity.name } }
    }
    // The name is missing if a foreign key deleted a row that the context had not read. Then the root's name is used.
    for (name, keys) in Dictionary(grouping: keys, by: { names[$0] ?? root.name }).sorted(by: { $0.key < $1.key }) {
      deleted.append((name, keys))
    }
  }

  private func noteCleared(
    _ keys: Set<Int64>, of root: EntityLayout, by references: [(EntityLayout, RelationshipLayout)],
    in transaction: any HistoryStoreTransaction
  ) throws {
    mayRepeat = true
    let names = root.isPolymorphic ? try transaction.entityNames(of: Array(keys), in: root) : [:]
    for key in keys.sorted() {
      let entity = names[key].flatMap { store.layout(named: $0) } ?? root
      let known = (referrers[root.name] ?? []).filter { $0.keys.contains(key) }.map(\.relationship)
      var properties = PropertySet(0)
      for relationship in known.isEmpty ? references.map(\.1) : known
      where entity.relationship(at: relationship.position) != nil {
        properties.insert(relationship.position)
      }
      if !properties.isEmpty { append(entity, properties, key) }
    }
  }

  /// The relationships whose columns the database sets to NULL when rows of the given root entities are deleted,
  /// grouped by the root of the entity that declares them.
  private func references(to roots: Set<String>) -> [String: [(EntityLayout, RelationshipLayout)]] {
    var result: [String: [(EntityLayout, RelationshipLayout)]] = [:]
    for layout in store.layouts {
      for relationship in layout.relationships
      where relationship.isClearedByStore && relationship.entity == layout.name
        && roots.contains(store.rootName(of: relationship.destination))
      {
        result[layout.inheritance?.rootName ?? layout.name, default: []].append((layout, relationship))
      }
    }
    return result
  }

  // MARK: The record

  /// Adds the record to the history of the store, if any row has changed.
  package func write(to transaction: any StoreTransaction, by editor: EditingState?) throws {
    if mayRepeat { mergeRepeated() }
    let groups = groups()
    guard !groups.isEmpty else { return }
    let writer = try writer(transaction)
    number = try writer.append(HistoryRecord(author: editor?.author, groups: groups), by: editor)
    if number == 0 { ownWriter = writer }
  }

  private func writer(_ transaction: any StoreTransaction) throws -> any HistoryStoreTransaction {
    guard let writer = transaction as? any HistoryStoreTransaction else {
      throw SwiftDataError(
        .storeFailure, "The store at \(store.engine.location) keeps a history, and its transactions take no records.")
    }
    return writer
  }

  private func groups() -> [HistoryRecord.Group] {
    var groups: [HistoryRecord.Group] = []
    for (entity, keys) in deleted { groups.append(.init(.delete, entity, keys: keys)) }
    for (entity, keys) in inserted { groups.append(.init(.insert, entity.name, keys: keys)) }
    for (entity, properties, keys) in updated {
      groups.append(.init(.update, entity.name, properties: properties.names(in: entity), keys: keys))
    }
    return groups
  }

  /// Merges several updates of a row into one, and removes the updates of rows that the save also inserts or deletes.
  private func mergeRepeated() {
    var changed: [String: Set<Int64>] = [:]
    for (entity, keys) in inserted { changed[entity.rootName, default: []].formUnion(keys) }
    for (entity, keys) in deleted { changed[store.rootName(of: entity), default: []].formUnion(keys) }
    var order: [(entity: EntityLayout, key: Int64)] = []
    var sets: [String: [Int64: PropertySet]] = [:]
    for (entity, properties, keys) in updated {
      for key in keys where changed[entity.rootName]?.contains(key) != true {
        if sets[entity.rootName]?[key] == nil { order.append((entity, key)) }
        sets[entity.rootName, default: [:]][key, default: PropertySet(0)].formUnion(properties)
      }
    }
    updated = []
    for (entity, key) in order {
      if let properties = sets[entity.rootName]?[key] { append(entity, properties, key) }
    }
  }
}

/// A set of properties of an entity. Unlike a mask, in which the properties from position 63 on share a bit, it
/// distinguishes all of them.
private struct PropertySet: Hashable {
  private var mask: UInt64
  /// The positions, from 63 on, of the contained properties that share a bit of ``mask``; nil if all are contained.
  private var shared: Set<Int>?

  init(_ mask: UInt64) {
    self.mask = mask
    if mask & Self.sharedBit == 0 { shared = [] }
  }

  private static let sharedBit = PropertyMask.bit(PropertyMask.sharedPosition)

  var isEmpty: Bool { mask & ~Self.sharedBit == 0 && shared?.isEmpty == true }

  mutating func keepShared(_ positions: Set<Int>) {
    if mask & Self.sharedBit != 0 { shared = positions }
  }

  mutating func insert(_ position: Int) {
    mask |= PropertyMask.bit(position)
    if position >= PropertyMask.sharedPosition { shared?.insert(position) }
  }

  mutating func subtract(_ positions: Set<Int>) {
    for position in positions {
      if position < PropertyMask.sharedPosition {
        mask &= ~PropertyMask.bit(position)
      } else {
        shared?.remove(position)
      }
    }
  }

  mutating func formUnion(_ other: PropertySet) {
    mask |= other.mask
    shared = shared.flatMap { own in other.shared.map { own.union($0) } }
  }

  func names(in entity: EntityLayout) -> [String] {
    var names: [String] = []
    // The loop visits only set bits: a loop over all properties would spend most of its time copying their layouts.
    var rest = mask & ~Self.sharedBit
    while rest != 0 {
      let position = rest.trailingZeroBitCount
      if position < entity.properties.count { names.append(entity.properties[position].name) }
      rest &= rest - 1
    }
    guard shared?.isEmpty != true else { return names }
    for property in entity.properties.dropFirst(PropertyMask.sharedPosition)
    where entity.isRecorded(property) && shared?.contains(property.position) != false {
      names.append(property.name)
    }
    return names
  }
}

extension EntityLayout {
  /// The properties whose changes a history records: those with columns, and relationships without columns.
  package var recordedMask: UInt64 {
    storedMask | columnlessMask
      | (properties.count > PropertyMask.sharedPosition ? PropertyMask.bit(PropertyMask.sharedPosition) : 0)
  }

  fileprivate func isRecorded(_ property: PropertyLayout) -> Bool {
    property.isRelationship || !property.columns.isEmpty
  }

  fileprivate var rootName: String { inheritance?.rootName ?? name }
}

extension RelationshipLayout {
  /// Whether the database sets the column to NULL when the row that it refers to is deleted.
  fileprivate var isClearedByStore: Bool {
    storage == .column && isOptional && (inverseDeleteRule == nil || inverseDeleteRule == .nullify)
  }
}

extension StoreCoordinator {
  fileprivate func rootName(of entity: String) -> String { layout(named: entity)?.rootName ?? entity }
}
