import SeededNumbers
import Testing

@testable import PersistenceCore

@Suite("Addresses by key")
struct IdentityTableTests {
  @Test("a table says what a dictionary says, whatever is put in and taken out", arguments: [10, 200, 300, 5_000])
  func random(_ most: Int) {
    var random = SystemRandomNumberGenerator()
    let seed = random.next()
    var generator = SeededGenerator(seed: seed)
    var table = IdentityTable()
    var expected: [Int64: UnsafeMutableRawPointer] = [:]
    for step in 1...20_000 {
      let key = Self.key(&generator, among: most)
      if expected.count < most, generator.next() % 3 != 0, let address = UnsafeMutableRawPointer(bitPattern: step * 16)
      {
        table.insert(address, at: key)
        expected[key] = address
      } else {
        table.remove(at: key)
        expected[key] = nil
      }
      guard table.address(at: key) == expected[key], !table.isFree(at: key) || expected[key] == nil else {
        Issue.record("seed \(seed), step \(step): key \(key)")
        return
      }
    }
    #expect(Set(table.addresses) == Set(expected.values), "seed \(seed)")
    for (key, address) in expected { #expect(table.address(at: key) == address, "seed \(seed), key \(key)") }
  }

  @Test("a table that grew and was emptied is small again, and finds nothing of before")
  func emptied() throws {
    var table = IdentityTable()
    let address = try #require(UnsafeMutableRawPointer(bitPattern: 64))
    for _ in 0..<3 {
      for key in Int64(1)...1_000 { table.insert(address, at: key) }
      for key in Int64(1)...1_000 { table.remove(at: key) }
      #expect(table.addresses.isEmpty)
      #expect((Int64(1)...1_000).allSatisfy { table.address(at: $0) == nil })
      #expect((Int64(1)...1_000).allSatisfy { table.isFree(at: $0) })
    }
  }

  @Test("keys far apart, negative and extreme have their places", arguments: [1, 300])
  func farApart(_ others: Int64) throws {
    var table = IdentityTable()
    let other = try #require(UnsafeMutableRawPointer(bitPattern: 16))
    for key in 1...others { table.insert(other, at: key) }
    let keys: [Int64] = [.min, -1, 1 << 26, 1 << 40, .max]
    for (place, key) in keys.enumerated() {
      table.insert(try #require(UnsafeMutableRawPointer(bitPattern: 32 * (place + 1))), at: key)
    }
    for (place, key) in keys.enumerated() {
      #expect(table.address(at: key) == UnsafeMutableRawPointer(bitPattern: 32 * (place + 1)))
    }
    for key in keys { table.remove(at: key) }
    #expect(keys.allSatisfy { table.address(at: $0) == nil })
  }

  /// Keys in sequence, a power of two apart, and anywhere.
  private static func key(_ generator: inout SeededGenerator, among most: Int) -> Int64 {
    let number = Int64(generator.next() % UInt64(most * 2))
    switch generator.next() % 3 {
    case 0: return number
    case 1: return number << 10
    default: return number &* 0x1_0000_0001
    }
  }
}
