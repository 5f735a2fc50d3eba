import CSQLite
import CSQLiteShim
import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteTransaction: HistoryStoreTransaction {
  func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64 {
    let connection = try usable()
    do {
      return try add(record, on: connection)
    } catch  where connection.handle.isInTransaction && !connection.handle.knowsTable(HistoryTable.name) {
      // Adding a record failed because the table does not exist: this is the first record, or the table was dropped by
      // hand. One failure is cheaper than a test before every record. If the error made SQLite roll the transaction
      // back, the record is not added again.
      try connection.handle.execute(HistoryTable.creation)
      return try add(record, on: connection)
    }
  }

  private func add(_ record: HistoryRecord, on connection: SQLiteConnection) throws -> Int64 {
    let commits = engine.foreignChangeCount
    let known = engine.historyProgress
    var mark: HistoryEntry.Mark?
    if let last = known.last, last.foreignChanges != commits {
      // If no record follows the engine's last one, another process has committed without adding a record.
      let present = try connection.lastHistoryNumber ?? 0
      if present <= last.number { mark = .gap }
      // If the history was dropped by hand, numbering continues, because programs may have stored tokens.
      if present < last.number { try RestoredHistory(last: last.number).goOn(in: connection.handle) }
    }
    // If the last record is newer than `formerRecord`, this transaction has already added a record.
    if let formerRecord, try connection.lastHistoryNumber ?? 0 > formerRecord { mark = .sameCommit }
    let (time, json) = (Date().timeIntervalSinceReferenceDate, record.json)
    let number = try connection.withStatement(.record) { statement in
      try statement.bind(time, at: 1)
      if let author = record.author {
        try statement.bind(author, at: 2)
      } else {
        sqlite3_bind_null(statement.pointer, 2)
      }
      try statement.bind(utf8: json, at: 3)
      if let mark { try statement.bind(mark.rawValue, at: 4) } else { sqlite3_bind_null(statement.pointer, 4) }
      try statement.run()
      return sqlite3_last_insert_rowid(connection.handle.pointer)
    }
    var progress = appended ?? known
    progress.last = (number, commits)
    progress.count(record, bytes: json.count)
    if formerRecord == nil { formerRecord = number - 1 }
    if let retention = engine.configuration.history,
      let look = retention.look(progress, number: number, time: time)
    {
      try connection.retain(retention, looking: look, through: number, time: time)
      progress.didLook(look, nextLook: retention.nextLook(after: time))
    }
    appended = progress
    return number
  }

  /// Stores the last record's number after a part of the transaction was rolled back.
  func noteLastRecord(on connection: SQLiteConnection) throws {
    guard let commits = appended?.last?.foreignChanges else { return }
    let isThere = connection.handle.knowsTable(HistoryTable.name)
    let number = try isThere ? connection.lastHistoryNumber : nil
    // The rollback has restored records that retention deleted, so the counters from before the transaction apply.
    appended = number.map { number in
      var progress = engine.historyProgress
      progress.last = (number, commits)
      return progress
    }
  }

  func deleteHistory(_ numbers: [Int64]) throws {
    let connection = try usable()
    guard connection.handle.knowsTable(HistoryTable.name), let last = try connection.lastHistoryNumber else { return }
    for number in numbers { try connection.run(number == last ? HistoryTable.empty : HistoryTable.delete, number) }
    guard connection.handle.knowsTable(TombstoneTable.name) else { return }
    for number in numbers { try connection.run(TombstoneTable.deleteOne, number) }
  }

  /// Deletes all records, but keeps the number of the last one, so that it is not reused.
  func eraseHistory(on connection: SQLiteConnection) throws {
    guard connection.handle.knowsTable(HistoryTable.name), let last = try connection.lastHistoryNumber else { return }
    try connection.run(HistoryTable.deleteBefore, last)
    try connection.run(HistoryTable.empty, last)
    if connection.handle.knowsTable(TombstoneTable.name) {
      try connection.handle.execute("DELETE FROM \(TombstoneTable.name)")
    }
  }

  func prepareTombstones() throws {
    try settleTombstones { handle in
      try TombstoneTriggers(for: engine.database).ensure(on: handle)
      // Triggers store deleted values under the number after the last record, so a history dropped by hand must go on.
      if let last = engine.historyProgress.last { try RestoredHistory(last: last.number).goOn(in: handle) }
    }
  }

  /// If the history is off, drops triggers from when it was on: no retention would delete the values that they store.
  func dropLeftTombstones() throws {
    // A transaction that is recording deleted rows has already dropped the triggers. An in-memory store cannot have an
    // earlier history, and a migration has dropped the triggers.
    guard engine.configuration.history == nil, !isWatchingRows, !engine.isMigrating,
      !engine.configuration.isInMemory
    else { return }
    try settleTombstones {
      try TombstoneTriggers.remove(from: $0)
      try TombstoneTable.removeUnrecorded(from: $0)
    }
  }

  /// Creates or drops the triggers if the schema has changed since the last call. Another process with another
  /// configuration may have changed the triggers, or the history may have been dropped by hand.
  private func settleTombstones(_ settle: (SQLiteHandle) throws -> Void) throws {
    let connection = try usable()
    let handle = connection.handle
    let version = try connection.withStatement(.schemaVersion) { try $0.number() }
    guard version == nil || version != handle.tombstoneSchema else { return }
    try settle(handle)
    handle.tombstoneSchema = try connection.withStatement(.schemaVersion) { try $0.number() }
  }

  func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String] {
    let connection = try usable()
    let table = try connection.database.table(for: root)
    guard root.inheritance != nil, !keys.isEmpty else { return [:] }
    let dialect = SQLiteDialect()
    let (key, entity) = (dialect.quoted(DatabaseMapping.keyColumn), dialect.quoted(DatabaseMapping.entityColumn))
    let isWanted = dialect.isMember(key, ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
    let sql = "SELECT \(key), \(entity) FROM \(dialect.quoted(table.name)) WHERE \(isWanted)"
    let names = Dictionary(root.family.map { (StoredText.form(of: $0.name), $0.name) }) { first, _ in first }
    return try connection.withStatement(sql) { statement in
      try statement.bind(PackedList(keys: keys), at: 1)
      defer { statement.clearBindings() }
      var result: [Int64: String] = [:]
      while try statement.step() { result[statement.integer(0)] = statement.text(1).flatMap { names[$0] } }
      return result
    }
  }

  func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64] {
    let connection = try usable()
    let table = try connection.database.table(for: entity)
    guard !keys.isEmpty, let column = table.columns(of: position).first else { return [] }
    let dialect = SQLiteDialect()
    let isWanted = dialect.isMember(
      dialect.quoted(column.name), ofList: dialect.placeholder(1, .list(.reference)), format: .reference)
    let sql =
      "SELECT \(dialect.quoted(DatabaseMapping.keyColumn)) FROM \(dialect.quoted(table.name)) WHERE \(isWanted)"
    return try connection.withStatement(sql) { statement in
      try statement.bind(PackedList(keys: keys), at: 1)
      defer { statement.clearBindings() }
      var result: [Int64] = []
      while try statement.step() { result.append(statement.integer(0)) }
      return result
    }
  }
}

