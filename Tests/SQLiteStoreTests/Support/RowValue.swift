import PersistenceCore

/// A column value. Tests write and read it through the functions that the engine offers to the library's core.
enum RowValue: Equatable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByNilLiteral
{
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int64) { self = .integer(value) }
  init(floatLiteral value: Double) { self = .real(value) }
  init(nilLiteral: ()) { self = .null }

  func bind(to statement: EngineStatement, at index: Int32) -> Int32 {
    let (target, functions) = (statement.statement, statement.functions.pointee)
    switch self {
    case .null: return functions.null(target, index)
    case .integer(let value): return functions.integer(target, index, value)
    case .real(let value): return functions.real(target, index, value)
    case .text, .blob: return SampleStore.failure
    }
  }

  /// The bytes of a text or blob; nil for other values.
  var bytes: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .blob(let bytes): bytes
    default: nil
    }
  }

  init(_ rows: EngineRows, _ column: Int32) {
    let (row, functions) = (rows.row, rows.functions.pointee)
    switch StorageClass(rawValue: functions.storageClass(row, column)) {
    case .integer: self = .integer(functions.integer(row, column))
    case .real: self = .real(functions.real(row, column))
    case .text:
      let start = functions.text(row, column)
      let buffer = UnsafeBufferPointer(start: start, count: Int(functions.count(row, column)))
      self = .text(String(decoding: buffer, as: UTF8.self))
    case .blob:
      let start = functions.blob(row, column)
      self = .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(functions.count(row, column)))))
    default: self = .null
    }
  }
}

extension EngineStatement {
  /// Writes one row: binds the values to the parameters from 1 on, and executes the statement.
  func write(_ values: [RowValue]) throws {
    try bind(values[...], at: 1)
  }

  // Calls itself for each value, so that the bytes of all texts stay valid until the statement is executed.
  private func bind(_ values: ArraySlice<RowValue>, at index: Int32) throws {
    guard let value = values.first else { return try check(functions.pointee.step(statement)) }
    guard let bytes = value.bytes else {
      try check(value.bind(to: self, at: index))
      return try bind(values.dropFirst(), at: index + 1)
    }
    try bytes.withUnsafeBytes { buffer in
      if case .text = value {
        let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        try check(functions.pointee.text(statement, index, start, buffer.count))
      } else {
        try check(functions.pointee.blob(statement, index, buffer.baseAddress, buffer.count))
      }
      try bind(values.dropFirst(), at: index + 1)
    }
  }

  func check(_ code: Int32) throws {
    if code != 0 { throw error(code) }
  }
}

extension EngineRows {
  /// Reads all rows. Each has the given number of columns.
  func all(columns: Int) throws -> [[RowValue]] {
    var result: [[RowValue]] = []
    var isOnNextRow = isOnFirstRow
    while try next(&isOnNextRow) { result.append((0..<Int32(columns)).map { RowValue(self, $0) }) }
    return result
  }

  /// Moves to the next row. Returns true if there is one.
  ///
  /// - Parameter isOnNextRow: True if the engine has moved to that row already, as it has to the first row.
  func next(_ isOnNextRow: inout Bool) throws -> Bool {
    if isOnNextRow {
      isOnNextRow = false
      return true
    }
    let code = functions.pointee.step(row)
    if code == functions.pointee.rowCode { return true }
    guard code == functions.pointee.doneCode else { throw error(code) }
    return false
  }
}
