import Synchronization

/// Receives the commits of a store on behalf of a live query. Thread-safe.
package protocol ChangeWatcher: AnyObject, Sendable {
  /// The classes, properties and rows whose changes can affect the result of the query.
  var footprint: Footprint { get }
  /// Whether the watcher needs the primary keys of the changed rows.
  var wantsKeys: Bool { get }
  /// Called for each commit that changes something in the footprint, on the committing thread. Must not block.
  func receive(_ changes: CommittedChanges)
  /// Called when the store is closed. The watcher receives no call afterwards.
  func close()
}

/// The watchers of the commits of a store. Thread-safe.
package final class ChangeWatchers: Sendable {
  private struct State {
    var watchers: [ObjectIdentifier: any ChangeWatcher] = [:]
    var isClosed = false
  }

  private let state = Lock(State())
  private let count = Atomic<Int>(0)

  package init() {}

  /// True if there are no watchers. A watcher that is added after this call sees earlier commits when it reads rows.
  package var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

  /// True if a commit would be reported to a watcher. False if there are no watchers, or if the store was closed.
  package var areListening: Bool { !isEmpty && state.withLock { !$0.isClosed } }

  /// Whether a watcher needs the primary keys of the changed rows of a class.
  package func wantsKeys(of type: ObjectIdentifier) -> Bool {
    state.withLock { state in
      state.watchers.values.contains { $0.wantsKeys && $0.footprint.includesRows(of: type) }
    }
  }

  /// Notifies those watchers whose results a commit can affect.
  package func notify(_ changes: @autoclosure () -> CommittedChanges) {
    guard !isEmpty else { return }
    let changes = changes()
    guard !changes.isEmpty else { return }
    let concerned = state.withLock { $0.watchers.values.filter { $0.footprint.overlaps(changes) } }
    // The lock is released before the calls, so watchers can be added and removed meanwhile.
    for watcher in concerned { watcher.receive(changes) }
  }

  /// Notifies all watchers that the store is closed. A watcher that is added later is notified at once.
  package func close() {
    let all = state.withLock { state in
      state.isClosed = true
      return Array(state.watchers.values)
    }
    for watcher in all { watcher.close() }
  }

  /// Adds a watcher. Returns true if it is the only watcher and the store is open.
  package func add(_ watcher: any ChangeWatcher) -> Bool {
    let (isFirst, isClosed) = state.withLock { state in
      state.watchers[ObjectIdentifier(watcher)] = watcher
      count.store(state.watchers.count, ordering: .sequentiallyConsistent)
      return (state.watchers.count == 1, state.isClosed)
    }
    if isClosed { watcher.close() }
    return isFirst && !isClosed
  }

  package func remove(_ watcher: any ChangeWatcher) {
    let removed = state.withLock { state in
      defer { count.store(state.watchers.count, ordering: .sequentiallyConsistent) }
      return state.watchers.removeValue(forKey: ObjectIdentifier(watcher))
    }
    withExtendedLifetime(removed) {}
  }
}

/// The live queries that include a context's unsaved changes (decision 68). Used only on the context's thread or actor.
package protocol ContextWatching: AnyObject {
  /// Records which properties of an object change. Called while the context records the change, before it is made.
  func noteChange(_ mask: UInt64, of type: ObjectIdentifier)
  /// Records that objects of a class were inserted or deleted, or that an insertion or deletion was undone.
  func noteRows(of type: ObjectIdentifier)
  /// Records that any object may have changed.
  func noteEverything()
  /// Reports the recorded changes to observers. Called between two operations, never during a save or a transaction.
  func takeTurn()
}

