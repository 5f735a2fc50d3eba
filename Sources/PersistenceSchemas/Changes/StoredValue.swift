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
  /// The storage class and the value as bytes, which encryption seals.
  package var packed: Data {
    switch self {
    case .null: return Data([UInt8(StorageClass.null.rawValue)])
    case .integer(let number): return Self.pack(.integer, UInt64(bitPattern: number))
    case .real(let number): return Self.pack(.real, number.bitPattern)
    case .text(let text): return Data([UInt8(StorageClass.text.rawValue)]) + Data(text.utf8)
    case .blob(let data): return Data([UInt8(StorageClass.blob.rawValue)]) + data
    }
  }

  /// Decodes ``packed`` bytes; nil if they are malformed.
  package init?(packed: Data) {
    guard let code = packed.first, let storage = StorageClass(rawValue: Int32(code)) else { return nil }
    let bytes = packed.dropFirst()
    switch storage {
    case .null: self = .null
    case .text: self = .text(String(decoding: bytes, as: UTF8.self))
    case .blob: self = .blob(Data(bytes))
    case .integer, .real:
      guard bytes.count == 8 else { return nil }
      let bits = UInt64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
      self = storage == .integer ? .integer(Int64(bitPattern: bits)) : .real(Double(bitPattern: bits))
    }
  }

  private static func pack(_ storage: StorageClass, _ bits: UInt64) -> Data {
    var data = Data([UInt8(storage.rawValue)])
    withUnsafeBytes(of: bits.littleEndian) { data.append(contentsOf: $0) }
    return data
  }
}
