/// A checksum over the values of a row, which depends on their order.
///
/// It detects values that a copy lost, added or mixed up. It does not protect against forged rows.
struct RowDigest {
  private var state: UInt64

  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let increment: UInt64 = 0xD1B5_4A32_D192_ED03

  /// - Parameter key: The primary key of the row.
  init(key: Int64) {
    state = Self.increment
    combine(UInt64(bitPattern: key))
  }

  mutating func combine(_ word: UInt64) {
    let product = (state ^ word).multipliedFullWidth(by: Self.factor)
    state = (product.high ^ product.low) &+ Self.increment
  }

  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    combine(UInt64(truncatingIfNeeded: bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    combine(bytes[offset...].reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  mutating func combine(_ value: MovedValue) {
    switch value {
    case .null: combine(0)
    case .integer(let number):
      combine(1)
      combine(UInt64(bitPattern: number))
    case .real(let number):
      combine(2)
      combine(number.bitPattern)
    case .text(let text):
      combine(3)
      combine(UnsafeRawBufferPointer(text))
    case .bytes(let bytes):
      combine(4)
      combine(bytes)
    }
  }

  var value: UInt64 { state }
}

/// The number of rows, pairs or positions, and a checksum of them that does not depend on their order.
struct ContentsDigest: Hashable {
  private(set) var count = 0
  private(set) var checksum: UInt64 = 0

  mutating func add(_ row: RowDigest) {
    count += 1
    checksum &+= row.value
  }
}