extension SQLiteConnection {
  /// The number of the last record, even if that record was deleted.
  var lastHistoryNumber: Int64? {
    get throws { try number(HistoryTable.last) }
  }
}

/// What the engine knows about the history that it writes.
struct HistoryProgress: Sendable {
  /// The engine's last record, and the count of other processes' commits at that time; nil before the first record.
  var last: (number: Int64, foreignChanges: Int64)?
  /// The approximate number of bytes added since retention last examined the records.
  var bytes = 0
  /// When the records' age is examined next, in seconds since 2001. An engine's first record causes an examination.
  var nextLook = -Double.infinity

  mutating func didLook(_ look: HistoryRetention.Look, nextLook: Double) {
    if look == .all { bytes = 0 }
    self.nextLook = nextLook
  }

  /// Adds the size of a record, and an estimate for the values that its deletions may have stored. The size of these
  /// values is known only when they are examined.
  mutating func count(_ record: HistoryRecord, bytes count: Int) {
    bytes += count + HistoryRetention.overhead
    for group in record.groups where group.kind == .delete {
      for keys in group.keys { bytes += keys.count * HistoryRetention.overhead }
    }
  }
}

extension HistoryRetention {
  /// The maximum number of records between two examinations of the oldest records. An examination stores the running
  /// total of bytes in the latest record, so that no later examination adds up the earlier records.
  static let interval: Int64 = 256
  /// The approximate overhead in bytes of a record, and of a stored value of a deleted row.
  static let overhead = 48
  /// The minimum time between two examinations by age, in seconds.
  private static let leastPause = 3_600.0

  /// What is compared with the limits when a record is added.
  enum Look {
    /// Only the age of the first record. If that record is too old, all limits are examined.
    case age
    case all
  }

  /// The limits to compare with the history when a record is added; nil if no comparison is due.
  func look(_ progress: HistoryProgress, number: Int64, time: Double) -> Look? {
    if number.isMultiple(of: Self.interval) { return .all }
    // An examination after each eighth of the limit costs little, and the limit is exceeded by at most an eighth.
    if let bytes, progress.bytes > bytes / 8 { return .all }
    return age != nil && time >= progress.nextLook ? .age : nil
  }

  /// The time at which the next examination by age is due.
  func nextLook(after time: Double) -> Double {
    age.map { time + max($0 / .seconds(8), Self.leastPause) } ?? .infinity
  }

  /// The time before which records are too old; nil without a limit.
  func oldest(at time: Double) -> Double? { age.map { time - $0 / .seconds(1) } }
}
