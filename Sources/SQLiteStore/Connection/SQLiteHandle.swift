import CSQLite
import CSQLiteShim
import Foundation
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// An SQLite connection, closed with the last reference to it.
///
/// Unchecked because it wraps a pointer. Connections are opened without a mutex, and the pool gives each to one thread
/// at a time. A connection is closed with its last reference, so no thread can be using it then.
final class SQLiteHandle: @unchecked Sendable {
  let pointer: OpaquePointer
  /// The path of the file, for messages.
  let path: String
  /// The conditions that cancel the running statement. SQLite's progress handler reads them through the pointer.
  private let watch: UnsafeMutablePointer<CancellationWatch>
  /// Measures every statement; nil without a log for slow statements. Set when the connection is opened.
  var trace: StatementTrace?
  /// The tables whose rows have originals. Stored here because several connections of a migration share one handle.
  var originals = KnownOriginals()
  /// The schema version at which the triggers that store deleted values were last created, or dropped if the store
  /// keeps no history. Nil if unknown.
  var tombstoneSchema: Int64?
  /// Called after every commit to the log; nil unless the pool has opened the connection as its writer.
  var logHook: LogHook?
  private var hasFunctions = false
  private var hasList = false

  /// Opens a file or an in-memory database.
  ///
  /// - Parameter name: The path or URI for SQLite.
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
    // SQLite calls the handler every 20,000 steps of a statement, which take at most a millisecond. The overhead is
    // not measurable.
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

  /// Runs statements. Cancelling the current task aborts them only if `watches` is true.
  func watchingCancellation<Result>(_ watches: Bool, _ body: () throws -> Result) throws -> Result {
    let outer = watch.pointee.watchesTask
    watch.pointee.watchesTask = watches
    defer { watch.pointee.watchesTask = outer }
    return try cancelling(watches, body)
  }

  /// Runs statements of a long operation, which are aborted if the operation is cancelled.
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

  /// The error for a result code of SQLite, with the connection's extended code and message.
  func error(_ code: Int32, sql: String? = nil) -> SwiftDataError {
    // The extended code and the message belong to the connection's latest failure. `code` may be an earlier one.
    let extended = sqlite3_extended_errcode(pointer)
    let isLatest = extended & 0xFF == code & 0xFF
    let message = String(cString: isLatest ? sqlite3_errmsg(pointer) : sqlite3_errstr(code))
    return SQLiteError(code: isLatest ? extended : code, message: message, sql: sql)
      .storeError(path: path, systemCode: sqlite3_system_errno(pointer))
  }

  func check(_ code: Int32, sql: String? = nil) throws {
    guard code == SQLITE_OK else { throw error(code, sql: sql) }
  }

  /// Runs statements without parameters; result rows are discarded.
  func execute(_ sql: String) throws {
    try check(sqlite3_exec(pointer, sql, nil, nil, nil), sql: sql)
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    do {
      return try compile(sql)
    } catch let error as SwiftDataError {
      guard try registerMissing(error) else { throw error }
      return try prepare(sql)
    }
  }

