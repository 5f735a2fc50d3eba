import PersistenceCore

/// Records the rows that the library writes into a statement, so that the remote engine can send them to the server
/// later. A step only records its row, so it cannot return whether the server rejects the row.
final class RecordedRows {
  fileprivate enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(Range<Int>)
    case blob(Range<Int>)
  }

  /// The values of a row, each with the number of its parameter.
  struct Row {
    fileprivate var values: [(parameter: Int32, value: Value)] = []
    /// A copy of the row's texts and blobs, because the library's pointers to them are valid during the step only.
    fileprivate var bytes: [UInt8] = []
    fileprivate var originals: [OriginalNotes.Note] = []
  }

  /// The originals (``OriginalNotes``) of the row that is being recorded. They are passed to the actual statement once
  /// their row has been sent.
  let originals = OriginalNotes()

  private(set) var rows: [Row] = []
  private var row = Row()
  /// The conflicts of rows that the server rejected because another row has their unique values. The first has the code
  /// 1.
  private var conflicts: [SwiftDataError] = []

  /// The error code of a call without a statement.
  private static let misuseCode: Int32 = -2

  /// Returns a statement that records its rows. Its other properties are those of the given statement.
  func statement(like statement: EngineStatement) -> EngineStatement {
    originals.begin(wantsKeys: statement.originals?.wantsKeys ?? false)
    return EngineStatement(
      statement: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), functions: Self.functions,
      isConflict: { self.conflict($0) != nil }, externalValues: statement.externalValues, cipher: statement.cipher,
      storesForms: statement.storesForms, originals: statement.originals.map { _ in originals },
      error: { self.conflict($0) ?? SwiftDataError(.storeFailure, "The test's server knows no code \($0).") })
  }

  /// Stores the conflict of a rejected row, and returns its code.
  func note(_ conflict: SwiftDataError) -> Int32 {
    conflicts.append(conflict)
    return Int32(conflicts.count)
  }

  private func conflict(_ code: Int32) -> SwiftDataError? {
    let index = Int(code) - 1
    return conflicts.indices.contains(index) ? conflicts[index] : nil
  }

  // MARK: Recording

  /// Unsafe because C functions get a pointer to the table. The table is created once, and never freed or changed.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnWriteFunctions> = {
    let table = UnsafeMutablePointer<ColumnWriteFunctions>.allocate(capacity: 1)
    table.initialize(
      to: ColumnWriteFunctions(
        null: { RecordedRows.record($0, $1, .null) },
        integer: { RecordedRows.record($0, $1, .integer($2)) },
        real: { RecordedRows.record($0, $1, .real($2)) },
        text: { RecordedRows.recordText($0, $1, $2, $3) },
        blob: { RecordedRows.recordBlob($0, $1, $2, $3) },
        step: { RecordedRows.step($0) }))
    return UnsafePointer(table)
  }()

  private static func rows(of statement: OpaquePointer?) -> RecordedRows? {
    statement.map { Unmanaged<RecordedRows>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
  }

  private static func record(_ statement: OpaquePointer?, _ parameter: Int32, _ value: Value) -> Int32 {
    guard let rows = rows(of: statement) else { return misuseCode }
    rows.row.values.append((parameter, value))
    return 0
  }

  private static func recordText(
    _ statement: OpaquePointer?, _ parameter: Int32, _ text: UnsafePointer<UInt8>?, _ count: Int
  ) -> Int32 {
    guard let rows = rows(of: statement) else { return misuseCode }
    return record(statement, parameter, .text(rows.copy(text, count)))
  }

  private static func recordBlob(
    _ statement: OpaquePointer?, _ parameter: Int32, _ blob: UnsafeRawPointer?, _ count: Int
  ) -> Int32 {
    guard let rows = rows(of: statement) else { return misuseCode }
    return record(statement, parameter, .blob(rows.copy(blob, count)))
  }

  private static func step(_ statement: OpaquePointer?) -> Int32 {
    guard let rows = rows(of: statement) else { return misuseCode }
    rows.row.originals = rows.originals.take()
    rows.rows.append(rows.row)
    rows.row = Row()
    return 0
  }

  private func copy(_ bytes: UnsafeRawPointer?, _ count: Int) -> Range<Int> {
    let start = row.bytes.count
    row.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
    return start..<row.bytes.count
  }
}

extension RecordedRows.Row {
  /// Writes the row into the statement, and returns 0 or the code of the error.
  func write(to statement: EngineStatement) -> Int32 {
    let code = send(to: statement)
    if code == 0 { for note in originals { statement.originals?.note(note) } }
    return code
  }

  private func send(to statement: EngineStatement) -> Int32 {
    bytes.withUnsafeBytes { bytes -> Int32 in
      for (parameter, value) in values {
        let code = bind(value, at: parameter, of: bytes, to: statement)
        if code != 0 { return code }
      }
      return statement.functions.pointee.step(statement.statement)
    }
  }

  private func bind(
    _ value: RecordedRows.Value, at parameter: Int32, of bytes: UnsafeRawBufferPointer, to statement: EngineStatement
  ) -> Int32 {
    let functions = statement.functions.pointee
    switch value {
    case .null: return functions.null(statement.statement, parameter)
    case .integer(let integer): return functions.integer(statement.statement, parameter, integer)
    case .real(let real): return functions.real(statement.statement, parameter, real)
    case .text(let range):
      let start = bytes.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) + range.lowerBound }
      return functions.text(statement.statement, parameter, start, range.count)
    case .blob(let range):
      let start = bytes.baseAddress.map { $0 + range.lowerBound }
      return functions.blob(statement.statement, parameter, start, range.count)
    }
  }
}
