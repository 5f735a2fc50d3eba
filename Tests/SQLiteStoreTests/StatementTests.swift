import Foundation
import PersistenceCore
import SQLEngine
import Testing

@testable import SQLiteStore

private typealias Item = SampleEntities.Item

@Suite("Statements")
struct StatementTests {
  @Test("rows are sorted with nil first, or last when descending, then by key, with limit and offset")
  func order() throws {
    let store = try SampleStore.inMemory()
    try store.insert([["rating": 2.0], ["rating": nil], ["rating": "NaN"], ["rating": -1.0], ["rating": nil]])
    func keys(_ isDescending: Bool, limit: Int? = nil, offset: Int = 0) throws -> [Int64] {
      let sort = [SortTerm(property: Item.rating, isDescending: isDescending)]
      return try store.engine.keys(
        FetchRequest(entity: store.entities.item, sort: sort, limit: limit, offset: offset), in: nil)
    }
    #expect(try keys(false) == [2, 5, 4, 1, 3])
    #expect(try keys(true) == [3, 1, 4, 2, 5])
    #expect(try keys(false, limit: 2) == [2, 5])
    #expect(try keys(false, limit: 2, offset: 1) == [5, 4])
    #expect(try keys(false, offset: 3) == [1, 3])
    #expect(try keys(false, limit: 0) == [])
    let request = FetchRequest(entity: store.entities.item, limit: 3, offset: 1)
    #expect(try store.engine.count(request, in: nil) == 3)
  }