  private func compile(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, sql: sql) }
    return statement
  }

  /// If the error reports that a function, collation or table of the library is missing, registers it. Returns true if
  /// the statement can be prepared again.
  ///
  /// They are not registered when a connection is opened, because few reading statements need them.
  private func registerMissing(_ error: SwiftDataError) throws -> Bool {
    guard let message = (error.underlyingError as? SQLiteError)?.message else { return false }
    if !hasList, message.contains("no such table: _osd_list") {
      try registerList()
      return true
    }
    if !hasFunctions, message.contains("no such function") || message.contains("no such collation sequence") {
      try registerFunctions()
      return true
    }
    return false
  }

  /// Registers the library's functions and collations.
  func registerFunctions() throws {
    guard !hasFunctions else { return }
    try check(TextFunctions.register(on: pointer))
    try check(DecimalCollation.register(on: pointer))
    try check(LocaleCollation.register(on: pointer))
    try check(DecimalCalculation.register(on: pointer))
    try check(ValueFunctions.register(on: pointer))
    try check(DecimalSum.register(on: pointer))
    try check(osd_sqlite_register_sums(pointer))
    hasFunctions = true
  }

  /// Registers the virtual table `_osd_list`, which returns the elements of a bound list.
  func registerList() throws {
    guard !hasList else { return }
    try check(osd_sqlite_register_list(pointer))
    hasList = true
  }

  func setSwitch(_ name: Int32, _ isOn: Bool) throws {
    try check(osd_sqlite_set_switch(pointer, name, isOn ? 1 : 0))
  }

  func setBusyTimeout(milliseconds: Int32) {
    sqlite3_busy_timeout(pointer, milliseconds)
  }

  /// The resolved path of the file, without symbolic links.
  var filePath: String { sqlite3_db_filename(pointer, "main").map { String(cString: $0) } ?? path }

  /// Whether the file has a table of a name.
  func hasTable(_ name: String) throws -> Bool {
    try number("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = \(name.quoted(by: "'"))") == 1
  }

  /// Whether the schema that the connection has read contains a table. Unlike ``hasTable(_:)``, it needs no query.
  func knowsTable(_ name: String) -> Bool {
    sqlite3_table_column_metadata(pointer, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  /// A number that changes between two reads if any connection, including this one, has changed the file meanwhile.
  var dataVersion: UInt32 {
    var version: UInt32 = 0
    // A null name selects the main file, without a search.
    sqlite3_file_control(pointer, nil, SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(pointer) == 0 }

  /// Whether SQLite opened the file read-only, even if writing was requested.
  var isReadOnly: Bool { sqlite3_db_readonly(pointer, "main") == 1 }

  private static let isConfigured: Bool = {
    osd_sqlite_configure()
    return true
  }()
}

/// The conditions that cancel a running statement.
private struct CancellationWatch {
  var watchesTask = false
  var work: StoreWork?

  var isCancelled: Bool { watchesTask && Task.isCancelled || work?.isCancelled == true }
}

/// A prepared statement.
///
/// Only used on the thread that uses its connection.
final class SQLiteStatement {
  let pointer: OpaquePointer
  let sql: String
  let parameters: [SQLParameter]
  /// Converts a result code of the statement to an error. The closure is created once, since every fetch needs it.
  let error: (Int32) -> SwiftDataError
  /// True while a caller uses the statement, which may then be between its first step and its reset.
  private(set) var isLeased = false
  /// The value of the cache's use counter when the statement was last used.
  var lastUse = 0
  private let handle: SQLiteHandle
  private let hasLists: Bool

  init(_ sql: String, parameters: [SQLParameter] = [], on handle: SQLiteHandle) throws {
    let pointer = try handle.prepare(sql)
    self.pointer = pointer
    self.sql = sql
    // If a constant condition excludes a branch, the SQL contains neither the branch nor its parameters.
    self.parameters = Array(parameters.prefix(Int(sqlite3_bind_parameter_count(pointer))))
    self.handle = handle
    self.error = { [handle] code in
      code == EngineStatement.missingRowCode ? Self.missingRow(path: handle.path) : handle.error(code, sql: sql)
    }
    self.hasLists = self.parameters.contains(where: \.isList)
  }

  deinit {
    sqlite3_finalize(pointer)
  }

  /// Whether the statement was created with these parameters. Requests with different parameters may have the same SQL
  /// text, because the text omits branches that a constant condition excludes.
  func hasParameters(_ others: [SQLParameter]) -> Bool {
    parameters.isEmpty || others.starts(with: parameters)
  }

  /// Reserves the statement for one caller. If an outer caller is using it, reserves a copy instead.
  func lease() throws -> SQLiteStatement {
    let statement = isLeased ? try SQLiteStatement(sql, parameters: parameters, on: handle) : self
    statement.isLeased = true
    return statement
  }

  func giveBack() {
    sqlite3_reset(pointer)
    // Bound lists can be large, so they are cleared. Other values stay bound until they are replaced.
    if hasLists { sqlite3_clear_bindings(pointer) }
    isLeased = false
  }

  /// Moves to the next row; returns whether there is one.
  func step() throws -> Bool {
    let code = sqlite3_step(pointer)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else { throw error(code) }
    return false
  }

  func rewind() { sqlite3_reset(pointer) }

  /// Runs a statement that returns no rows.
  func run() throws {
    try check(osd_sqlite_step_write(pointer))
  }

  func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// The single number that the statement returns; nil if it returns no row or NULL.
  func number() throws -> Int64? {
    guard try step(), sqlite3_column_type(pointer, 0) != SQLITE_NULL else { return nil }
    return integer(0)
  }

  func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(pointer, column)
  }

  func real(_ column: Int32) -> Double {
    sqlite3_column_double(pointer, column)
  }

  func text(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(pointer, column) else { return nil }
    let count = Int(sqlite3_column_bytes(pointer, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private static func missingRow(path: String) -> SwiftDataError {
    SwiftDataError(
      .modelNotFound,
      "A model that was changed is not in the store at \(path) any more: another context or process deleted it. "
        + "Roll back, or delete it here too.")
  }
}

extension SQLiteHandle {
  /// The first number that a statement returns; nil if it returns no row. The statement is not cached.
  func number(_ sql: String) throws -> Int64? {
    let statement = try SQLiteStatement(sql, on: self)
    return try statement.step() ? statement.integer(0) : nil
  }
}

extension SQLiteStatement {
  /// Binds the values of a request to the parameters of its statement.
  func bind(_ request: FetchRequest) throws {
    guard !parameters.isEmpty else { return }
    var values: [QueryValue] = []
    if case .matching(let tree) = request.selection {
      values = tree.values.contains(where: \.isNull) ? tree.values.filter { !$0.isNull } : tree.values
    }
    var index: Int32 = 0
    for parameter in parameters {
      index += 1
      try check(bind(parameter, at: index, request, values))
    }
  }

  func bind(_ number: Int64, at index: Int32) throws {
    try check(sqlite3_bind_int64(pointer, index, number))
  }

  func bind(_ number: Double, at index: Int32) throws {
    try check(sqlite3_bind_double(pointer, index, number))
  }

  func clearBindings() {
    sqlite3_clear_bindings(pointer)
  }

  func bind(_ text: String, at index: Int32) throws {
    try check(bindText(text, at: index))
  }

  func bind(utf8 bytes: [UInt8], at index: Int32) throws {
    try check(bytes.withUnsafeBufferPointer { osd_sqlite_bind_text_copy(pointer, index, $0.baseAddress, $0.count) })
  }

  func bind(_ list: PackedList, at index: Int32) throws {
    try check(bindList(list, at: index))
  }

  private func bind(
    _ parameter: SQLParameter, at index: Int32, _ request: FetchRequest, _ values: [QueryValue]
  ) -> Int32 {
    switch parameter {
    case .limit: return sqlite3_bind_int64(pointer, index, Int64(max(0, request.limit ?? -1)))
    case .offset: return sqlite3_bind_int64(pointer, index, Int64(request.offset))
    case .value(let position, let notANumber):
      guard values.indices.contains(position) else { return SQLITE_RANGE }
      return bind(values[position], at: index, notANumber: notANumber)
    case .prefixEnd(let position):
      guard values.indices.contains(position), case .text(let prefix, _) = values[position] else { return SQLITE_RANGE }
      guard let end = TextPrefix.end(of: prefix) else { return bindPastAllTexts(at: index) }
      return bindText(end, at: index)
    case .list(let position, _):
      guard values.indices.contains(position), case .list(let elements) = values[position] else { return SQLITE_RANGE }
      return bindList(PackedList(elements), at: index)
    case .elements(let position, _):
      guard values.indices.contains(position), case .list(let elements) = values[position] else { return SQLITE_RANGE }
      return bindList(PackedList(elements: elements), at: index)
    }
  }

  private func bind(_ value: QueryValue, at index: Int32, notANumber: NotANumberBinding) -> Int32 {
    switch value {
    case .integer(let number), .identifier(_, let number): return sqlite3_bind_int64(pointer, index, number)
    case .real(let number) where number.isNaN: return bindNotANumber("NaN", at: index, as: notANumber)
    case .real(let number): return sqlite3_bind_double(pointer, index, number)
    case .text(let text, .real): return bindNotANumber(text, at: index, as: notANumber)
    case .text(let text, _): return bindText(text, at: index)
    case .blob(let data, _):
      return data.withUnsafeBytes { osd_sqlite_bind_blob_copy(pointer, index, $0.baseAddress, $0.count) }
    case .null, .list: return sqlite3_bind_null(pointer, index)
    }
  }

  private func bindNotANumber(_ text: String, at index: Int32, as binding: NotANumberBinding) -> Int32 {
    switch binding {
    case .stored: bindText(text, at: index)
    case .unlikeAnything: bindPastAllTexts(at: index)
    }
  }

  private func bindText(_ text: String, at index: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { osd_sqlite_bind_text_copy(pointer, index, $0.baseAddress, $0.count) }
  }

  private func bindList(_ list: PackedList, at index: Int32) -> Int32 {
    list.bytes.withUnsafeBytes { osd_sqlite_bind_blob_copy(pointer, index, $0.baseAddress, $0.count) }
  }

  /// Binds the empty blob. SQLite sorts it after every text and number, and no column of texts or numbers contains it.
  private func bindPastAllTexts(at index: Int32) -> Int32 {
    sqlite3_bind_zeroblob(pointer, index, 0)
  }
}

/// Tables of pointers to SQLite's functions, through which the loops over rows call SQLite.
///
/// Unsafe because the tables are passed as pointers. They are created once and never freed or changed, so any thread
/// may read them at any time.
enum ColumnFunctionTables {
  nonisolated(unsafe) static let read = allocate(
    ColumnReadFunctions(
      step: sqlite3_step, rowCode: SQLITE_ROW, doneCode: SQLITE_DONE, storageClass: sqlite3_column_type,
      integer: sqlite3_column_int64, real: sqlite3_column_double, text: sqlite3_column_text,
      blob: sqlite3_column_blob, count: sqlite3_column_bytes))

  /// For a statement that has returned all its rows. `step` does not call SQLite, which would restart the statement.
  nonisolated(unsafe) static let none = allocate(
    ColumnReadFunctions(
      step: { _ in SQLITE_DONE }, rowCode: SQLITE_ROW, doneCode: SQLITE_DONE, storageClass: sqlite3_column_type,
      integer: sqlite3_column_int64, real: sqlite3_column_double, text: sqlite3_column_text,
      blob: sqlite3_column_blob, count: sqlite3_column_bytes))

  nonisolated(unsafe) static let insert = allocate(write(step: osd_sqlite_step_write))
  nonisolated(unsafe) static let update = allocate(write(step: osd_sqlite_step_update))

  nonisolated(unsafe) static let upsert = allocate(write(step: osd_sqlite_step_upsert))

  private static func write(
    step: @escaping @convention(c) @Sendable (OpaquePointer?) -> Int32
  ) -> ColumnWriteFunctions {
    ColumnWriteFunctions(
      null: sqlite3_bind_null, integer: sqlite3_bind_int64, real: sqlite3_bind_double, text: osd_sqlite_bind_text,
      blob: osd_sqlite_bind_blob, step: step)
  }

  private static func allocate<Table>(_ table: Table) -> UnsafePointer<Table> {
    let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    pointer.initialize(to: table)
    return UnsafePointer(pointer)
  }
}
