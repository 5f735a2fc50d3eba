import Foundation
import PersistenceCore

/// A list of values as the bytes of one parameter, for databases that have no arrays.
///
/// Each value is a byte with the raw value of its ``StorageClass``, then 8 bytes in the machine's order: the number
/// itself, or the count of the bytes that follow. Nil and not-a-number are left out: the first is asked about beside
/// the list, and nothing equals the second.
package struct PackedList {
  package private(set) var bytes: [UInt8] = []

  package init(_ values: [QueryValue]) {
    bytes.reserveCapacity(values.count * 9)
    for value in values { append(value) }
  }

  package init(keys: [Int64]) {
    bytes.reserveCapacity(keys.count * 9)
    for key in keys { append(.integer, UInt64(bitPattern: key)) }
  }

  private mutating func append(_ value: QueryValue) {
    switch value {
    case .integer(let number), .identifier(_, let number): append(.integer, UInt64(bitPattern: number))
    case .real(let number) where !number.isNaN: append(.real, number.bitPattern)
    case .text(let text, let format) where format != .real:
      let utf8 = text.utf8
      append(.text, UInt64(utf8.count))
      bytes.append(contentsOf: utf8)
    case .blob(let data, _):
      append(.blob, UInt64(data.count))
      bytes.append(contentsOf: data)
    case .null, .real, .text, .list: break
    }
  }

  private mutating func append(_ storageClass: StorageClass, _ word: UInt64) {
    bytes.append(UInt8(truncatingIfNeeded: storageClass.rawValue))
    withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
  }
}
