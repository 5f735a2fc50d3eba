import ConformanceSupport
import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Reservation of primary keys")
struct KeyReservationTests {
  /// A store, and a connection to its file that acts as another program.
  private func stores(_ folder: TemporaryFolder) throws -> (SampleStore, RawDatabase) {
    let store = try SampleStore(folder.configuration())
    return (store, try RawDatabase(store.engine.configuration.path))
  }

  private func reserve(_ count: Int, in store: SampleStore) throws -> Int64 {
    try store.inTransaction { try $0.reserveKeys(count, for: store.entities.item) }
  }

  private func add(_ key: Int64, to raw: RawDatabase) throws {
    try raw.run("INSERT INTO Item (_osd_key, name, count, score) VALUES (\(key), 'x', 0, 0)")
  }

  @Test("the next key is above the greatest key of a row and above the sequence, whichever is greater")
  func aboveBoth() throws {
    let folder = try TemporaryFolder()
    let (store, raw) = try stores(folder)
    #expect(try reserve(3, in: store) == 1)
    try add(10, to: raw)
    #expect(try reserve(2, in: store) == 11)
    try add(5, to: raw)
    #expect(try reserve(1, in: store) == 13)
    try raw.run("DELETE FROM Item")
    #expect(try reserve(1, in: store) == 14)
    try add(-7, to: raw)
    #expect(try reserve(1, in: store) == 15)
  }

  @Test(
    "a key is positive and above the keys of all rows that other programs inserted", arguments: [-9, 0, 1, 1 << 40])
  func first(_ key: Int64) throws {
    let folder = try TemporaryFolder()
    let (store, raw) = try stores(folder)
    try add(key, to: raw)
    #expect(try reserve(1, in: store) == max(1, key + 1))
  }

  @Test(
    "a row with the greatest possible key causes a descriptive error until the row is deleted",
    arguments: [Int64.max, Int64.max - 1])
  func exhausted(_ key: Int64) throws {
    let folder = try TemporaryFolder()
    let (store, raw) = try stores(folder)
    try store.insert([["count": 1]])
    try add(key, to: raw)
    let error = #expect(throws: SwiftDataError.storeFull) { try store.insert([["count": 2]]) }
    #expect(error?.explanation?.contains("another program") == true)
    try raw.run("DELETE FROM Item WHERE _osd_key > 9")
    try store.insert([["count": 3]])
    #expect(try raw.column("SELECT _osd_key FROM Item ORDER BY 1") == ["1", "2"])
  }

  @Test("reading the next key reserves no key")
  func none() throws {
    let folder = try TemporaryFolder()
    let (store, raw) = try stores(folder)
    #expect(try reserve(2, in: store) == 1)
    for _ in 0..<2 { #expect(try reserve(0, in: store) == 3) }
    #expect(try raw.column("SELECT next FROM _osd_sequence WHERE entity = 'Item'") == ["3"])
  }

  @Test("keys reserved inside a savepoint are free again after its rollback")
  func undone() throws {
    let store = try SampleStore.inMemory()
    try store.inTransaction { transaction in
      #expect(try transaction.reserveKeys(1, for: store.entities.item) == 1)
      let point = try transaction.savepoint()
      #expect(try transaction.reserveKeys(5, for: store.entities.item) == 2)
      try transaction.rollBack(to: point)
      #expect(try transaction.reserveKeys(1, for: store.entities.item) == 2)
    }
  }

  @Test("the next join row gets a number above the numbers that another program added")
  func pairs() throws {
    let folder = try TemporaryFolder()
    let (store, raw) = try stores(folder)
    try store.insert([["count": 1], ["count": 2], ["count": 3]])
    try store.insertParents(["a"])
    try store.inTransaction { try store.relate([1], instead: [], owner: 1, in: $0) }
    let table = try #require(
      try raw.column("SELECT name FROM sqlite_master WHERE name LIKE '_osd_link%' AND type = 'table'").first)
    try raw.run("INSERT INTO \"\(table)\" (owner, target) VALUES (1, 2)")
    try store.inTransaction { try store.relate([1, 2, 3], instead: [1, 2], owner: 1, in: $0) }
    #expect(try store.members(of: [1]).map(\.target) == [1, 2, 3])
  }

  @Test("finding the next key takes as many steps with many rows as with few")
  func cost() throws {
    let folder = try TemporaryFolder()
    let (store, raw) = try stores(folder)
    #expect(try reserve(1, in: store) == 1)
    let plan = try raw.rows("EXPLAIN QUERY PLAN SELECT max(_osd_key) FROM Item").compactMap { $0.last ?? nil }
    // The plan shows a search at the end of the table's b-tree, not a scan of the table.
    #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
  }
}
