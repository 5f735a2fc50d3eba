import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A row in memory, to which ``RowWriter`` writes values in the same way as to a row of a store.
///
/// Unsafe: the writer gets the row as an opaque pointer. The row is on the stack of ``capturing(_:storesForms:_:)``,
/// and the pointer is used only during this call. Written texts and bytes are copied.
struct CapturedRow {
  private(set) var values: [StoredValue] = []

  /// Returns the values that a block writes to a row.
  ///
  /// - Parameter storesForms: Whether values are converted to the form in which columns store them.
  static func capturing(
    _ session: WriteSession, storesForms: Bool, _ body: (inout RowWriter) -> Void
  ) -> [StoredValue] {
    var row = CapturedRow()
    withUnsafeMutablePointer(to: &row) { address in
      let statement = EngineStatement(
        statement: OpaquePointer(address), functions: functions, storesForms: storesForms,
        error: { _ in .valueNotStorable })
      var writer = RowWriter(statement, session: session, mask: PropertyMask.all)
      body(&writer)
    }
    return row.values
  }

  private mutating func set(_ parameter: Int32, _ value: StoredValue) -> Int32 {
    while values.count < Int(parameter) { values.append(.null) }
    guard parameter > 0 else { return 1 }
    values[Int(parameter) - 1] = value
    return 0
  }

  private static func address(_ pointer: OpaquePointer?) -> UnsafeMutablePointer<CapturedRow>? {
    pointer.map { UnsafeMutablePointer<CapturedRow>($0) }
  }

  // `nonisolated(unsafe)`, because the type is a pointer. The table is created once and never changed or freed.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnWriteFunctions> = {
    let functions = UnsafeMutablePointer<ColumnWriteFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnWriteFunctions(
        null: { address($0)?.pointee.set($1, .null) ?? 1 },
        integer: { address($0)?.pointee.set($1, .integer($2)) ?? 1 },
        real: { address($0)?.pointee.set($1, .real($2)) ?? 1 },
        text: { row, parameter, start, count in
          let text = String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
          return address(row)?.pointee.set(parameter, .text(text)) ?? 1
        },
        blob: { row, parameter, start, count in
          let data = Data(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
          return address(row)?.pointee.set(parameter, .blob(data)) ?? 1
        },
        step: { _ in 1 }))
    return UnsafePointer(functions)
  }()
}

/// A value of a column.
package enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

extension StoredValue {
  /// The value as bytes, which a cipher encrypts.
  package var packed: Data {
    switch self {
    case .null: PackedValue(.null).data
    case .integer(let number): PackedValue(.integer, bits: UInt64(bitPattern: number)).data
    case .real(let number): PackedValue(.real, bits: number.bitPattern).data
    case .text(let text): Data(text.utf8).withUnsafeBytes { PackedValue(.text, bytes: $0).data }
    case .blob(let data): data.withUnsafeBytes { PackedValue(.blob, bytes: $0).data }
    }
  }

  /// Creates a value from ``packed`` bytes. Returns nil if the bytes are malformed.
  package init?(packed: Data) {
    let value = packed.withUnsafeBytes { bytes in PackedValue(reading: bytes).map { StoredValue($0) } }
    guard let value else { return nil }
    self = value
  }

  private init(_ value: PackedValue) {
    switch value.storage {
    case .null: self = .null
    case .integer: self = .integer(Int64(bitPattern: value.bits))
    case .real: self = .real(Double(bitPattern: value.bits))
    case .text: self = .text(String(decoding: value.bytes, as: UTF8.self))
    case .blob: self = .blob(Data(value.bytes))
    }
  }
}
