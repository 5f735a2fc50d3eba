import Foundation

/// The form in which a column's value is encrypted: a byte with the storage class, then the bits of a number, least
/// significant byte first, or the bytes of the value.
///
/// Unsafe: `bytes` belong to the caller, and are valid only as long as the memory that they are read from.
package struct PackedValue {
  package let storage: StorageClass
  /// The bits of a number.
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
