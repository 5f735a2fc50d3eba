import SeededNumbers
import Testing

@testable import PersistenceRuntime

@Suite("IdentityTable, which maps primary keys to the addresses of objects")
struct IdentityTableTests {
  @Test(
    "after random insertions and removals, the table has the same entries as a dictionary",
    arguments: [10, 200, 300, 5_000])
  func random(_ most: Int) {
    let seed = SeededGenerator.chosenSeed
    var generator = SeededGenerator(seed: seed &+ UInt64(most))
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

  @Test("after all entries were removed, the table finds none of them, and all their keys are free")
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

  @Test("negative, extreme and widely spread keys can have entries", arguments: [1, 300])
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

  @Test("the table's memory depends on the number of keys, not on the greatest key")
  func highKeys() throws {
    var table = PagedIdentityTable()
    let address = try #require(UnsafeMutableRawPointer(bitPattern: 64))
    for key in Int64(60_000_000)..<60_001_000 { table.insert(address, at: key) }
    for key in Int64(1)...1_000 { table.insert(address, at: key) }
    #expect(table.blockCount <= 3)
    #expect(table.count == 2_000)
    #expect(table.address(at: 60_000_500) == address && table.isFree(at: 30_000_000) && table.isFree(at: 59_999_999))
  }

  @Test("if keys of one block after the other are inserted and removed, the blocks are freed")
  func wandering() throws {
    var table = PagedIdentityTable()
    let address = try #require(UnsafeMutableRawPointer(bitPattern: 64))
    // One object stays registered during the whole test, so that the table is never empty.
    table.insert(address, at: 5)
    var most = 0
    for start in stride(from: Int64(0), to: 1 << 26, by: 1 << 14) {
      for key in [start + 7, start + 5_000] { table.insert(address, at: key) }
      most = max(most, table.blockCount)
      for key in [start + 7, start + 5_000] { table.remove(at: key) }
    }
    #expect(most <= 64)
    #expect(table.count == 1 && table.address(at: 5) == address && table.addresses == [address])
  }

  @Test("the memory of keys that are too great for the block directory is freed when they are removed")
  func wanderingBeyond() throws {
    var table = PagedIdentityTable()
    let address = try #require(UnsafeMutableRawPointer(bitPattern: 64))
    let start = Int64(1) << 40
    for key in start..<start + 20_000 { table.insert(address, at: key) }
    for key in start..<start + 19_999 { table.remove(at: key) }
    table.insert(address, at: start)
    #expect(table.count == 2 && table.sparseCapacity < 4_096)
    table.remove(at: start)
    table.remove(at: start + 19_999)
    #expect(table.count == 0 && table.sparseCapacity == 0)
  }

  /// Returns a random key: a small number, a multiple of 1,024, or a multiple of 2^32 + 1.
  private static func key(_ generator: inout SeededGenerator, among most: Int) -> Int64 {
    let number = Int64(generator.next() % UInt64(most * 2))
    switch generator.next() % 3 {
    case 0: return number
    case 1: return number << 10
    default: return number &* 0x1_0000_0001
    }
  }
}
