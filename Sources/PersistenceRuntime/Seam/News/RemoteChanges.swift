import PersistenceSupport

/// Rows that other contexts or processes changed or deleted, by model type.
package struct RemoteChanges: Sendable {
  /// The rows of one entity.
  package struct Rows: Sendable {
    package var changed: Set<Int64> = []
    package var deleted: Set<Int64> = []
    /// Whether any row may have changed.
    package var meansAll = false

    package init(changed: Set<Int64> = [], deleted: Set<Int64> = [], meansAll: Bool = false) {
      self.changed = changed
      self.deleted = deleted
      self.meansAll = meansAll
    }

    var isEmpty: Bool { changed.isEmpty && deleted.isEmpty && !meansAll }

    /// The number of keys above which all rows count as changed: bounds the memory of an idle context, and of large
    /// saves.
    package static let limit = 10_000

    mutating func merge(_ other: Rows) {
      let count = changed.count + deleted.count + other.changed.count + other.deleted.count
      meansAll = meansAll || other.meansAll || count > Self.limit
      if meansAll {
        changed = []
        deleted = []
      } else {
        changed.formUnion(other.changed)
        deleted.formUnion(other.deleted)
      }
    }
  }

  package var rows: [ObjectIdentifier: Rows] = [:]
  /// Whether any row of any entity may have changed.
  package var meansAll = false
  /// The commits of each store that are known after processing.
  package var reaches: [ObjectIdentifier: StoreReach] = [:]

  package init(meansAll: Bool = false) { self.meansAll = meansAll }

  package init(_ rows: Rows, of type: any PersistentModel.Type) { add(rows, of: type) }

  var isEmpty: Bool { rows.isEmpty && !meansAll && reaches.isEmpty }

  /// Unspecified changes.
  package static let unknown = RemoteChanges(meansAll: true)

  package mutating func merge(_ other: RemoteChanges) {
    meansAll = meansAll || other.meansAll
    for (store, reach) in other.reaches { reaches[store, default: StoreReach()].formUnion(reach) }
    guard !meansAll else {
      rows = [:]
      return
    }
    // In place: a copy would take time proportional to all collected keys with every save.
    for (type, theirs) in other.rows { rows[type, default: Rows()].merge(theirs) }
  }

  package mutating func add(_ new: Rows, of type: any PersistentModel.Type) {
    guard !new.isEmpty else { return }
    rows[ObjectIdentifier(type), default: Rows()].merge(new)
  }

  /// Marks these changes as the complete changes of a commit.
  package mutating func note(commit number: Int64, to store: StoreCoordinator) {
    reaches[ObjectIdentifier(store), default: StoreReach()].commits.insert(number)
  }
}
