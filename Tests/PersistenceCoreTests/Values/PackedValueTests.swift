import Foundation
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSchemas

@Suite("The binary form of values before encryption")
struct PackedValueTests {
  private static let values: [(StoredValue, [UInt8])] = [
    (.null, [5]), (.integer(-2), [1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    (.real(1.5), [2, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F]), (.text("é"), [3, 0xC3, 0xA9]), (.text(""), [3]),
    (.blob(Data([7, 8])), [4, 7, 8]), (.blob(Data()), [4]),
  ]

  @Test("rows and migrations read and write the same bytes as existing stores")
  func bytes() {
    for (value, bytes) in Self.values {
      #expect(value.packed == Data(bytes))
      #expect(StoredValue(packed: Data(bytes)) == value)
      let read = CapturedColumn.holding(packed: Data(bytes), key: 0) { _ in true }
      #expect(read == true)
      let again = Data(bytes).withUnsafeBytes { PackedValue(reading: $0)?.data }
      #expect(again == value.packed)
    }
  }

  private static let malformedBytes: [[UInt8]] = [[], [0], [6, 1], [1], [2, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]]

  @Test("malformed bytes have no value")
  func malformed() {
    for bytes in Self.malformedBytes {
      #expect(StoredValue(packed: Data(bytes)) == nil)
      let read = CapturedColumn.holding(packed: Data(bytes), key: 0) { _ in true }
      #expect(read == nil)
    }
  }
}
