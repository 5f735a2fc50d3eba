import Foundation
import PersistenceCore
import SQLiteStore

/// A store with the sample entities, and functions that write and read rows.
struct SampleStore {
  static let failure: Int32 = 1
  static let schemaJSON = #"{"version":"1.0.0"}"#

  let engine: SQLiteStoreEngine
  let entities: SampleEntities

  init(_ configuration: SQLiteStoreConfiguration, entities: SampleEntities = SampleEntities()) throws {
    self.entities = entities
    engine = try SQLiteStoreEngine(
      SQLiteStoreRequest(
        configuration: configuration, statementMemory: SQLiteDialect.statementMemory(of: entities.all),
        schemaJSON: Self.schemaJSON, migration: SQLiteMigrationRequest { _ in nil }))
  }

  /// Uses the engine of another sample store on a further thread.
  init(_ engine: SQLiteStoreEngine) {
    self.engine = engine
    self.entities = SampleEntities()
  }

  static func inMemory() throws -> SampleStore {
    try SampleStore(SQLiteStoreConfiguration(location: .memory))
  }

  /// The column values of an item's row. Properties that `values` omits get defaults.
  func row(_ values: [String: RowValue]) -> [RowValue] {
    let defaults: [String: RowValue] = ["name": "", "count": 0, "score": 0.0]
    return entities.item.properties.map { values[$0.name] ?? defaults[$0.name] ?? .null }
  }

  /// Inserts items with newly reserved keys, and commits.
  func insert(_ rows: [[String: RowValue]]) throws {
    try inTransaction { transaction in
      let first = try transaction.reserveKeys(rows.count, for: entities.item)
      try transaction.insert(into: entities.item) { statement in
        for (index, values) in rows.enumerated() {
          try statement.write([.integer(first + Int64(index))] + row(values))
        }
      }
    }
  }

  func insertParents(_ titles: [String]) throws {
    try inTransaction { transaction in
      let first = try transaction.reserveKeys(titles.count, for: entities.parent)
      try transaction.insert(into: entities.parent) { statement in
        for (index, title) in titles.enumerated() {
          try statement.write([.integer(first + Int64(index)), .text(title), .null])
        }
      }
    }
  }

  @discardableResult
  func inTransaction<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
    let transaction = try engine.beginTransaction()
    let result: Result
    do {
      result = try body(transaction)
    } catch {
      transaction.rollBack()
      throw error
    }
    try transaction.commit()
    return result
  }

  /// The keys of the items that a query finds, in ascending order.
  func keys(_ build: (inout QueryTree) -> Void) throws -> [Int64] {
    try engine.keys(FetchRequest(entity: entities.item, selection: .matching(tree(build))), in: nil)
  }

  func tree(_ build: (inout QueryTree) -> Void) -> QueryTree {
    var tree = QueryTree()
    build(&tree)
    return tree
  }

  /// The column values of one item, without the key; nil if the row is missing.
  func values(_ key: Int64, mask: UInt64 = PropertyMask.all, columns: Int = 10) throws -> [RowValue]? {
    let request = FetchRequest(entity: entities.item, selection: .key(key), mask: mask)
    var result: [RowValue]?
    try engine.fetch(request, in: nil) { rows in
      result = try rows.all(columns: columns + 1).first.map { Array($0.dropFirst()) }
    }
    return result
  }
}
