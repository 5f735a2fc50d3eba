import ConformanceSupport
import SwiftData
import Testing

@Suite("Checking a store from which other programs removed tables, columns, indexes or constraints")
struct TornCheckTests {
  /// SQL with which another program removes or changes definitions of a store, such as tables and indexes.
  struct Tear: CustomTestStringConvertible, Sendable {
    let name: String
    let sql: [String]
    /// True if a repair can restore the definitions.
    var isMended = true

    var testDescription: String { name }
  }

  static let tears = [
    Tear(name: "the counters", sql: ["DROP TABLE _osd_sequence"]),
    Tear(name: "the list of superfluous files", sql: ["DROP TABLE _osd_superfluous_files"]),
    Tear(name: "a spatial index", sql: ["DROP TABLE _osd_rtree_ArchiveShelf_x_y"]),
    Tear(
      name: "a spatial index with its triggers",
      sql: [
        "DROP TABLE _osd_rtree_ArchiveShelf_x_y", "DROP TRIGGER _osd_rtree_ArchiveShelf_x_y_update",
        "DROP TRIGGER _osd_rtree_ArchiveShelf_x_y_insert", "DROP TRIGGER _osd_rtree_ArchiveShelf_x_y_delete",
      ]),
    Tear(
      name: "all of them",
      sql: [
        "DROP TABLE _osd_sequence", "DROP TABLE _osd_superfluous_files",
        "DROP TABLE _osd_rtree_ArchiveShelf_x_y", "DROP INDEX _osd_index_ArchiveItem_title",
      ]),
    Tear(name: "a table of pairs", sql: ["DROP TABLE _osd_link_ArchiveItem_topics"], isMended: false),
    Tear(
      name: "a column of references",
      sql: ["DROP INDEX _osd_reference_ArchiveBadge_keeper", "ALTER TABLE ArchiveBadge DROP COLUMN keeper"],
      isMended: false),
    Tear(
      name: "nothing, and added a table whose references match no key",
      sql: ["CREATE TABLE notes (item REFERENCES ArchiveItem (title))", "INSERT INTO notes VALUES ('x')"],
      isMended: false),
  ]

  @Test(
    "a check reports missing definitions, and a repair recreates those whose content it can restore", arguments: tears)
  func torn(_ tear: Tear) async throws {
    let archive = try Archive()
    for sql in tear.sql { try archive.run(sql) }
    let found = try await archive.check()
    #expect(!found.isEmpty)
    let mended = try await archive.check(repairing: true)
    let left = try await archive.check()
    if tear.isMended {
      #expect(left == [])
      #expect(mended.allSatisfy { $0.repair == .done }, "\(mended)")
    } else {
      #expect(left == found)
    }
    #expect(try archive.column("SELECT count(*) FROM ArchiveItem") == ["4"])
  }

  @Test("a repair rebuilds every index that does not match its table, regardless of the number of missing rows")
  func indexes() async throws {
    let archive = try Archive()
    let indexes = "name IN ('_osd_index_ArchiveItem_title', '_osd_index_ArchiveItem_number')"
    let database = try archive.store.raw
    try database.run("CREATE INDEX _osd_index_ArchiveItem_number ON ArchiveItem (number)")
    for sql in [
      "CREATE TEMP TABLE kept AS SELECT * FROM sqlite_master WHERE \(indexes)", "PRAGMA writable_schema = ON",
      "DELETE FROM sqlite_master WHERE \(indexes)", "PRAGMA writable_schema = RESET",
    ] { try database.run(sql) }
    // While the indexes are not in the schema, SQLite does not update them. So they lack the rows that are inserted
    // now.
    try database.run(
      """
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
      INSERT INTO ArchiveBadge (number) SELECT n FROM n
      """)
    try database.run("UPDATE ArchiveItem SET title = title || 'x', number = number + 100")
    try database.run(
      """
      INSERT INTO ArchiveItem (_osd_entity, title, number, small, large, isLent, price, weight, code, tags, state, keeper)
      SELECT 'ArchiveItem', title || b.number, b.number, small, large, isLent, price, 0, randomblob(16), tags, state,
        i.keeper FROM ArchiveItem AS i JOIN ArchiveBadge AS b WHERE i._osd_key = 1
      """)
    for sql in [
      "PRAGMA writable_schema = ON", "INSERT INTO sqlite_master SELECT * FROM kept", "PRAGMA writable_schema = RESET",
    ] { try database.run(sql) }
    let found = try await archive.check().filter { $0.kind == .index }
    #expect(found.count == 2 && found.allSatisfy { $0.repair == .possible }, "\(found)")
    _ = try await archive.check(repairing: true)
    #expect(try await archive.check() == [])
    #expect(try archive.store.raw.problems() == [])
  }

