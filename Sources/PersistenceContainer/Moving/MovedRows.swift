import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A copied value of one row. The bytes of a text or blob are valid only in the call that gets the value.
enum MovedValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(UnsafeBufferPointer<UInt8>)
  case bytes(UnsafeRawBufferPointer)

  /// The number of bytes of a text or blob; 0 for other values.
  var byteCount: Int {
    switch self {
    case .null, .integer, .real: 0
    case .text(let text): text.count
    case .bytes(let bytes): bytes.count
    }
  }
}

/// A column of the rows of an entity. In every store, the columns of a row are the primary key and then these columns.
struct MovedColumn {
  /// The index of the column in a row.
  let index: Int32
  let format: ColumnFormat
  /// The names of entity and property, for messages.
  let name: String
  let outOfRow: OutOfRowValue?
  /// Whether a read returns the exact value that was written. Otherwise it may return a value that differs but is equal
  /// by `==`, such as a normalised text.
  let keepsOriginal: Bool

  /// The number of the column's parameter in the INSERT statement.
  var parameter: Int32 { index + 1 }

  static func all(of entity: EntityLayout) -> [MovedColumn] {
    var columns: [MovedColumn] = []
    for property in entity.properties {
      for (index, column) in property.columns.enumerated() {
        columns.append(
          MovedColumn(
            index: Int32(columns.count + 1), format: column.format, name: "\(entity.name).\(property.name)",
            outOfRow: entity.outOfRowValue(at: property.position),
            keepsOriginal: property.keepsOriginal(ofColumn: index)))
      }
    }
    return columns
  }
}

/// Reads the rows of an entity as they are stored, without creating models.
///
/// Unsafe: texts and bytes are engine memory, valid until the next row. Use the rows only in the call that gets them.
struct MovedRows {
  private let rows: EngineRows
  let columns: [MovedColumn]
  private var isOnNextRow: Bool

  init(_ rows: EngineRows, columns: [MovedColumn]) {
    self.rows = rows
    self.columns = columns
    isOnNextRow = rows.isOnFirstRow
  }

  private var functions: ColumnReadFunctions { rows.functions.pointee }

  /// Moves to the next row; returns false after the last.
  mutating func next() throws -> Bool {
    if isOnNextRow {
      isOnNextRow = false
      return true
    }
    let code = functions.step(rows.row)
    if code == functions.rowCode { return true }
    if code == functions.doneCode { return false }
    throw rows.error(code)
  }

  var key: Int64 { functions.integer(rows.row, 0) }

  func integer(_ column: Int32) -> Int64 { functions.integer(rows.row, column) }

  /// The number in a column; nil if the column has no number.
  func real(_ column: Int32) -> Double? {
    switch StorageClass(rawValue: functions.storageClass(rows.row, column)) {
    case .real, .integer: functions.real(rows.row, column)
    case .text, .blob, .null, nil: nil
    }
  }

  /// Passes the values of a row to a block, in the order of the columns.
  ///
  /// - Returns: The checksum of the row.
  func forEachValue(_ body: (MovedValue, MovedColumn) throws -> Void) throws -> RowDigest {
    var digest = RowDigest(key: key)
    for column in columns {
      try withValue(of: column) { value in
        digest.combine(value)
        try body(value, column)
      }
    }
    return digest
  }

  private func withValue(of column: MovedColumn, _ body: (MovedValue) throws -> Void) throws {
    let value = value(of: column)
    if let outOfRow = column.outOfRow { return try withPlainValue(value, column, outOfRow, body) }
    // Decimals are converted to a canonical text, because another program may have written equal decimals differently.
    guard column.format == .decimal, case .text(let text) = value, let number = StoredDecimal.value(of: text) else {
      return try body(value)
    }
    var digits = StoredDecimal.digits(of: number)
    try digits.withUTF8 { try body(.text($0)) }
  }

