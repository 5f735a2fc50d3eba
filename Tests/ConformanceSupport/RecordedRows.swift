import PersistenceCore

/// Rows that a statement has recorded and not sent yet. A step cannot return the result of writing its row.
final class RecordedRows {
  fileprivate enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(Range<Int>)
    case blob(Range<Int>)
  }

  /// The values of a row, with their parameters.
  struct Row {
    fileprivate var values: [(parameter: Int32, value: Value)] = []
    /// The bytes of texts and blobs, which are valid during the step only.
    fileprivate var bytes: [UInt8] = []
    fileprivate var originals: [OriginalNotes.Note] = []
  }

  /// The originals that the statement notes. The originals of a row are noted in the actual statement once the row is
  /// sent.
  let originals = OriginalNotes()

  private(set) var rows: [Row] = []
  private var row = Row()
  /// The conflicts of rows that were rejected because of the unique values of other rows. Their codes count from 1.
  private var conflicts: [SwiftDataError] = []

  /// The code of a step without a statement.
  private static let misuseCode: Int32 = -2

  /// A statement that records rows, with the other properties of the given statement.
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

  /// Unsafe because the table is passed as a pointer. It is created once, and never freed or changed.
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
  /// Writes the row, and returns 0 or the code of an error.
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
