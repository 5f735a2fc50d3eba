/// What a query reads, by class: a change of anything else leaves its result as it is (decision 68).
package struct Footprint: Sendable, Equatable {
  /// What a query reads of one class.
  package struct Entry: Sendable, Equatable {
    /// The mask of the properties whose values it reads.
    package var mask: UInt64
    /// Whether new rows may change the result.
    package var insertions: Bool
    /// Whether deleted rows may change the result.
    package var deletions: Bool

    package init(mask: UInt64 = 0, insertions: Bool = false, deletions: Bool = false) {
      (self.mask, self.insertions, self.deletions) = (mask, insertions, deletions)
    }

    fileprivate mutating func formUnion(_ other: Entry) {
      mask |= other.mask
      insertions = insertions || other.insertions
      deletions = deletions || other.deletions
    }

    fileprivate func overlaps(_ rows: CommittedChanges.Rows) -> Bool {
      rows.isUnspecified || rows.mask & mask != 0 || (insertions && rows.hasInsertions)
        || (deletions && rows.hasDeletions)
    }
  }

  private var entries: [ObjectIdentifier: Entry] = [:]
  /// Whether the query may read anything, because memory evaluates a part of it.
  package var isUnbounded = false

  package init() {}

  /// The footprint of a query that may read anything.
  package static let everything: Footprint = {
    var footprint = Footprint()
    footprint.isUnbounded = true
    return footprint
  }()

  /// Adds what is read of a class.
  package mutating func add(_ entry: Entry, of type: ObjectIdentifier) {
    entries[type, default: Entry()].formUnion(entry)
  }

  /// Whether new or deleted rows of a class may change the result.
  package func includesRows(of type: ObjectIdentifier) -> Bool {
    isUnbounded || entries[type].map { $0.insertions || $0.deletions } ?? false
  }

  /// Whether changes of properties may change the result.
  package func includes(_ mask: UInt64, of type: ObjectIdentifier) -> Bool {
    isUnbounded || entries[type].map { $0.mask & mask != 0 } ?? false
  }

  /// Whether a commit may change the result.
  package func overlaps(_ changes: CommittedChanges) -> Bool {
    if changes.meansAll { return true }
    if isUnbounded { return !changes.isEmpty }
    return changes.rows.contains { type, rows in entries[type].map { $0.overlaps(rows) } ?? false }
  }
}
