import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The commits up to which all is known: where they end in the log, and what the last record was.
struct RecordedCommits {
  let position: LogPosition
  /// The number of the last record.
  let record: Int64
  /// Whether the log ended with a commit that a read has seen. A process that was killed at the last moment leaves one that
  /// nobody sees and that the next commit overwrites.
  let isCertain: Bool
}

// The rows that other processes changed, from their records.
//
// A record says what its own commit changed, and not that there was no commit without one, by another program. The log has all
// commits: where as many have been added to it as records to the history, each has its record (decision 67).

extension SQLiteStoreEngine {
  package func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? {
    guard keepsHistory, !isInMemory else { return nil }
    return recordedCommits.withLock { known in
      if let before = known, let (rows, now) = rows(since: before) {
        known = now
        return rows
      }
      known = currentCommits()
      return nil
    }
  }

  /// The rows of all commits behind some; nil if they are not all known.
  private func rows(since known: RecordedCommits) -> (rows: [ForeignRows], now: RecordedCommits)? {
    guard let connection = try? pool.isReadingHere ? pool.takeReader() : pool.takeFreeReader() else { return nil }
    defer { pool.giveBackReader(connection) }
    var request = HistoryRequest()
    request.after = known.record
    // Commits come between the read of the records and that of the log.
    for _ in 0..<3 {
      guard let extract = try? connection.inOneSnapshot({ try connection.history(request) }), extract.isComplete,
        let scan = connection.handle.scanLog(after: known.position), let commits = scan.commits
      else { return nil }
      guard extract.entries.count(where: { !$0.continuesCommit }) == commits else { continue }
      guard commits > 0 || known.isCertain, let rows = rows(of: extract.entries) else { return nil }
      return (rows, RecordedCommits(position: scan.end, record: extract.last, isCertain: true))
    }
    return nil
  }

  /// The rows of some records; nil if one cannot be read.
  private func rows(of entries: [HistoryEntry]) -> [ForeignRows]? {
    var rows: [String: ForeignRows] = [:]
    var count: Int64 = 0
    for entry in entries {
      guard !entry.followsGap, let groups = HistoryRecord.Group.groups(in: entry.changes) else { return nil }
      for group in groups {
        guard let entity = database.table(named: group.entity)?.entity else { return nil }
        count += group.keys.reduce(0) { $0 + Int64($1.count) }
        // So many rows stand for all of them.
        guard count <= Int64(RemoteChanges.Rows.limit) else { return nil }
        rows[entity.name, default: ForeignRows(of: entity)].add(group)
      }
    }
    return Array(rows.values)
  }

  /// The commits up to now, as they are while nobody else can commit; nil while somebody writes.
  private func currentCommits() -> RecordedCommits? {
    guard allowsSave, let writer = try? pool.takeIdleWriter() else { return nil }
    defer { pool.giveBackWriter() }
    guard !writer.handle.isInTransaction else { return nil }
    writer.handle.setBusyTimeout(milliseconds: 0)
    defer { writer.handle.setBusyTimeout(milliseconds: configuration.busyTimeoutMilliseconds) }
    guard (try? writer.handle.execute("BEGIN IMMEDIATE")) != nil else { return nil }
    defer { writer.endSnapshot() }
    var nothing = HistoryRequest()
    nothing.after = .max
    guard let scan = writer.handle.scanLog(after: nil), let last = try? writer.history(nothing).last else { return nil }
    return RecordedCommits(position: scan.end, record: last, isCertain: false)
  }
}

extension ForeignRows {
  /// Adds what a record says of rows of the entity, after all records before it.
  fileprivate mutating func add(_ group: HistoryRecord.Group) {
    let keys = Set(group.keys.joined())
    switch group.kind {
    case .insert, .update:
      updated.formUnion(keys)
      deleted.subtract(keys)
    case .delete:
      deleted.formUnion(keys)
      updated.subtract(keys)
    }
  }
}
