import Foundation
import PersistenceRuntime

/// A value in the representation of a column.
package enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

extension StoredValue {
  /// The value as it is encrypted.
  package var packed: Data {
    switch self {
    case .null: PackedValue(.null).data
    case .integer(let number): PackedValue(.integer, bits: UInt64(bitPattern: number)).data
    case .real(let number): PackedValue(.real, bits: number.bitPattern).data
    case .text(let text): Data(text.utf8).withUnsafeBytes { PackedValue(.text, bytes: $0).data }
    case .blob(let data): data.withUnsafeBytes { PackedValue(.blob, bytes: $0).data }
    }
  }

  /// Decodes ``packed`` bytes; nil if they are malformed.
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
