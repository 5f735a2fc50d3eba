import CSQLite
import CSQLiteShim
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

// Finds the rows that other processes changed, by their history records.
//
// A record lists the changes of one commit. Other programs may commit without adding a record. SQLite counts all
// commits: if there are as many new commits as new records, each commit has its record (decision 67).

extension SQLiteStoreEngine {
  package func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? {
    guard keepsHistory, hasForeignCommits else { return nil }
    return recordedCommits.withLock { known in
      // Counting starts at the first commit of another process, since most programs never encounter one. After that
      // first commit, contexts reread everything.
      let before = known
      guard let look = look(behind: before?.record ?? .max) else {
        known = nil
        return nil
      }
      known = look.commits
      return before.flatMap { rows(of: look, since: $0) }
    }
  }

  /// The commits, records and triggers of the store in one snapshot.
  private struct Look {
    let commits: (count: UInt32, record: Int64)
    let records: HistoryExtract
    /// True if another program has added triggers. They may change rows that no record lists.
    let hasForeignTriggers: Bool
  }

  /// Reads the records after a number, and the count of commits; nil if the count cannot be determined.
  private func look(behind record: Int64) -> Look? {
    // Uses a separate connection, because a connection with which the thread already reads may have an older snapshot.
    guard let connection = try? pool.takeFreeReader() else { return nil }
    defer { pool.giveBackReader(connection) }
    var request = HistoryRequest()
    request.after = record
    for _ in 0..<3 {
      // The connection reads first: only a read opens the log's shared memory, which contains the commit count.
      guard (try? connection.number("PRAGMA data_version")) != nil, let count = connection.handle.commitCount,
        let (records, hasForeignTriggers) = try? connection.inOneSnapshot({
          (try connection.history(request), try connection.hasForeignTriggers)
        })
      else { return nil }
      // If the count has changed, another connection may have committed between the count and the snapshot.
      guard connection.handle.commitCount == count else { continue }
      return Look(
        commits: (count, records.last), records: records, hasForeignTriggers: hasForeignTriggers)
    }
    return nil
  }

  /// The rows that new commits have changed; nil if some of these rows are unknown.
  private func rows(of look: Look, since known: (count: UInt32, record: Int64)) -> [ForeignRows]? {
    let entries = look.records.entries
    guard !look.hasForeignTriggers, look.records.isComplete, look.commits.record >= known.record,
      entries.count(where: { !$0.continuesCommit }) == look.commits.count &- known.count
    else { return nil }
    var rows = NamedRows(database)
    for entry in entries {
      guard !entry.followsGap, let groups = HistoryRecord.Group.groups(in: entry.changes, wantsAll: true),
        groups.allSatisfy({ rows.add($0) })
      else { return nil }
    }
    return rows.all
  }
}

extension SQLiteHandle {
  /// The number of commits to the write-ahead log, with wraparound; nil if this connection has no open log.
  var commitCount: UInt32? {
    var count: UInt32 = 0
    return osd_sqlite_read_commit_count(pointer, &count) == SQLITE_OK ? count : nil
  }
}

extension SQLiteConnection {
  /// Whether another program has added triggers.
  fileprivate var hasForeignTriggers: Bool {
    get throws {
      let sql =
        "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name NOT GLOB '\(DatabaseMapping.ownPrefix)*'"
      return try number(sql) != 0
    }
  }
}

/// The rows that history records list, and further rows that may have changed with them.
///
/// A record lists the rows that its save wrote, but no other owner that a row had between two saves. Objects of a
/// context may still have the relationship to that owner. Therefore, objects that may be related to a deleted row, or
/// to a row with a changed reference, are reread as well.
private struct NamedRows {
  private let database: DatabaseMapping
  private var rows: [String: ForeignRows] = [:]
  private var count: Int64 = 0

  init(_ database: DatabaseMapping) { self.database = database }

  var all: [ForeignRows] { Array(rows.values) }

  /// Adds the changes of the next record. Returns false if a name is unknown, or if there are too many rows.
  mutating func add(_ group: HistoryRecord.Group) -> Bool {
    guard let entity = database.table(named: group.entity)?.entity,
      group.properties.allSatisfy({ name in entity.properties.contains { $0.name == name } })
    else { return false }
    count += group.keys.reduce(0) { $0 + Int64($1.count) }
    guard count <= Int64(RemoteChanges.Rows.limit) else { return false }
    rows[entity.name, default: ForeignRows(of: entity)].note(
      Set(group.keys.joined()), isDeletion: group.kind == .delete)
    switch group.kind {
    case .insert: break
    case .update: for name in group.properties { noteRelated(by: name, of: entity) }
    case .delete: noteOwners(of: entity)
    }
    return true
  }

  private mutating func noteRelated(by name: String, of entity: EntityLayout) {
    guard let relationship = entity.relationships.first(where: { $0.name == name }) else { return }
    let inverse = relationship.inverse
    // In a one-to-many relationship, the rows of the members contain the references, so the record lists these rows.
    if relationship.isToMany, let inverse, !inverse.isToMany { return }
    if let destination = database.table(named: relationship.destination)?.entity { noteAll(of: destination) }
    if let inverse, !inverse.isToMany { noteAll(of: entity) }
  }

  /// Marks all rows of the entities with a relationship to this entity: any of them may have referred to a deleted row.
  private mutating func noteOwners(of entity: EntityLayout) {
    let names = entity.destinationNames
    for other in database.tables.map(\.entity)
    where other.relationships.contains(where: { names.contains($0.destination) }) {
      rows[other.name, default: ForeignRows(of: other)].meansAll = true
    }
  }

  private mutating func noteAll(of entity: EntityLayout) {
    for member in entity.family { rows[member.name, default: ForeignRows(of: member)].meansAll = true }
  }
}

extension ForeignRows {
  fileprivate mutating func note(_ keys: Set<Int64>, isDeletion: Bool) {
    if isDeletion {
      deleted.formUnion(keys)
      updated.subtract(keys)
    } else {
      updated.formUnion(keys)
      deleted.subtract(keys)
    }
  }
}
