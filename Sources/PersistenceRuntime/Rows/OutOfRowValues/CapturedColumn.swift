import Foundation
import PersistenceSupport

/// A single column in memory. Generated code writes and reads it the same as a column of a store, so that every
/// overload works for out-of-row values.
///
/// Unsafe: the engine interface passes rows as opaque pointers. Here they point to a `CapturedColumn` on the stack, and
/// are valid only during the call that passes them. Written bytes belong to the session until its next row. Bytes to be
/// read belong to the caller for the duration of the call.
struct CapturedColumn {
  private var storage = StorageClass.null
  /// The bits of the value if it is a number.
  private var bits: UInt64 = 0
  private var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether several columns were written.
  fileprivate var isOverfull = false
  /// The value of the key column.
  private var key: Int64 = 0

  var isNull: Bool { storage == .null }

  // MARK: Writing

  /// Returns the value that `body` writes to its only column; nil if `body` writes several columns.
  static func capturing(_ session: WriteSession, mask: UInt64, _ body: (inout RowWriter) -> Void) -> CapturedColumn? {
    var column = CapturedColumn()
    withUnsafeMutablePointer(to: &column) { address in
      let statement = EngineStatement(
        statement: OpaquePointer(address), functions: writeFunctions, storesForms: false,
        error: { _ in .valueNotStorable })
      var writer = RowWriter(statement, session: session, mask: mask)
      body(&writer)
    }
    return column.isOverfull ? nil : column
  }

  /// The bytes, if a blob was written.
  var blob: UnsafeRawBufferPointer? { storage == .blob ? bytes : nil }

  /// The value as the bytes to be encrypted (``PackedValue``).
  var packed: Data { PackedValue(storage, bits: bits, bytes: bytes).data }

  // MARK: Reading

  /// Passes to `body` a column that contains a blob, or NULL if the blob is nil.
  static func holding<Result>(blob: Data?, key: Int64, _ body: (EngineRows) -> Result) -> Result {
    guard let blob else { return CapturedColumn().lend(key: key, body) }
    return blob.withUnsafeBytes { bytes in
      var column = CapturedColumn()
      column.storage = .blob
      column.bytes = bytes
      return column.lend(key: key, body)
    }
  }

  /// Passes to `body` a column with a ``packed`` value. Returns nil if the bytes are malformed.
  static func holding<Result>(packed: Data, key: Int64, _ body: (EngineRows) -> Result) -> Result? {
    packed.withUnsafeBytes { packed in
      guard let value = PackedValue(reading: packed) else { return nil }
      var column = CapturedColumn()
      (column.storage, column.bits, column.bytes) = (value.storage, value.bits, value.bytes)
      return column.lend(key: key, body)
    }
  }

  private func lend<Result>(key: Int64, _ body: (EngineRows) -> Result) -> Result {
    var column = self
    column.key = key
    return withUnsafeMutablePointer(to: &column) { address in
      body(EngineRows(row: OpaquePointer(address), functions: Self.readFunctions, error: { _ in .corruptValue }))
    }
  }

  // MARK: Functions

  private mutating func set(_ parameter: Int32, _ storage: StorageClass, bits: UInt64 = 0) -> Int32 {
    if parameter != 1 { isOverfull = true }
    self.storage = storage
    self.bits = bits
    return 0
  }

  private mutating func set(
    _ parameter: Int32, _ storage: StorageClass, _ start: UnsafeRawPointer?, _ count: Int
  ) -> Int32 {
    bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return set(parameter, storage)
  }

  /// The address of a text or blob. Never null, even without bytes: a reader interprets null as NULL.
  private var start: UnsafeRawPointer? {
    storage == .text || storage == .blob ? bytes.baseAddress ?? UnsafeRawPointer(Self.noBytes) : nil
  }

  private static func address(_ pointer: OpaquePointer?) -> UnsafeMutablePointer<CapturedColumn>? {
    pointer.map { UnsafeMutablePointer<CapturedColumn>($0) }
  }

  // Initialised once, and never mutated.

  nonisolated(unsafe) private static let noBytes = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)

  nonisolated(unsafe) private static let writeFunctions: UnsafePointer<ColumnWriteFunctions> = {
    let functions = UnsafeMutablePointer<ColumnWriteFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnWriteFunctions(
        null: { address($0)?.pointee.set($1, .null) ?? 1 },
        integer: { address($0)?.pointee.set($1, .integer, bits: UInt64(bitPattern: $2)) ?? 1 },
        real: { address($0)?.pointee.set($1, .real, bits: $2.bitPattern) ?? 1 },
        text: { address($0)?.pointee.set($1, .text, $2, $3) ?? 1 },
        blob: { address($0)?.pointee.set($1, .blob, $2, $3) ?? 1 },
        step: { _ in 1 }))
    return UnsafePointer(functions)
  }()

  nonisolated(unsafe) private static let readFunctions: UnsafePointer<ColumnReadFunctions> = {
    let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnReadFunctions(
        step: { _ in 0 }, rowCode: 1, doneCode: 0,
        storageClass: { row, _ in (address(row)?.pointee.storage ?? .null).rawValue },
        integer: { row, column in
          guard let address = address(row) else { return 0 }
          if column == 0 { return address.pointee.key }
          return address.pointee.storage == .integer ? Int64(bitPattern: address.pointee.bits) : 0
        },
        real: { row, _ in
          guard let address = address(row), address.pointee.storage == .real else { return 0 }
          return Double(bitPattern: address.pointee.bits)
        },
        text: { row, _ in address(row)?.pointee.start?.assumingMemoryBound(to: UInt8.self) },
        blob: { row, _ in address(row)?.pointee.start },
        count: { row, _ in Int32(clamping: address(row)?.pointee.bytes.count ?? 0) }))
    return UnsafePointer(functions)
  }()
}

/// The form in which a column's value is encrypted: a byte with the storage class, then the bits of a number, least
/// significant byte first, or the bytes of the value.
///
/// Unsafe: `bytes` belong to the caller, and are valid only as long as the memory that they are read from.
package struct PackedValue {
  package let storage: StorageClass
  /// The bits of the value if it is a number.
  package let bits: UInt64
  /// The bytes of a text or a blob.
  package let bytes: UnsafeRawBufferPointer

  package init(
    _ storage: StorageClass, bits: UInt64 = 0,
    bytes: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    self.storage = storage
    self.bits = bits
    self.bytes = bytes
  }

  /// Reads ``data``; nil if it is malformed.
  package init?(reading packed: UnsafeRawBufferPointer) {
    guard let code = packed.first, let storage = StorageClass(rawValue: Int32(code)) else { return nil }
    let bytes = UnsafeRawBufferPointer(rebasing: packed[1...])
    guard storage == .integer || storage == .real else {
      self.init(storage, bytes: bytes)
      return
    }
    guard bytes.count == 8 else { return nil }
    self.init(storage, bits: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  package var data: Data {
    var data = Data([UInt8(storage.rawValue)])
    switch storage {
    case .null: break
    case .integer, .real: withUnsafeBytes(of: bits.littleEndian) { data.append(contentsOf: $0) }
    case .text, .blob: data.append(contentsOf: bytes)
    }
    return data
  }
}
