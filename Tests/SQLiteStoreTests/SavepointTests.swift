import ConformanceSupport
import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Savepoints, and transactions that SQLite rolls back on its own")
struct SavepointTests {
  private func insert(_ count: Int64, in transaction: any StoreTransaction, of store: SampleStore) throws {
    let key = try transaction.reserveKeys(1, for: store.entities.item)
    try transaction.insert(into: store.entities.item) {
      try $0.write([.integer(key)] + store.row(["count": .integer(count)]))
    }
  }

  private func counts(_ store: SampleStore) throws -> [Int64] {
    try store.engine.keys(FetchRequest(entity: store.entities.item), in: nil).map { key in
      guard case .integer(let count)? = try store.values(key)?[2] else { return -1 }
      return count
    }
  }

  @Test("changes after a released savepoint are kept, and are rolled back with the outer savepoint")
  func nested() throws {
    let store = try SampleStore.inMemory()
    try store.inTransaction { transaction in
      try insert(1, in: transaction, of: store)
      let outer = try transaction.savepoint()
      try insert(2, in: transaction, of: store)
      let inner = try transaction.savepoint()
      try insert(3, in: transaction, of: store)
      try transaction.release(inner)
      let other = try transaction.savepoint()
      try insert(4, in: transaction, of: store)
      try transaction.rollBack(to: other)
      try insert(5, in: transaction, of: store)
      try transaction.rollBack(to: outer)
      try insert(6, in: transaction, of: store)
    }
    #expect(try counts(store) == [1, 6])
  }

  @Test("a savepoint cannot be used again after it was rolled back to or released")
  func gone() throws {
    let store = try SampleStore.inMemory()
    try store.inTransaction { transaction in
      for _ in 0..<3 {
        let point = try transaction.savepoint()
        #expect(point == 1)
        try insert(1, in: transaction, of: store)
        try transaction.release(point)
        #expect(throws: SwiftDataError.self) { try transaction.rollBack(to: point) }
      }
    }
    #expect(try counts(store) == [1, 1, 1])
  }

  @Test(
    "a transaction that SQLite rolled back throws for each later write and for its commit", arguments: Engine.sqlite)
  func undone(_ engine: Engine) throws {
    let folder = try TemporaryFolder()
    var configuration = folder.configuration()
    if engine == .memory { configuration.location = .memory }
    configuration.maximumSizeBytes = 300 << 10
    let store = try SampleStore(configuration)
    try store.insert([["count": 1]])
    let transaction = try store.engine.beginTransaction()
    try insert(2, in: transaction, of: store)
    let point = try transaction.savepoint()
    let large = store.row(["name": .text(String(repeating: "x", count: 400_000))])
    #expect(throws: SwiftDataError.storeFull) {
      try transaction.insert(into: store.entities.item) { try $0.write([.integer(900)] + large) }
    }
    do {
      try transaction.rollBack(to: point)
      // In this case SQLite has rolled back only the failed statement, so the transaction can continue.
      try insert(3, in: transaction, of: store)
      try transaction.commit()
      #expect(try counts(store) == [1, 2, 3])
    } catch {
      #expect((error as? SwiftDataError)?.explanation?.contains("SQLite undid the transaction") == true, "\(error)")
      #expect(throws: SwiftDataError.storeFailure) { try insert(3, in: transaction, of: store) }
      #expect(throws: SwiftDataError.storeFailure) { _ = try transaction.savepoint() }
      #expect(throws: SwiftDataError.storeFailure) { try transaction.commit() }
      #expect(try counts(store) == [1])
    }
    try store.insert([["count": 4]])
    #expect(try counts(store).last == 4)
  }
}
