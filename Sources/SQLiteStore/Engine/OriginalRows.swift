import CSQLite
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// The rows of a statement, with originals (the values as they were written) instead of their stored forms.
///
/// Originals are looked up once per row, and only if a column may have one: the column contains the number 0, or a text
/// with characters beyond ASCII or one of a few ASCII characters. After many look-ups without a result, the keys of all
/// rows with originals are read, and other rows are no longer looked up. A list of too many keys is not kept.
///
/// Unsafe: callers get rows as opaque pointers, which here point to an `OriginalRows`. A pointer is only used during
/// the call that retains the object. The bytes of an original are valid until the next step, like those of a column.
final class OriginalRows {
  /// The columns of a statement's rows, to find out which may have originals.
  struct Columns {
    let table: String
    /// The name of each column of the rows; nil for the primary key and for columns that are neither text nor real.
    let names: [String?]

    init(_ table: TableMapping, mask: UInt64, includesSubentities: Bool = true) {
      self.table = table.name
      let columns = RowStatements.selectedColumns(table, mask: mask, includesSubentities: includesSubentities)
      names = [nil] + columns.map { $0.format == .text || $0.format == .real ? $0.name : nil }
    }
  }

  private struct Original {
    let column: Int32
    /// Zero-terminated, like the texts of columns.
    let bytes: UnsafeMutableBufferPointer<UInt8>

    var count: Int { bytes.count - 1 }
    var text: String { String(decoding: bytes.dropLast(), as: UTF8.self) }
  }

  private let statement: OpaquePointer
  private let lookUp: SQLiteStatement
  private let connection: SQLiteConnection
  private let columns: Columns
  private var originals: [Original] = []
  private var isLookedUp = false
  /// The original of the value that was read last; nil if that value has no original.
  private var last: Original?
  /// The number of look-ups without a result.
  private var missCount = 0
  /// How many look-ups without a result occur before the keys are read. More than four keys per look-up are not kept.
  private var patience = 64
  /// The keys of all rows of the table with originals, once they have been read.
  private var keys: Set<Int64>?
  private var failure: (any Error)?

  /// - Parameter lookUp: The statement that finds originals. It is reserved for these rows.
  init(_ statement: SQLiteStatement, _ columns: Columns, lookUp: SQLiteStatement, on connection: SQLiteConnection)
    throws
  {
    self.statement = statement.pointer
    self.columns = columns
    self.lookUp = lookUp
    self.connection = connection
    try lookUp.bind(columns.table, at: 1)
  }

  deinit { forgetRow() }

  /// The pointer that represents the current row. The caller retains this object while it reads the rows.
  var row: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// Throws the error of the look-up that failed, if any. Call this after reading the rows.
  func throwFailure() throws {
    if let failure { throw failure }
  }

  // MARK: Originals

  private func original(of column: Int32) -> Original? {
    let index = Int(column)
    guard columns.names.indices.contains(index), columns.names[index] != nil else { return nil }
    if !isLookedUp { lookUpOriginals() }
    return originals.first { $0.column == column }
  }

  private func lookUpOriginals() {
    isLookedUp = true
    let key = sqlite3_column_int64(statement, 0)
    if let keys, !keys.contains(key) { return }
    do {
      try lookUp.bind(key, at: 2)
      defer { sqlite3_reset(lookUp.pointer) }
      while try lookUp.step() { note(column: lookUp.text(0)) }
      if originals.isEmpty { try noteMiss() }
    } catch {
      failure = error
    }
  }

  private func note(column name: String?) {
    guard let name, let index = columns.names.firstIndex(of: name) else { return }
    let count = Int(sqlite3_column_bytes(lookUp.pointer, 1))
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count + 1)
    bytes.initialize(repeating: 0)
    // A blob and a text have the same bytes in a UTF-8 database, and this library's databases are in UTF-8.
    if let source = sqlite3_column_blob(lookUp.pointer, 1) {
      UnsafeMutableRawBufferPointer(bytes).copyMemory(from: UnsafeRawBufferPointer(start: source, count: count))
    }
    originals.append(Original(column: Int32(index), bytes: bytes))
  }

  private func noteMiss() throws {
    missCount += 1
    guard missCount == patience else { return }
    let limit = patience * 4
    patience *= 4
    try connection.withStatement(OriginalsTable.keys) { statement in
      try statement.bind(columns.table, at: 1)
      try statement.bind(Int64(limit + 1), at: 2)
      var found: Set<Int64> = []
      while try statement.step() { found.insert(statement.integer(0)) }
      if found.count <= limit { keys = found }
    }
  }

  private func forgetRow() {
    isLookedUp = false
    last = nil
    guard !originals.isEmpty else { return }
    for original in originals { original.bytes.deallocate() }
    originals.removeAll(keepingCapacity: true)
  }

  // MARK: Columns

  private func step() -> Int32 {
    // After a failed look-up, no further row is returned. The caller throws the error.
    guard failure == nil else { return SQLITE_DONE }
    forgetRow()
    return sqlite3_step(statement)
  }

  private func text(_ column: Int32) -> UnsafePointer<UInt8>? {
    last = nil
    guard let start = sqlite3_column_text(statement, column) else { return nil }
    let form = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    guard form.contains(where: Self.isOfOriginals), let original = original(of: column),
      StoredText.form(of: original.text).utf8.elementsEqual(form)
    else { return start }
    last = original
    return UnsafePointer(original.bytes.baseAddress)
  }

  /// Returns true if a text with this byte may differ from its original: a byte beyond ASCII, the start of an escape,
  /// or an ASCII character that is the normal form of another one (of U+037E, U+1FEF or U+212A).
  private static func isOfOriginals(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == 0x01 || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "K")
  }

  private func real(_ column: Int32) -> Double {
    let value = sqlite3_column_double(statement, column)
    guard value == 0, sqlite3_column_type(statement, column) == SQLITE_FLOAT, let original = original(of: column),
      original.text == OriginalNotes.negativeZero
    else { return value }
    return -0.0
  }

  private func blob(_ column: Int32) -> UnsafeRawPointer? {
    last = nil
    return sqlite3_column_blob(statement, column)
  }

  private func count(_ column: Int32) -> Int32 {
    last.map { Int32(clamping: $0.count) } ?? sqlite3_column_bytes(statement, column)
  }

  private static func at<Result>(_ row: OpaquePointer?, _ other: Result, _ body: (OriginalRows) -> Result) -> Result {
    row.map { Unmanaged<OriginalRows>.fromOpaque(UnsafeRawPointer($0))._withUnsafeGuaranteedRef(body) } ?? other
  }

  /// Created once, and never freed or changed, so any thread may read it at any time.
  nonisolated(unsafe) static let functions: UnsafePointer<ColumnReadFunctions> = {
    let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnReadFunctions(
        step: { OriginalRows.at($0, SQLITE_MISUSE) { $0.step() } }, rowCode: SQLITE_ROW, doneCode: SQLITE_DONE,
        storageClass: { row, column in
          OriginalRows.at(row, SQLITE_NULL) { sqlite3_column_type($0.statement, column) }
        },
        integer: { row, column in OriginalRows.at(row, 0) { sqlite3_column_int64($0.statement, column) } },
        real: { row, column in OriginalRows.at(row, 0) { $0.real(column) } },
        text: { row, column in OriginalRows.at(row, nil) { $0.text(column) } },
        blob: { row, column in OriginalRows.at(row, nil) { $0.blob(column) } },
        count: { row, column in OriginalRows.at(row, 0) { $0.count(column) } }))
    return UnsafePointer(functions)
  }()
}
