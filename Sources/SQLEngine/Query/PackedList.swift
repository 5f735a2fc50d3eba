import Foundation
import PersistenceRuntime

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

  /// A list with all elements in order, nil and not-a-number as they are stored.
  package init(elements: [QueryValue]) {
    bytes.reserveCapacity(elements.count * 9)
    for element in elements {
      switch element {
      case .null: appendNull()
      case .text(let text, .real): append(text)
      default: append(element)
      }
    }
  }

  package init() {}

  package init(keys: [Int64]) {
    bytes.reserveCapacity(keys.count * 9)
    for key in keys { append(.integer, UInt64(bitPattern: key)) }
  }

  private mutating func append(_ value: QueryValue) {
    switch value {
    case .integer(let number), .identifier(_, let number): append(.integer, UInt64(bitPattern: number))
    case .real(let number) where !number.isNaN: append(.real, number.bitPattern)
    case .text(let text, let format) where format != .real: append(text)
    case .blob(let data, _): append(data)
    case .null, .real, .text, .list: break
    }
  }

  package mutating func append(_ integer: Int64) { append(.integer, UInt64(bitPattern: integer)) }

  package mutating func append(_ real: Double) { append(.real, real.bitPattern) }

  package mutating func append(_ text: String) {
    let utf8 = text.utf8
    append(.text, UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  package mutating func append(_ data: Data) {
    append(.blob, UInt64(data.count))
    bytes.append(contentsOf: data)
  }

  package mutating func appendNull() { append(.null, 0) }

  private mutating func append(_ storageClass: StorageClass, _ word: UInt64) {
    bytes.append(UInt8(truncatingIfNeeded: storageClass.rawValue))
    unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0) }
  }
}