/// The changes of a commit, for live queries (decision 68).
///
/// For each class, it contains the changed rows and properties. It is created only if a watcher is registered.
package struct CommittedChanges: Sendable {
  /// The changed rows of one class. The sets of primary keys are empty unless a watcher needs them.
  package struct Rows: Sendable {
    package var inserted: Set<Int64> = []
    package var changed: Set<Int64> = []
    package var deleted: Set<Int64> = []
    /// The bit mask of the properties that have changed in at least one row.
    package var mask: UInt64 = 0
    package var hasInsertions = false
    package var hasDeletions = false
    /// True if rows other than those with recorded keys may have been inserted, changed or deleted too.
    package var isUnspecified = false

    package init() {}

    /// - Parameter mask: The bit mask of the changed properties.
    package init(insertions: Bool, deletions: Bool, mask: UInt64) {
      (hasInsertions, hasDeletions, self.mask) = (insertions, deletions, mask)
    }

    /// Stores the primary keys of the rows. If there are too many, records instead that any row may have changed.
    package mutating func keep(inserted: [Int64], changed: [Int64], deleted: [Int64]) {
      isUnspecified = inserted.count + changed.count + deleted.count > Self.limit
      guard !isUnspecified else { return }
      (self.inserted, self.changed, self.deleted) = (Set(inserted), Set(changed), Set(deleted))
    }

    /// The maximum number of stored keys. Above it, watchers are notified that any row may have changed. The limit
    /// bounds the memory of changes that a slow receiver has not processed yet.
    package static let limit = 10_000

    /// States that any row of the class may have changed.
    package static let unspecified: Rows = {
      var rows = Rows()
      rows.isUnspecified = true
      return rows
    }()

    package var isEmpty: Bool { mask == 0 && !hasInsertions && !hasDeletions && !isUnspecified }

    /// Adds later changes. Each key is then in the set of its row's net change. The key of a row that was inserted and
    /// then deleted is in no set.
    package mutating func merge(_ later: Rows) {
      mask |= later.mask
      hasInsertions = hasInsertions || later.hasInsertions
      hasDeletions = hasDeletions || later.hasDeletions
      isUnspecified = isUnspecified || later.isUnspecified
      for key in later.inserted {
        // The row was deleted, and then inserted again with the same key.
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
  /// True if any row of any class may have changed.
  package private(set) var meansAll = false

  package init() {}

  /// States that any row of any class may have changed.
  package static let unknown: CommittedChanges = {
    var changes = CommittedChanges()
    changes.meansAll = true
    return changes
  }()

  package var isEmpty: Bool { rows.isEmpty && !meansAll }

  /// Creates changes if only the classes of the changed rows are known: any row of these classes may have changed.
  package init(unspecified types: some Sequence<ObjectIdentifier>, meansAll: Bool) {
    self.meansAll = meansAll
    for type in types { rows[type] = .unspecified }
  }

  package mutating func add(_ new: Rows, of type: ObjectIdentifier) {
    guard !new.isEmpty else { return }
    rows[type, default: Rows()].merge(new)
  }

  /// Records that any row of the given classes may have changed.
  package mutating func addUnspecified(_ types: [ObjectIdentifier]) {
    for type in types { add(.unspecified, of: type) }
  }

  /// Adds rows that the database has changed or deleted through foreign key actions. In a class hierarchy it is unknown
  /// which class a row has, so any row of these classes may have changed.
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

/// The classes, properties and rows that a query reads. Other changes do not affect its result (decision 68).
package struct Footprint: Sendable, Equatable {
  /// What a query reads of the rows of one class.
  package struct Entry: Sendable, Equatable {
    /// The bit mask of the properties whose values the query reads.
    package var mask: UInt64
    /// Whether inserted rows may change the result.
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
  /// True if the query may read any property of any row, because a part of it is evaluated in memory.
  package var isUnbounded = false

  package init() {}

  /// The footprint of a query that may read anything.
  package static let everything: Footprint = {
    var footprint = Footprint()
    footprint.isUnbounded = true
    return footprint
  }()

  /// Adds what a query reads of the rows of a class.
  package mutating func add(_ entry: Entry, of type: ObjectIdentifier) {
    entries[type, default: Entry()].formUnion(entry)
  }

  /// Whether the insertion or deletion of a row of the class may change the result.
  package func includesRows(of type: ObjectIdentifier) -> Bool {
    isUnbounded || entries[type].map { $0.insertions || $0.deletions } ?? false
  }

  /// Whether a change of one of these properties may change the result.
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