  @Test("a fetch, a fetch of keys and a count generate the expected SQL")
  func snapshots() throws {
    let store = try SampleStore.inMemory()
    let sort = [SortTerm(property: Item.name, isDescending: true)]
    let mask = PropertyMask.bit(Item.name) | PropertyMask.bit(Item.count)
    #expect(
      try store.statement(.all, sort: sort, limit: 5, offset: 2, mask: mask).sql
        == #"SELECT "_osd_key", "name", "count" FROM "Item" ORDER BY "name" DESC, "_osd_key" LIMIT ?1 OFFSET ?2"#
    )
    #expect(
      try store.statement(.all, offset: 2, purpose: .keys).sql
        == #"SELECT "_osd_key" FROM "Item" ORDER BY "_osd_key" LIMIT -1 OFFSET ?1"#)
    #expect(
      try store.statement(.all, sort: sort, limit: 2, purpose: .count).sql
        == #"SELECT count(*) FROM (SELECT 1 FROM "Item" LIMIT ?1) AS limited"#)
  }

  @Test("indexes answer comparisons, prefixes, references and orders")
  func plans() throws {
    let store = try SampleStore.inMemory()
    let sort = [SortTerm(property: Item.count, isDescending: false)]
    let value = QueryValue.integer(1)
    #expect(try store.plan { $0.compare(Item.count, .equal, value) }.hasSuffix("_osd_index_Item_count (count=?)"))
    let range = try store.plan(sort: sort, limit: 3) { $0.compare(Item.count, .greater, value) }
    #expect(range == "SEARCH Item USING COVERING INDEX _osd_index_Item_count (count>?)")
    let prefix = try store.plan { $0.compare(Item.name, .startsWithText, .text("a", .text)) }
    #expect(prefix.contains("_osd_index_Item_name (name>? AND name<?)"))
    let score = try store.plan { $0.compare(Item.score, .greater, .real(1)) }
    #expect(score.contains("_osd_index_Item_score (score>? AND score<?)"))
    let price = try store.plan { $0.compare(Item.price, .equal, .text("1", .decimal)) }
    #expect(price.contains("_osd_index_Item_price (<expr>=?)"))
    let parent = try store.plan { $0.compare(Item.parent, .equal, value) }
    #expect(parent.contains("_osd_reference_Item_parent (parent=?)"))
    let code = try store.plan { $0.compare(Item.code, .equal, .text("a", .text)) }
    #expect(code.contains("_osd_unique_Item_code (code=?)"))
    let note = try store.plan { $0.compare(Item.note, .equal, .null) }
    #expect(note.contains("_osd_index_Item_note (note=?)"))
  }

  @Test("requests of one shape share one statement, whatever their values")
  func cache() throws {
    let store = try SampleStore.inMemory()
    for count in 0..<10 {
      _ = try store.keys { $0.compare(Item.count, .equal, .integer(Int64(count))) }
      _ = try store.values(Int64(count))
    }
    #expect(try store.missCount() == 1)
    _ = try store.keys { $0.compare(Item.count, .equal, .null) }
    _ = try store.keys { $0.compare(Item.count, .notEqual, .integer(1)) }
    #expect(try store.missCount() == 3)
  }

  @Test("the cache removes the least recently used statement")
  func cacheCapacity() throws {
    let store = try SampleStore.inMemory()
    func ask(_ width: Int) throws {
      _ = try store.keys { tree in
        tree.append(.truth(true))
        for _ in 0..<width { tree.append(.truth(false), .and) }
      }
    }
    for width in 0..<400 {
      try ask(width)
      try ask(0)
    }
    let before = try store.missCount()
    try ask(0)
    try ask(399)
    #expect(try store.missCount() == before)
    try ask(5)
    #expect(try store.missCount() == before + 1)
  }

  @Test("a schema has the expected tables and indexes")
  func definition() throws {
    let store = try SampleStore.inMemory()
    let definition = SchemaDefinition(dialect: SQLiteDialect())
    #expect(
      definition.statements(for: store.engine.database).joined(separator: "\n") == """
        CREATE TABLE "Item" (
          "_osd_key" INTEGER PRIMARY KEY,
          "name" TEXT NOT NULL,
          "note" TEXT,
          "count" INTEGER NOT NULL,
          "score" REAL NOT NULL,
          "rating" REAL,
          "price" /* Decimal */ TEXT,
          "data" BLOB,
          "parent" INTEGER REFERENCES "Parent" ("_osd_key") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
          "owner" INTEGER REFERENCES "Parent" ("_osd_key") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
          "code" TEXT
        )
        CREATE UNIQUE INDEX "_osd_unique_Item_code" ON "Item" ("code")
        CREATE INDEX "_osd_index_Item_name" ON "Item" ("name")
        CREATE INDEX "_osd_index_Item_count" ON "Item" ("count")
        CREATE INDEX "_osd_index_Item_score" ON "Item" ("score")
        CREATE INDEX "_osd_index_Item_rating" ON "Item" ("rating")
        CREATE INDEX "_osd_index_Item_price" ON "Item" (\(SQLiteDialect().key(ofDecimal: #""price""#)))
        CREATE INDEX "_osd_index_Item_note" ON "Item" ("note")
        CREATE INDEX "_osd_reference_Item_parent" ON "Item" ("parent")
        CREATE INDEX "_osd_reference_Item_owner" ON "Item" ("owner")
        CREATE TABLE "Parent" (
          "_osd_key" INTEGER PRIMARY KEY,
          "title" TEXT NOT NULL,
          "favourite" INTEGER REFERENCES "Item" ("_osd_key") ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED
        )
        CREATE INDEX "_osd_reference_Parent_favourite" ON "Parent" ("favourite")
        CREATE TABLE "_osd_link_Parent_children" (
          "_osd_key" INTEGER PRIMARY KEY,
          "owner" INTEGER NOT NULL REFERENCES "Parent" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target" INTEGER NOT NULL REFERENCES "Item" ("_osd_key") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
          "target_position" REAL,
          "owner_position" REAL,
          UNIQUE ("owner", "target")
        )
        CREATE INDEX "_osd_link_Parent_children_target" ON "_osd_link_Parent_children" ("target")
        """)
  }

  @Test("names that differ only in case, contain quotes, or are reserved by SQLite get separate tables and columns")
  func names() throws {
    let first = EntityLayout(
      name: "sqlite_sequence", modelType: SampleModel.self,
      properties: [
        SampleEntities.attribute("url", 0, .text), SampleEntities.attribute("URL", 1, .text),
        SampleEntities.attribute("_osd_key", 2, .text), SampleEntities.attribute("a\"b", 3, .text),
        SampleEntities.attribute("select", 4, .text), SampleEntities.attribute("rowid", 5, .text),
      ], uniquenessConstraints: [[0, 1]], indices: [[3]])
    let others = ["Item", "ITEM", "Order\"Line", "_osd_metadata"].map { name in
      EntityLayout(
        name: name, modelType: SampleModel.self, properties: [SampleEntities.attribute("a", 0, .text)],
        uniquenessConstraints: [], indices: [[0]])
    }
    let engine = try SQLiteStoreEngine(
      SQLiteStoreRequest(
        configuration: SQLiteStoreConfiguration(location: .memory),
        statementMemory: SQLiteDialect.statementMemory(of: [first] + others), schemaJSON: "",
        migration: SQLiteMigrationRequest { _ in nil }))
    #expect(
      engine.database.tables.map(\.name)
        == ["entity_sqlite_sequence", "Item_2", "ITEM", "Order\"Line", "entity__osd_metadata"])
    let transaction = try engine.beginTransaction()
    try transaction.insert(into: first) { try $0.write([1, "a", "b", "c", "d", "e", "f"]) }
    for other in others { try transaction.insert(into: other) { try $0.write([1, "x"]) } }
    try transaction.commit()
    var row: [RowValue] = []
    try engine.fetch(FetchRequest(entity: first), in: nil) { row = try $0.all(columns: 7)[0] }
    #expect(row == [1, "a", "b", "c", "d", "e", "f"])
  }
}
