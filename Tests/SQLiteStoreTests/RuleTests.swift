import Foundation
import PersistenceCore
import SQLiteStore
import Testing

@Suite("Constraints of the store")
struct RuleTests {
  private func insertionError(_ store: SampleStore, _ rows: [[String: RowValue]]) -> SwiftDataError? {
    do {
      try store.insert(rows)
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  @Test("equal values of a unique property throw an error with the column's name")
  func uniqueness() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["code": "a"], ["code": nil], ["code": nil]])
    let error = insertionError(store, [["code": "b"], ["code": "a"]])
    #expect(error == .modelValidationFailure)
    #expect(error?.explanation?.contains("Item.code") == true)
    #expect((error?.underlyingError as? SQLiteError)?.code == 2067)
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 3)
  }

  @Test("a missing value throws an error with the column's name")
  func missingValue() throws {
    let store = try SampleStore.inMemory()
    let error = insertionError(store, [["score": nil]])
    #expect(error == .modelValidationFailure)
    #expect(error?.explanation?.contains("Item.score") == true)
  }

  @Test("a dangling reference throws at the commit, with its column and row")
  func danglingReference() throws {
    let store = try SampleStore.inMemory()
    let error = insertionError(store, [["owner": 77]])
    #expect(error == .modelValidationFailure)
    #expect(error?.explanation?.contains("Item.owner of row 1, to Parent") == true)
    #expect(try store.engine.count(FetchRequest(entity: store.entities.item), in: nil) == 0)
    try store.insert([["count": 1]])
  }

  @Test("rows of one save may be written in any order")
  func deferredReferences() throws {
    let store = try SampleStore.inMemory()
    try store.inTransaction { transaction in
      try transaction.insert(into: store.entities.item) { try $0.write([1] + store.row(["parent": 1])) }
      try transaction.insert(into: store.entities.parent) { try $0.write([1, "a", 1]) }
    }
    try store.inTransaction { try $0.delete(from: store.entities.parent, keys: [1]) }
    #expect(try store.values(1)?[7] == .null)
  }

  @Test("a failed statement keeps the transaction open and the store usable")
  func failedStatement() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["code": "a"]])
    let transaction = try store.engine.beginTransaction()
    try transaction.insert(into: store.entities.item) { statement in
      try statement.write([10] + store.row(["code": "b"]))
      #expect(throws: SwiftDataError.modelValidationFailure) {
        try statement.write([11] + store.row(["code": "a"]))
      }
      try statement.write([12] + store.row(["code": "c"]))
    }
    try transaction.commit()
    #expect(try store.engine.keys(FetchRequest(entity: store.entities.item), in: nil) == [1, 10, 12])
    #expect(throws: SwiftDataError.storeFailure) { try transaction.commit() }
    transaction.rollBack()
  }

  @Test("a transaction of another store throws")
  func foreignTransaction() throws {
    let (store, other) = (try SampleStore.inMemory(), try SampleStore.inMemory())
    let transaction = try other.engine.beginTransaction()
    #expect(throws: SwiftDataError.storeFailure) {
      try store.engine.count(FetchRequest(entity: store.entities.item), in: transaction)
    }
  }

  @Test("an error names an entity that the store was opened without")
  func unknownEntity() throws {
    let store = try SampleStore.inMemory()
    let other = EntityLayout(
      name: "Other", modelType: SampleModel.self, properties: [], uniquenessConstraints: [], indices: [])
    let error = #expect(throws: SwiftDataError.self) {
      try store.engine.count(FetchRequest(entity: other), in: nil)
    }
    #expect(error?.explanation?.contains("Other") == true)
  }
}