  @Test("a repair removes duplicate pairs from a table that another program rebuilt without its UNIQUE constraint")
  func doublePairs() async throws {
    let archive = try Archive()
    try archive.makePairsTwice()
    let context = archive.store.context()
    // Before the repair, the lists at both ends contain each pair once, and removing the pair deletes both of its rows.
    let items = try context.fetch(FetchDescriptor<ArchiveItem>(sortBy: [SortDescriptor(\.number)]))
    #expect(
      items.map { $0.topics.map(\.name) } == [["letters", "maps"], ["letters"], ["letters"], ["letters", "maps"]])
    let topics = try context.fetch(FetchDescriptor<ArchiveTopic>(sortBy: [SortDescriptor(\.name)]))
    #expect(topics.map { $0.items.map(\.number).sorted() } == [[0, 1, 2, 3], [0, 3]])
    #expect(try ModelContext(archive.container).fetch(FetchDescriptor<ArchiveTopic>())[0].items.count == 4)
    let problems = try await archive.check(repairing: true)
    #expect(problems.count { $0.kind == .pair } == 6, "\(problems)")
    #expect(problems.filter { $0.kind == .pair }.allSatisfy { $0.repair == .done })
    #expect(problems.contains { $0.kind == .definition && $0.explanation.contains("are not declared as unique") })
    #expect(try archive.column("SELECT count(*) FROM _osd_link_ArchiveItem_topics") == ["6"])
    #expect(try await archive.check().allSatisfy { $0.kind == .definition })
  }

  @Test("a check of a list with 60,000 pairs ends within the time limit", .timeLimit(.minutes(5)))
  func longLists() async throws {
    let archive = try Archive()
    try archive.run(
      """
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000)
      INSERT INTO ArchiveTopic (name) SELECT 'topic ' || n FROM n
      """)
    try archive.run(
      """
      INSERT INTO _osd_link_ArchiveItem_topics (owner, target, target_position)
      SELECT 1, _osd_key, _osd_key * 1000.0 FROM ArchiveTopic WHERE name LIKE 'topic %'
      """)
    #expect(try await archive.check().allSatisfy { $0.kind == .counter })
    try archive.run("UPDATE _osd_link_ArchiveItem_topics SET target_position = 5000 WHERE target > 100")
    let found = try await archive.check().filter { $0.kind == .listPosition }
    #expect(found.count == 1_001)
    _ = try await archive.check(repairing: true)
    #expect(try await archive.check() == [])
  }

  @Test("a check finds the problems of 40 rows with large values, of which it holds only some in memory at a time")
  func largeRows() async throws {
    let archive = try Archive(items: 40)
    try archive.run("UPDATE ArchiveItem SET tags = '[\"' || hex(zeroblob(500000)) || '\"', isLent = 2")
    let found = try await archive.check(repairing: true)
    #expect(found.count { $0.kind == .wrongValue } == 40 && found.count { $0.kind == .unusualForm } == 40)
    #expect(try archive.column("SELECT count(*) FROM ArchiveItem WHERE isLent = 1") == ["40"])
  }
}

extension Archive {
  /// Rebuilds the table of the pairs of items and topics without its UNIQUE constraint, so that it contains each pair
  /// twice.
  func makePairsTwice() throws {
    let table = "_osd_link_ArchiveItem_topics"
    let database = try store.raw
    let sql = try #require(database.column("SELECT sql FROM sqlite_master WHERE name = '\(table)'").first)
    let index = try database.column(
      "SELECT sql FROM sqlite_master WHERE tbl_name = '\(table)' AND type = 'index' AND sql IS NOT NULL")
    try database.run("ALTER TABLE \(table) RENAME TO old")
    try database.run(sql.replacing(",\n  UNIQUE (\"owner\", \"target\")", with: ""))
    for _ in 1...2 {
      try database.run("INSERT INTO \(table) (owner, target) SELECT owner, target FROM old ORDER BY _osd_key")
    }
    try database.run("DROP TABLE old")
    for index in index { try database.run(index) }
  }
}
