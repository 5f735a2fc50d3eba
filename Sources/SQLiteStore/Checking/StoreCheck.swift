import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// One step of a check. A step examines one aspect of a store, and repairs the problems if `isRepairing` is set.
protocol CheckStep {
  /// The tables that the step reads. The step is skipped if one of them is unusable.
  var tables: [String] { get }
  func run(in check: StoreCheck) throws
}

/// The state that the steps of a check share. Only used on the thread of the check.
final class StoreCheck {
  let connection: SQLiteConnection
  let externalFolder: ExternalFolder?
  let cipher: (any ValueCipher)?
  let work: StoreWork
  let dialect = SQLiteDialect()
  /// True if the steps repair the problems that they find. A transaction is then open.
  private(set) var isRepairing = false
  var log: ProblemLog
  /// Tables that are missing or lack columns. Steps that read them are skipped.
  var unusableTables: Set<String> = []

  init(
    _ connection: SQLiteConnection, externalFolder: ExternalFolder?, cipher: (any ValueCipher)?, work: StoreWork
  ) {
    self.connection = connection
    self.externalFolder = externalFolder
    self.cipher = cipher
    self.work = work
    log = ProblemLog(store: connection.handle.path)
  }

  var handle: SQLiteHandle { connection.handle }
  var database: DatabaseMapping { connection.database }

  /// What a step reports for a problem with only one correct repair: `.done` during a repair, otherwise `.possible`.
  var repair: StoreProblem.Repair { isRepairing ? .done : .possible }

  func quoted(_ name: String) -> String { dialect.quoted(name) }

  /// The quoted name of the key column, which is the same in all tables.
  var key: String { quoted(DatabaseMapping.keyColumn) }

  // MARK: Statements

  /// Calls a closure for each row of a statement.
  func rows(_ sql: String, _ values: StoredValue..., body: (SQLiteStatement) throws -> Void) throws {
    let statement = try SQLiteStatement(sql, on: handle)
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
    while try statement.step() { try body(statement) }
  }

  func run(_ sql: String, _ values: StoredValue...) throws {
    let statement = try SQLiteStatement(sql, on: handle)
    for (index, value) in values.enumerated() { try statement.bind(value, at: Int32(index + 1)) }
    try statement.run()
  }

  /// Visits rows in the order of their keys. The rows are read in batches, and between two batches they may be changed.
  ///
  /// - Parameters:
  ///   - sql: Selects rows in the order of their keys. Parameter 1 is the least key, and parameter 2 the maximum
  ///     number of rows. The first column is the key.
  ///   - read: Reads what `handle` needs from a row.
  func batches<Found>(_ sql: String, read: (SQLiteStatement) throws -> Found, handle: (Found) throws -> Void) throws {
    let (limit, mostBytes) = (500, 4 << 20)
    let statement = try SQLiteStatement(sql, on: connection.handle)
    var last: Int64?
    while true {
      try work.checkCancellation()
      var found: [Found] = []
      var (bytes, isOver) = (0, false)
      try statement.bind(last.map { $0 &+ 1 } ?? .min, at: 1)
      try statement.bind(Int64(limit), at: 2)
      // A batch ends early if its rows contain large values.
      while bytes < mostBytes {
        guard try statement.step() else {
          isOver = found.count < limit
          break
        }
        last = statement.integer(0)
        bytes += statement.rowSize
        found.append(try read(statement))
      }
      statement.rewind()
      for found in found { try handle(found) }
      if isOver || last == .max { return }
    }
  }

  // MARK: Steps

  /// Runs a step and returns its findings.
  func run(_ step: any CheckStep) throws -> ProblemLog {
    log = ProblemLog(store: handle.path)
    guard unusableTables.isDisjoint(with: step.tables) else { return log }
    do {
      if isRepairing { try step.run(in: self) } else { try reading { try step.run(in: self) } }
    } catch let error as SwiftDataError where error.kind == .storeCorrupt && error.underlyingError is SQLiteError {
      log.add(
        .damagedFile, table: step.tables.first, "the file is damaged where this was to be checked (\(error.cause))",
        advice: FileCheck.advice, repair: .impossible)
    }
    return log
  }

  /// Runs a step in a snapshot of its own. A long check in one snapshot would let the write-ahead log grow.
  private func reading(_ body: () throws -> Void) throws {
    try connection.beginSnapshot()
    defer { connection.endSnapshot() }
    try body()
  }

  /// Runs repairing steps in one transaction.
  func repairing<Result>(_ body: () throws -> Result) throws -> Result {
    // Steps repair references themselves. If SQLite enforced foreign keys, one broken reference would fail the commit.
    try handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, false)
    defer { try? handle.setSwitch(SQLITE_DBCONFIG_ENABLE_FKEY, true) }
    try handle.execute("BEGIN IMMEDIATE")
    isRepairing = true
    defer { isRepairing = false }
    do {
      let result = try body()
      try handle.execute("COMMIT")
      return result
    } catch {
      if handle.isInTransaction { try? handle.execute("ROLLBACK") }
      handle.originals.version = nil
      throw error
    }
  }
}

extension SQLiteStatement {
  /// The size of the row's texts and blobs in bytes.
  fileprivate var rowSize: Int {
    (0..<sqlite3_data_count(pointer)).reduce(0) { size, column in
      let type = sqlite3_column_type(pointer, column)
      return size + (type == SQLITE_TEXT || type == SQLITE_BLOB ? Int(sqlite3_column_bytes(pointer, column)) : 0)
    }
  }
}

extension SwiftDataError {
  /// The message of the SQLite error, or the kind of the error if SQLite did not cause it.
  var cause: String { (underlyingError as? SQLiteError)?.message ?? "\(kind.rawValue)" }

  var underlyingSQLiteCode: Int32? { (underlyingError as? SQLiteError)?.primaryCode }
}
