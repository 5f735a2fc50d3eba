import PersistenceRuntime
import PersistenceSupport

/// Copies of all rows of a fetch. An engine needs them if it cannot run other statements before all rows are read.
///
/// Used only by the call that reads the rows. The addresses of texts and bytes are valid as long as the object exists.
package final class DrainedRows {
  private struct DrainedValue {
    let storage: Int32
    let integer: Int64
    let real: Double
    var bytes = 0..<0

    /// Whether the value is a text or a blob, whose bytes are at the offsets ``bytes``.
    var hasBytes: Bool { storage == StorageClass.text.rawValue || storage == StorageClass.blob.rawValue }
  }

  private let columnCount: Int
  private var values: ContiguousArray<DrainedValue> = []
  /// The bytes of all texts and blobs. They are only reallocated in `init`, so addresses stay valid afterwards.
  private var bytes = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 16)
  private var capacity = 4_096
  private var byteCount = 0
  /// The index of the first value of the current row.
  private var first: Int

  /// Reads and copies all rows.
  ///
  /// - Throws: The error of the engine if it cannot read a row.
  package init(_ source: EngineRows, columnCount: Int32) throws {
    self.columnCount = Int(columnCount)
    first = -Int(columnCount)
    let functions = source.functions.pointee
    var isOnNextRow = source.isOnFirstRow
    while true {
      let code = isOnNextRow ? functions.rowCode : functions.step(source.row)
      isOnNextRow = false
      if code == functions.doneCode { return }
      guard code == functions.rowCode else { throw source.error(code) }
      for column in 0..<columnCount { append(column, of: source.row, functions) }
    }
  }

  deinit { bytes.deallocate() }

  /// Puts the rows into the order of a list of keys, and removes rows with other keys. The first column is the key.
  package func order(by keys: [Int64]) {
    var starts: [Int64: Int] = [:]
    for start in stride(from: 0, to: values.count, by: columnCount) { starts[values[start].integer] = start }
    let old = values
    values = []
    values.reserveCapacity(old.count)
    for key in keys { if let start = starts[key] { values += old[start..<start + columnCount] } }
  }

  /// The copied rows, with the cursor before the first row. The caller must retain this object while it reads them.
  ///
  /// - Parameter source: The original rows, whose error function, file access and cipher are used.
  package func rows(like source: EngineRows) -> EngineRows {
    EngineRows(
      row: OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), functions: Self.functions, error: source.error,
      externalValues: source.externalValues, cipher: source.cipher)
  }

  private func append(_ column: Int32, of row: OpaquePointer, _ functions: ColumnReadFunctions) {
    let storage = functions.storageClass(row, column)
    var value = DrainedValue(
      storage: storage, integer: functions.integer(row, column), real: functions.real(row, column))
    if storage == StorageClass.text.rawValue {
      let text = functions.text(row, column)
      value.bytes = copy(UnsafeRawPointer(text), Int(functions.count(row, column)))
    } else if storage == StorageClass.blob.rawValue {
      let blob = functions.blob(row, column)
      value.bytes = copy(blob, Int(functions.count(row, column)))
    }
    values.append(value)
  }

  private func copy(_ source: UnsafeRawPointer?, _ count: Int) -> Range<Int> {
    guard let source, count > 0 else { return byteCount..<byteCount }
    if capacity - byteCount < count { grow(by: count) }
    (bytes + byteCount).copyMemory(from: source, byteCount: count)
    byteCount += count
    return byteCount - count..<byteCount
  }

  private func grow(by count: Int) {
    capacity = max(capacity * 2, byteCount + count)
    let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    grown.copyMemory(from: bytes, byteCount: byteCount)
    bytes.deallocate()
    bytes = grown
  }

  private static let rowCode: Int32 = 1
  private static let doneCode: Int32 = 0

  /// `nonisolated(unsafe)`, because the type is a pointer. The table is created once and never changed or freed.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnReadFunctions> = {
    let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnReadFunctions(
        step: { DrainedRows.rows(at: $0)?.step() ?? DrainedRows.doneCode },
        rowCode: DrainedRows.rowCode, doneCode: DrainedRows.doneCode,
        storageClass: { DrainedRows.rows(at: $0)?.value($1)?.storage ?? StorageClass.null.rawValue },
        integer: { DrainedRows.rows(at: $0)?.value($1)?.integer ?? 0 },
        real: { DrainedRows.rows(at: $0)?.value($1)?.real ?? 0 },
        text: { DrainedRows.rows(at: $0)?.start(of: $1)?.assumingMemoryBound(to: UInt8.self) },
        blob: { DrainedRows.rows(at: $0)?.start(of: $1) },
        count: { Int32(clamping: DrainedRows.rows(at: $0)?.value($1)?.bytes.count ?? 0) }))
    return UnsafePointer(functions)
  }()

  private static func rows(at row: OpaquePointer?) -> DrainedRows? {
    row.map { Unmanaged<DrainedRows>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
  }

  private func step() -> Int32 {
    guard first + columnCount < values.count else { return Self.doneCode }
    first += columnCount
    return Self.rowCode
  }

  /// A value of the current row.
  private func value(_ column: Int32) -> DrainedValue? {
    let index = first + Int(column)
    return column >= 0 && column < columnCount && values.indices.contains(index) ? values[index] : nil
  }

  /// The address of a text or blob in the current row; nil for other values. It is not nil for an empty text or blob.
  private func start(of column: Int32) -> UnsafeRawPointer? {
    guard let value = value(column), value.hasBytes else { return nil }
    return UnsafeRawPointer(bytes + value.bytes.lowerBound)
  }
}