  private func value(of column: MovedColumn) -> MovedValue {
    let (row, index) = (rows.row, column.index)
    switch StorageClass(rawValue: functions.storageClass(row, index)) {
    case .integer: return .integer(functions.integer(row, index))
    case .real: return .real(functions.real(row, index))
    case .text:
      let start = functions.text(row, index)
      let count = start == nil ? 0 : Int(functions.count(row, index))
      return .text(UnsafeBufferPointer(start: start, count: count))
    case .blob:
      let start = functions.blob(row, index)
      let count = start == nil ? 0 : Int(functions.count(row, index))
      return .bytes(UnsafeRawBufferPointer(start: start, count: count))
    case .null, nil: return .null
    }
  }

  /// Reads a value that is in a file, encrypted, or both, and passes its decrypted bytes to a block.
  private func withPlainValue(
    _ value: MovedValue, _ column: MovedColumn, _ outOfRow: OutOfRowValue, _ body: (MovedValue) throws -> Void
  ) throws {
    var value = value
    var file: Data?
    if outOfRow.isExternal, case .text(let reference) = value { file = try bytes(of: reference, column) }
    try (file ?? Data()).withUnsafeBytes { bytes in
      if file != nil { value = .bytes(bytes) }
      guard outOfRow.isEncrypted, case .bytes(let sealed) = value else { return try body(value) }
      guard let cipher = rows.cipher else { throw SwiftDataError(.encryptionKeyMissing) }
      try cipher.open(sealed, entity: outOfRow.entity, property: outOfRow.property).withUnsafeBytes {
        try body(.bytes($0))
      }
    }
  }

  private func bytes(of reference: UnsafeBufferPointer<UInt8>, _ column: MovedColumn) throws -> Data {
    guard let values = rows.externalValues else {
      throw SwiftDataError(.corruptValue, "The value is kept outside of the store, which has no place for such values.")
    }
    do {
      return try values.bytes(of: String(decoding: reference, as: UTF8.self))
    } catch let error as UnreadableExternalValue {
      throw SwiftDataError(
        .corruptValue, "\(error.reason). If it was replaced or deleted meanwhile, copy again.", underlying: error)
    }
  }
}

/// Writes rows of another store as they are, one at a time, without creating models.
///
/// Unsafe: the statement reads values by address when it writes the row. Use the writer only in the call that gets it.
struct MovedRowWriter {
  private let target: EngineStatement
  /// Keeps copies of values that would otherwise be freed before the row is written.
  private let arena = ByteArena(rowCount: 1)
  private var row = 0
  /// The approximate number of bytes of all rows so far.
  private(set) var byteCount = 0

  init(_ target: EngineStatement) {
    self.target = target
  }

  private var functions: ColumnWriteFunctions { target.functions.pointee }

  /// - Returns: The checksum of the row.
  mutating func write(_ rows: MovedRows) throws -> RowDigest {
    let key = rows.key
    try check(functions.integer(target.statement, 1, key))
    var size = 0
    let digest = try rows.forEachValue { value, column in
      size += 8 + value.byteCount
      try bind(value, column, key)
    }
    try check(functions.step(target.statement))
    arena.freeLarge()
    row += 1
    byteCount += size
    return digest
  }

  private func check(_ code: Int32) throws {
    if code != 0 { throw target.error(code) }
  }

  private func bind(_ value: MovedValue, _ column: MovedColumn, _ key: Int64) throws {
    if let outOfRow = column.outOfRow { return try bind(value, column, outOfRow) }
    switch value {
    case .null: try check(functions.null(target.statement, column.parameter))
    case .integer(let number): try check(functions.integer(target.statement, column.parameter, number))
    case .real(let number): try bind(number, column, key)
    case .text(let text) where column.format == .text: try bind(form: text, column, key)
    // The text of a decimal exists only during this call, so it is copied.
    case .text(let text) where column.format == .decimal: try bind(copyOf: text, column)
    case .text(let text): try bind(text: text, column)
    case .bytes(let bytes): try bind(bytes: bytes, column)
    }
  }

