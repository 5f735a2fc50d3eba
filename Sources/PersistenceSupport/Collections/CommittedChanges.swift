/// What a commit changed, for live queries (decision 68).
///
/// It tells of new rows and of properties, by class. Nobody builds it while nothing watches a store.
package struct CommittedChanges: Sendable {
  /// The rows of one entity. Its keys are empty unless a watcher asked for them.
  package struct Rows: Sendable {
    package var inserted: Set<Int64> = []
    package var changed: Set<Int64> = []
    package var deleted: Set<Int64> = []
    /// The properties that changed in any row.
    package var mask: UInt64 = 0
    package var hasInsertions = false
    package var hasDeletions = false
    /// Whether any row may have been inserted, changed or deleted, besides those with keys.
    package var isUnspecified = false

    package init() {}

    /// - Parameter mask: The properties that changed.
    package init(insertions: Bool, deletions: Bool, mask: UInt64) {
      (hasInsertions, hasDeletions, self.mask) = (insertions, deletions, mask)
    }

    /// Keeps the keys of the rows, unless they are too many.
    package mutating func keep(inserted: [Int64], changed: [Int64], deleted: [Int64]) {
      isUnspecified = inserted.count + changed.count + deleted.count > Self.limit
      guard !isUnspecified else { return }
      (self.inserted, self.changed, self.deleted) = (Set(inserted), Set(changed), Set(deleted))
    }

    /// The number of keys above which a consumer is told that any row may have changed: bounds the memory of a slow one.
    package static let limit = 10_000

    /// Any row.
    package static let unspecified: Rows = {
      var rows = Rows()
      rows.isUnspecified = true
      return rows
    }()

    package var isEmpty: Bool { mask == 0 && !hasInsertions && !hasDeletions && !isUnspecified }

    /// Adds what happened later. A key stays in the set that says what became of the row since the first change.
    package mutating func merge(_ later: Rows) {
      mask |= later.mask
      hasInsertions = hasInsertions || later.hasInsertions
      hasDeletions = hasDeletions || later.hasDeletions
      isUnspecified = isUnspecified || later.isUnspecified
      for key in later.inserted {
        // A deleted row that came back with its key.
        if deleted.remove(key) != nil { changed.insert(key) } else { inserted.insert(key) }
      }
      for key in later.changed where !inserted.contains(key) { changed.insert(key) }
      for key in later.deleted {
        changed.remove(key)
        if inserted.remove(key) == nil { deleted.insert(key) }
      }
      guard inserted.count + changed.count + deleted.count > Self.limit else { return }
      (inserted, changed, deleted, isUnspecified) = ([], [], [], true)
    }
  }

  package private(set) var rows: [ObjectIdentifier: Rows] = [:]
  /// Whether any row of any entity may have changed.
  package private(set) var meansAll = false

  package init() {}

  /// Unspecified changes.
  package static let unknown: CommittedChanges = {
    var changes = CommittedChanges()
    changes.meansAll = true
    return changes
  }()

  package var isEmpty: Bool { rows.isEmpty && !meansAll }

  /// Changes of which only the classes are known.
  package init(unspecified types: some Sequence<ObjectIdentifier>, meansAll: Bool) {
    self.meansAll = meansAll
    for type in types { rows[type] = .unspecified }
  }

  package mutating func add(_ new: Rows, of type: ObjectIdentifier) {
    guard !new.isEmpty else { return }
    rows[type, default: Rows()].merge(new)
  }

  /// Adds unspecified changes of classes.
  package mutating func addUnspecified(_ types: [ObjectIdentifier]) {
    for type in types { add(.unspecified, of: type) }
  }

  /// Adds rows that a store changed or deleted by its foreign keys. Those of a hierarchy do not say their class.
  package mutating func add(
    changed: Set<Int64>, deleted: Set<Int64>, of types: [ObjectIdentifier], keepsKeys: Bool
  ) {
    guard types.count == 1 else { return addUnspecified(types) }
    var rows = Rows(insertions: false, deletions: !deleted.isEmpty, mask: changed.isEmpty ? 0 : .max)
    if keepsKeys { rows.keep(inserted: [], changed: Array(changed), deleted: Array(deleted)) }
    add(rows, of: types[0])
  }

  package mutating func merge(_ later: CommittedChanges) {
    meansAll = meansAll || later.meansAll
    for (type, new) in later.rows { rows[type, default: Rows()].merge(new) }
  }
}
