import PersistenceRuntime

/// All changes of a transaction, as rows that it has inserted, updated and deleted.
struct StoreChanges {
  private(set) var inserted: [Int64: EntityLayout] = [:]
  private(set) var updated: [Int64: Update] = [:]
  private(set) var deleted: [Int64: Deletion] = [:]
  /// Relationships that forbid deleting rows with these keys. The commit fails if a row still refers to one of them.
  private(set) var denials: [(entity: EntityLayout, relationship: RelationshipLayout, keys: [Int64])] = []
  /// The previous states of changed entries, recorded while a savepoint is open. Copying all changes at each savepoint
  /// instead would take quadratic time in a transaction with many saves.
  private var former: [Former] = []
  private var markCount = 0

  typealias Update = (entity: EntityLayout, properties: Set<String>)
  typealias Deletion = (entity: EntityLayout, values: SnapshotValues)

  private struct Former {
    let key: Int64
    let inserted: EntityLayout?
    let updated: Update?
    let deleted: Deletion?
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Whether the deletion of these rows is the only change.
  func isOnlyDeletion(of keys: Set<Int64>) -> Bool {
    inserted.isEmpty && updated.isEmpty && deleted.count == keys.count && deleted.keys.allSatisfy(keys.contains)
  }

  // MARK: Changes

  mutating func noteInsertion(of key: Int64, _ entity: EntityLayout) {
    noteFormer(key)
    // The row was deleted and is inserted again. The store still has it, so the store gets an update.
    if deleted.removeValue(forKey: key) != nil {
      updated[key] = (entity, Set(entity.properties.map(\.name)))
    } else {
      inserted[key] = entity
    }
  }

  mutating func noteUpdate(of key: Int64, _ entity: EntityLayout, _ properties: [String]) {
    guard inserted[key] == nil, deleted[key] == nil else { return }
    noteFormer(key)
    updated[key, default: (entity, [])].properties.formUnion(properties)
  }

  mutating func noteDeletion(of key: Int64, _ entity: EntityLayout, _ values: SnapshotValues) {
    noteFormer(key)
    updated[key] = nil
    if inserted.removeValue(forKey: key) == nil { deleted[key] = (entity, values) }
  }

  mutating func noteDenial(by relationship: RelationshipLayout, of entity: EntityLayout, _ keys: [Int64]) {
    denials.append((entity, relationship, keys))
  }

  // MARK: Marks

  /// A point in the sequence of changes, to which ``undo(to:)`` can return.
  struct Mark {
    fileprivate let rows: Int
    fileprivate let denials: Int
  }

  mutating func mark() -> Mark {
    markCount += 1
    return Mark(rows: former.count, denials: denials.count)
  }

  /// Removes a mark. The changes after the mark stay.
  mutating func forgetMark() {
    markCount -= 1
    if markCount == 0 { former = [] }
  }

  /// Undoes the changes after a mark, and removes the mark.
  mutating func undo(to mark: Mark) {
    while former.count > mark.rows, let last = former.popLast() {
      (inserted[last.key], updated[last.key], deleted[last.key]) = (last.inserted, last.updated, last.deleted)
    }
    denials.removeLast(max(0, denials.count - mark.denials))
    forgetMark()
  }

  private mutating func noteFormer(_ key: Int64) {
    guard markCount > 0 else { return }
    former.append(Former(key: key, inserted: inserted[key], updated: updated[key], deleted: deleted[key]))
  }
}
