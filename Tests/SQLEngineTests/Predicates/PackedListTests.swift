import Foundation
import PersistenceCore
import SQLEngine
import Testing

@Suite("Lists that are encoded as the bytes of one parameter")
struct PackedListTests {
  @Test("each value is encoded as its storage class, an integer and the bytes of the value")
  func form() {
    func word(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
    let list = PackedList([
      .integer(-1), .real(0.5), .text("é\0", .text), .blob(Data([7]), .blob), .text("", .text),
    ])
    let expected: [[UInt8]] = [
      [1], word(.max), [2], word((0.5).bitPattern), [3], word(3), [0xC3, 0xA9, 0], [4], word(1), [7], [3], word(0),
    ]
    #expect(list.bytes == expected.flatMap { $0 })
  }

  @Test("nil and not-a-number are omitted")
  func omissions() {
    #expect(PackedList([.null, .real(.nan), .text("NaN:1", .real)]).bytes == [])
    #expect(PackedList(keys: [5]).bytes == PackedList([.integer(5)]).bytes)
  }
}
