import Foundation
import PersistenceContext
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// Converts the history records of one store to changes of models.
struct HistoryDecoder {
  /// The key of a deleted row, and the number of the history record that contains the deletion.
  private struct RowKey: Hashable {
    let number: Int64
    let key: Int64
  }

  private typealias KeptValues = [(keyPath: AnyKeyPath, value: Any)]

  private let store: StoreCoordinator
  private let context: ModelContext
  private let groups: [Int64: [HistoryRecord.Group]]
  /// The preserved values of deleted rows, by the name of the entity.
  private var tombstones: [String: [RowKey: KeptValues]] = [:]

  /// - Throws: `SwiftDataError` of the store, or for an invalid record.
  init(_ entries: [HistoryEntry], of store: StoreCoordinator, in context: ModelContext) throws {
    self.store = store
    self.context = context
    var groups: [Int64: [HistoryRecord.Group]] = [:]
    for entry in entries { groups[entry.number] = try Self.groups(of: entry, in: store) }
    self.groups = groups
    try readTombstones()
  }

  private static func groups(of entry: HistoryEntry, in store: StoreCoordinator) throws -> [HistoryRecord.Group] {
    if let groups = HistoryRecord.Group.groups(in: entry.changes) { return groups }
    throw SwiftDataError(
      .corruptValue,
      "Record \(entry.number) of the history of the store at \(store.engine.location) cannot be read: another program has "
        + "changed it. Delete the history up to it with deleteHistory.")
  }

  // MARK: Tombstones

  private mutating func readTombstones() throws {
    var numbers: [String: ClosedRange<Int64>] = [:]
    for (number, groups) in groups {
      for group in groups where group.kind == .delete {
        let known = numbers[group.entity] ?? number...number
        numbers[group.entity] = min(known.lowerBound, number)...max(known.upperBound, number)
      }
    }
    for (name, range) in numbers {
      guard let entity = store.layout(knownAs: name), entity.preservedMask != 0 else { continue }
      tombstones[name] = try read(entity, range, as: entity.modelType)
    }
  }

  private func read<T: PersistentModel>(
    _ entity: EntityLayout, _ numbers: ClosedRange<Int64>, as type: T.Type
  ) throws -> [RowKey: KeptValues] {
    let map = try context.requireIdentityMap(for: type)
    let preserved = entity.preservedProperties
    var result: [RowKey: KeptValues] = [:]
    guard let engine = store.engine as? any HistoryEngine else { return [:] }
    try engine.tombstones(of: entity, numbers: numbers, in: context.openTransaction(of: store)) { rows, column in
      try store.decodeUnregistered(rows, mask: entity.preservedMask, in: map, as: type) { reader, object, unread in
        let number = reader.functions.pointee.integer(reader.row, column)
        var values: KeptValues = []
        for property in preserved where !unread.contains(where: { $0.position == property.position }) {
          guard let value = object[keyPath: property.keyPath].flatMap(DefaultValue.unwrapped) else { continue }
          values.append((property.keyPath, value))
        }
        result[RowKey(number: number, key: reader.key)] = values
      }
    }
    return result
  }

  // MARK: Changes

  /// The changes of a record. Changes of entities that the schema lacks are left out.
  func changes(of number: Int64) -> [HistoryChange] {
    var changes: [HistoryChange] = []
    var index: Int64 = 0
    for group in groups[number] ?? [] {
      guard let entity = store.layout(knownAs: group.entity) else {
        index += group.keys.reduce(0) { $0 + Int64($1.count) }
        continue
      }
      append(group, of: entity, number, from: &index, to: &changes, as: entity.modelType)
    }
    return changes
  }

  private func append<T: PersistentModel>(
    _ group: HistoryRecord.Group, of entity: EntityLayout, _ number: Int64, from index: inout Int64,
    to changes: inout [HistoryChange], as type: T.Type
  ) {
    let storeEntity = store.storeEntity(of: entity)
    let attributes: [any PartialKeyPath<T> & Sendable] =
      group.kind == .update ? entity.properties(named: group.properties).compactMap(Self.keyPath) : []
    for key in group.keys.joined() {
      index += 1
      // Every change of a transaction gets a lower number than the changes of the next transaction.
      let change = number &* HistoryRecord.mostChanges &+ index
      let identifier = PersistentIdentifier(row: key, of: storeEntity)
      switch group.kind {
      case .insert:
        changes.append(
          .insert(
            DefaultHistoryInsert<T>(
              changeIdentifier: change, transactionIdentifier: number, changedPersistentIdentifier: identifier)))
      case .update:
        changes.append(
          .update(
            DefaultHistoryUpdate<T>(
              changeIdentifier: change, transactionIdentifier: number, changedPersistentIdentifier: identifier,
              updatedAttributes: attributes)))
      case .delete:
        let values = tombstones[group.entity]?[RowKey(number: number, key: key)] ?? []
        changes.append(
          .delete(
            DefaultHistoryDelete<T>(
              changeIdentifier: change, transactionIdentifier: number, changedPersistentIdentifier: identifier,
              tombstone: HistoryTombstone(values))))
      }
    }
  }

  private static func keyPath<T>(_ property: PropertyLayout) -> (any PartialKeyPath<T> & Sendable)? {
    (property.keyPath as? PartialKeyPath<T>).map(SendableValue.sendable)
  }
}

extension EntityLayout {
  /// The properties that have one of the given names, now or before a rename, in the order of their declarations.
  fileprivate func properties(named names: [String]) -> [PropertyLayout] {
    let wanted = Set(names)
    let current = Set(properties.map(\.name))
    return properties.filter { property in
      if wanted.contains(property.name) { return true }
      guard let former = property.attribute?.originalName, !former.isEmpty else { return false }
      return wanted.contains(former) && !current.contains(former)
    }
  }
}
