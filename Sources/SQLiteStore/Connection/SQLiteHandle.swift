import CSQLite
import CSQLiteShim
import PersistenceRuntime
import PersistenceSupport

/// SQLite's connection, closed with the last reference to it.
///
/// Unchecked because it wraps a pointer. Connections are opened without a mutex of their own, and the pool gives each
/// to one thread at a time. The last reference closes it, so no thread can be using it then.
final class SQLiteHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  /// The file, for messages.
  let path: String
  /// What tells whether what runs is given up. SQLite looks at it through the pointer.
  private let watch: UnsafeMutablePointer<CancellationWatch>
  /// What is told of every statement; set when the connection is opened.
  var trace: StatementTrace?
  /// Which tables have originals. Here, because several connections of a migration share a handle.
  var originals = KnownOriginals()
  /// What is told of every commit to the log; set when the connection is opened.
  var logHook: LogHook?
  private var hasFunctions = false

  /// Opens a file, or a database in memory.
  ///
  /// - Parameter name: The path or URI that SQLite is given.
  init(opening name: String, flags: Int32, path: String) throws {
    _ = Self.isConfigured
    var pointer: OpaquePointer?
    let code = sqlite3_open_v2(name, &pointer, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let pointer else {
      let message = String(cString: pointer.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(code))
      let systemCode = pointer.map(sqlite3_system_errno) ?? 0
      sqlite3_close_v2(pointer)
      throw SQLiteError(code: code, message: message).storeError(path: path, systemCode: systemCode)
    }
    sqlite3_extended_result_codes(pointer, 1)
    self.pointer = pointer
    self.path = path
    watch = .allocate(capacity: 1)
    watch.initialize(to: CancellationWatch())
    // Every 20,000 steps of a statement: less than a millisecond, and too seldom to be measured.
    sqlite3_progress_handler(pointer, 20_000, { SQLiteHandle.isCancelled($0) ? 1 : 0 }, watch)
  }

  deinit {
    sqlite3_close_v2(pointer)
    watch.deinitialize(count: 1)
    watch.deallocate()
  }

  fileprivate static func isCancelled(_ watch: UnsafeMutableRawPointer?) -> Bool {
    watch?.assumingMemoryBound(to: CancellationWatch.self).pointee.isCancelled == true
  }

  /// Runs statements that are given up when the task is cancelled, or some in the middle of such that are not.
  func watchingCancellation<Result>(_ watches: Bool, _ body: () throws -> Result) throws -> Result {
    let outer = watch.pointee.watchesTask
    watch.pointee.watchesTask = watches
    defer { watch.pointee.watchesTask = outer }
    return try cancelling(watches, body)
  }

  /// Runs statements of a long operation, which are given up when that is cancelled.
  func working<Result>(on work: StoreWork, _ body: () throws -> Result) throws -> Result {
    let outer = watch.pointee.work
    watch.pointee.work = work
    defer { watch.pointee.work = outer }
    return try cancelling(true, body)
  }

  private func cancelling<Result>(_ watches: Bool, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SwiftDataError
      where watches && (error.underlyingError as? SQLiteError)?.primaryCode == SQLITE_INTERRUPT
    {
      throw CancellationError()
    }
  }

  /// The error that a code of SQLite stands for, with what the connection knows about it.
  func error(_ code: Int32, sql: String? = nil) -> SwiftDataError {
    // The connection knows about its latest failure only.
    let extended = sqlite3_extended_errcode(pointer)
    let isLatest = extended & 0xFF == code & 0xFF
    let message = String(cString: isLatest ? sqlite3_errmsg(pointer) : sqlite3_errstr(code))
    return SQLiteError(code: isLatest ? extended : code, message: message, sql: sql)
      .storeError(path: path, systemCode: sqlite3_system_errno(pointer))
  }

  func check(_ code: Int32, sql: String? = nil) throws {
    guard code == SQLITE_OK else { throw error(code, sql: sql) }
  }

  /// Runs statements that take no parameters; rows are thrown away.
  func execute(_ sql: String) throws {
    try check(sqlite3_exec(pointer, sql, nil, nil, nil), sql: sql)
  }

  /// Compiles a statement.
  func prepare(_ sql: String) throws -> OpaquePointer {
    do {
      return try compile(sql)
    } catch let error as SwiftDataError where !hasFunctions && Self.lacksFunction(error) {
      try registerFunctions()
      return try compile(sql)
    }
  }

  private func compile(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, sql: sql) }
    return statement
  }

  private static func lacksFunction(_ error: SwiftDataError) -> Bool {
    (error.underlyingError as? SQLiteError)?.message.contains("no such function") == true
  }

  /// Makes the library's functions known to the connection.
  ///
  /// They are not registered when a connection is opened, because few reading statements call any. The first one that
  /// does registers them.
  func registerFunctions() throws {
    guard !hasFunctions else { return }
    try check(TextFunctions.register(on: pointer))
    try check(DecimalCalculation.register(on: pointer))
    try check(ValueFunctions.register(on: pointer))
    try check(DecimalSum.register(on: pointer))
    try check(osd_sqlite_register_sums(pointer))
    hasFunctions = true
  }

  func setSwitch(_ name: Int32, _ isOn: Bool) throws {
    try check(osd_sqlite_set_switch(pointer, name, isOn ? 1 : 0))
  }

  func setBusyTimeout(milliseconds: Int32) {
    sqlite3_busy_timeout(pointer, milliseconds)
  }

  /// Where the file really is, behind any links.
  var filePath: String { sqlite3_db_filename(pointer, "main").map { String(cString: $0) } ?? path }

  /// A number that changes when a read finds the file changed, by this connection or another one.
  var dataVersion: UInt32 {
    var version: UInt32 = 0
    // No name means the main file, and need not be looked for.
    sqlite3_file_control(pointer, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

  /// Whether SQLite opened the file for reading only, whatever it was asked for.
  var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

  private static let isConfigured: Bool = {
    osd_sqlite_configure()
    return true
  }()
}

/// What a connection asks while a statement runs.
private struct CancellationWatch {
  var watchesTask = false
  var work: StoreWork?

  var isCancelled: Bool { watchesTask && Task.isCancelled || work?.isCancelled == true }
}