  // MARK: Forms

  private func bind(_ number: Double, _ column: MovedColumn, _ key: Int64) throws {
    let isNegativeZero = number == 0 && number.sign == .minus
    if target.storesForms, isNegativeZero { note(OriginalNotes.negativeZero, column, key) }
    try check(
      functions.real(target.statement, column.parameter, target.storesForms && isNegativeZero ? 0 : number))
  }

  /// Binds the stored (normalised) form of a text. If the form differs from the text, also records the original text.
  private func bind(form bytes: UnsafeBufferPointer<UInt8>, _ column: MovedColumn, _ key: Int64) throws {
    guard target.storesForms, !StoredText.isSurelyStored(bytes) else { return try bind(text: bytes, column) }
    let text = String(decoding: bytes, as: UTF8.self)
    // If the exact texts of the column are not kept, it contains their stored forms, whose escapes are reverted here.
    let original = column.keepsOriginal ? text : StoredText.original(ofForm: text)
    guard var form = StoredText.differingForm(of: original) else { return try bind(text: bytes, column) }
    note(text, column, key)
    try form.withUTF8 { try bind(copyOf: $0, column) }
  }

  private func note(_ original: String, _ column: MovedColumn, _ key: Int64) {
    guard column.keepsOriginal else { return }
    target.originals?.note(
      OriginalNotes.Note(row: row, key: key, parameter: column.parameter, original: original))
  }

  // MARK: Bytes

  private func bind(text: UnsafeBufferPointer<UInt8>, _ column: MovedColumn) throws {
    try check(
      functions.text(target.statement, column.parameter, text.baseAddress ?? noText(), text.count))
  }

  private func bind(copyOf text: UnsafeBufferPointer<UInt8>, _ column: MovedColumn) throws {
    let copy = arena.copyLarge(UnsafeRawBufferPointer(text))
    try bind(text: UnsafeBufferPointer(start: copy.assumingMemoryBound(to: UInt8.self), count: text.count), column)
  }

  private func bind(bytes: UnsafeRawBufferPointer, _ column: MovedColumn) throws {
    // Even an empty value needs a non-null pointer, because the statement binds a null pointer as NULL.
    try check(
      functions.blob(
        target.statement, column.parameter, bytes.baseAddress ?? UnsafeRawPointer(noText()), bytes.count))
  }

  private func noText() -> UnsafePointer<UInt8> {
    UnsafePointer(arena.copyLarge(UnsafeRawBufferPointer(start: nil, count: 0)).assumingMemoryBound(to: UInt8.self))
  }

  /// Binds a value that the target keeps in a file, encrypted, or both.
  private func bind(_ value: MovedValue, _ column: MovedColumn, _ outOfRow: OutOfRowValue) throws {
    guard case .bytes(let plain) = value else {
      guard case .null = value else {
        throw SwiftDataError(.corruptValue, "\(column.name) has what is none of its values.")
      }
      return try check(functions.null(target.statement, column.parameter))
    }
    guard outOfRow.isEncrypted else { return try put(plain, column, outOfRow) }
    guard let cipher = target.cipher else { throw SwiftDataError(.encryptionKeyMissing) }
    try cipher.seal(plain, entity: outOfRow.entity, property: outOfRow.property).withUnsafeBytes {
      // These bytes are freed before the row is written, so they are copied.
      let copy = arena.copyLarge($0)
      try put(UnsafeRawBufferPointer(start: copy, count: $0.count), column, outOfRow)
    }
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ column: MovedColumn, _ outOfRow: OutOfRowValue) throws {
    guard outOfRow.isExternal, let values = target.externalValues, bytes.count > values.largestInline else {
      let copy = arena.copyLarge(bytes)
      return try bind(bytes: UnsafeRawBufferPointer(start: copy, count: bytes.count), column)
    }
    var reference = try values.keep(bytes)
    try reference.withUTF8 { try bind(copyOf: $0, column) }
  }
}
