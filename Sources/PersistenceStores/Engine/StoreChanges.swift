import PersistenceRuntime

/// All changes of a transaction.
struct StoreChanges {
  private(set) var inserted: [Int64: EntityLayout] = [:]
  private(set) var updated: [Int64: Update] = [:]
  private(set) var deleted: [Int64: Deletion] = [:]
  /// Relationships that forbid deletions if rows still refer to the deleted rows at the commit.
  private(set) var denials: [(entity: EntityLayout, relationship: RelationshipLayout, keys: [Int64])] = []
  /// The previous state of each changed entry, kept while a savepoint is open. A copy of all changes for each savepoint
  /// would make a transaction with many saves quadratic.
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

  /// Whether all changes are the deletion of some rows.
  func isOnlyDeletion(of keys: Set<Int64>) -> Bool {
    inserted.isEmpty && updated.isEmpty && deleted.count == keys.count && deleted.keys.allSatisfy(keys.contains)
  }

  // MARK: Changes

  mutating func noteInsertion(of key: Int64, _ entity: EntityLayout) {
    noteFormer(key)
    // The insertion reverts a deletion: the store still has the row, so the change is an update.
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

  /// A position to which changes can be undone.
  struct Mark {
    fileprivate let rows: Int
    fileprivate let denials: Int
  }

  mutating func mark() -> Mark {
    markCount += 1
    return Mark(rows: former.count, denials: denials.count)
  }

  /// Keeps the changes after a mark, and removes the mark.
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
