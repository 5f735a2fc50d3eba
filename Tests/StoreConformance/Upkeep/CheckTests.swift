import ConformanceSupport
import SwiftData
import Testing

@Suite("Checking and repairing a store with check(repairing:)")
struct CheckTests {
  typealias Problem = ModelContainer.StoreProblem

  @Test("a check of a store that only the library wrote finds no problem", arguments: Engine.with(.check))
  func nothing(_ engine: Engine) async throws {
    let archive = try Archive(engine, items: 9)
    let progress = Archive.progress()
    #expect(try await archive.container.check(progress: progress) == [])
    #expect(try await archive.check(repairing: true) == [])
    #expect(progress.isFinished)
  }

  /// A change that another program makes to a store, the problem that a check must find, and the expected result of the
  /// repair.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let sql: String
    let kind: Problem.Kind
    /// True if only one repair is correct, so that the check makes it.
    var isMended = true
    /// A query that reads the repaired value.
    var result = "SELECT 1"
    var expected = ["1"]

    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "a text that is not in stored form",
      sql: "UPDATE ArchiveItem SET title = 'cafe' || char(0x301) WHERE _osd_key = 1", kind: .unusualForm,
      result: "SELECT hex(title) FROM ArchiveItem WHERE _osd_key = 1", expected: ["636166C3A9"]),
    Case(
      name: "a text with an escape that no original says more of",
      sql: "UPDATE ArchiveItem SET title = 'a' || char(1) || char(1) WHERE _osd_key = 1", kind: .unusualForm,
      result: "SELECT hex(original) FROM _osd_originals WHERE key = 1 AND \"column\" = 'title'", expected: ["6100"]),
    Case(
      name: "a member of a struct that is not in stored form",
      sql: "UPDATE ArchiveItem SET place_city = 'A' || char(0x30A) WHERE _osd_key = 2", kind: .unusualForm,
      result: "SELECT hex(place_city) FROM ArchiveItem WHERE _osd_key = 2", expected: ["C385"]),
    Case(
      name: "a decimal with zeros at its end", sql: "UPDATE ArchiveItem SET price = '12.50' WHERE _osd_key = 1",
      kind: .unusualForm, result: "SELECT price FROM ArchiveItem WHERE _osd_key = 1", expected: ["12.5"]),
    Case(
      name: "a decimal that is no number", sql: "UPDATE ArchiveItem SET price = 'much' WHERE _osd_key = 1",
      kind: .wrongValue, isMended: false),
    Case(
      name: "a truth that is neither 0 nor 1", sql: "UPDATE ArchiveItem SET isLent = 5 WHERE _osd_key = 1",
      kind: .unusualForm, result: "SELECT isLent FROM ArchiveItem WHERE _osd_key = 1", expected: ["1"]),
    Case(
      name: "a text in a column of numbers", sql: "UPDATE ArchiveItem SET number = 'seven' WHERE _osd_key = 1",
      kind: .wrongValue, isMended: false),
    Case(
      name: "a number beyond its type", sql: "UPDATE ArchiveItem SET small = 128 WHERE _osd_key = 1",
      kind: .wrongValue, isMended: false),
    Case(
      name: "a negative number without a sign", sql: "UPDATE ArchiveItem SET large = -1 WHERE _osd_key = 1",
      kind: .wrongValue, isMended: false),
    Case(
      name: "a date as text", sql: "UPDATE ArchiveItem SET date = '2026-01-01' WHERE _osd_key = 1", kind: .wrongValue,
      isMended: false),
    Case(
      name: "a NaN that is none", sql: "UPDATE ArchiveItem SET weight = 'NaN:12' WHERE _osd_key = 1",
      kind: .wrongValue, isMended: false),
    Case(
      name: "a UUID of 3 bytes", sql: "UPDATE ArchiveItem SET code = x'010203' WHERE _osd_key = 1", kind: .wrongValue,
      isMended: false),
    Case(
      name: "a URL that is none", sql: "UPDATE ArchiveItem SET link = '' WHERE _osd_key = 1", kind: .wrongValue,
      isMended: false),
    Case(
      name: "JSON that is none", sql: "UPDATE ArchiveItem SET tags = '[1,' WHERE _osd_key = 1", kind: .wrongValue,
      isMended: false),
    Case(
      name: "a text that is not UTF-8", sql: "UPDATE ArchiveItem SET title = CAST(x'6180' AS TEXT) WHERE _osd_key = 1",
      kind: .wrongValue, isMended: false),
    Case(
      name: "a raw value without a case", sql: "UPDATE ArchiveItem SET state = 'lost' WHERE _osd_key = 1",
      kind: .unknownCase, isMended: false),
    Case(
      name: "a number without a case", sql: "UPDATE ArchiveItem SET rank = 3 WHERE _osd_key = 2", kind: .unknownCase,
      isMended: false),
    Case(
      name: "a member of a struct without a value", sql: "UPDATE ArchiveItem SET place_floor = NULL WHERE _osd_key = 2",
      kind: .missingValue, isMended: false),
    Case(
      name: "a property of a subclass without a value", sql: "UPDATE ArchiveItem SET pages = NULL WHERE _osd_key = 3",
      kind: .missingValue, isMended: false),
    Case(
      name: "an unknown class", sql: "UPDATE ArchiveItem SET _osd_entity = 'Scroll' WHERE _osd_key = 1",
      kind: .unknownClass, isMended: false),
    Case(
      name: "an optional reference to nothing", sql: "UPDATE ArchiveItem SET shelf = 99 WHERE _osd_key = 1",
      kind: .danglingReference, result: "SELECT count(*) FROM ArchiveItem WHERE shelf IS NULL", expected: ["1"]),
    Case(
      name: "a required reference to nothing", sql: "UPDATE ArchiveItem SET keeper = 99 WHERE _osd_key = 1",
      kind: .danglingReference, isMended: false),
    Case(
      name: "two rows that refer to one that one may refer to",
      sql: "INSERT INTO ArchiveBadge (_osd_key, number, keeper) VALUES (2, 2, 1); "
        + "UPDATE _osd_sequence SET next = 3 WHERE entity = 'ArchiveBadge'", kind: .sharedReference,
      isMended: false),
    Case(
      name: "a pair without its row",
      sql: "INSERT INTO _osd_link_ArchiveItem_topics (_osd_key, owner, target) VALUES (99, 1, 77); "
        + "UPDATE _osd_sequence SET next = 100 WHERE entity = '_osd_link_ArchiveItem_topics'", kind: .pair,
      result: "SELECT count(*) FROM _osd_link_ArchiveItem_topics WHERE target = 77", expected: ["0"]),
    Case(
      name: "a place in a list that is no number",
      sql: "UPDATE ArchiveItem SET _osd_position_shelf = 'first' WHERE _osd_key = 3", kind: .listPosition,
      result: "SELECT typeof(_osd_position_shelf) FROM ArchiveItem WHERE _osd_key = 3", expected: ["real"]),
    Case(
      name: "a place that is taken by another place",
      sql: "UPDATE ArchiveItem SET _osd_position_shelf = 0.5 WHERE shelf = 1", kind: .listPosition,
      result: "SELECT count(DISTINCT _osd_position_shelf) FROM ArchiveItem WHERE shelf = 1", expected: ["2"]),
    Case(
      name: "places at the end of the range",
      sql: "UPDATE ArchiveItem SET _osd_position_shelf = 9e15 WHERE shelf = 1", kind: .listPosition,
      result: "SELECT count(DISTINCT _osd_position_shelf) FROM ArchiveItem WHERE shelf = 1", expected: ["2"]),
    Case(
      name: "places in the list of what is no row",
      sql: "UPDATE ArchiveItem SET shelf = 'none', _osd_position_shelf = 5", kind: .wrongValue, isMended: false),
    Case(
      name: "a place that is taken by a key",
      sql: "UPDATE ArchiveItem SET _osd_position_shelf = 1.0 WHERE _osd_key = 2",
      kind: .listPosition,
      result: "SELECT count(DISTINCT coalesce(_osd_position_shelf, _osd_key)) FROM ArchiveItem WHERE shelf = 1",
      expected: ["2"]),
    Case(
      name: "a place of a pair that is taken twice",
      sql: "UPDATE _osd_link_ArchiveItem_topics SET target_position = 1 WHERE owner = 1", kind: .listPosition,
      result:
        "SELECT count(DISTINCT coalesce(target_position, _osd_key)) FROM _osd_link_ArchiveItem_topics WHERE owner = 1",
      expected: ["2"]),
    Case(
      name: "an index that is missing", sql: "DROP INDEX _osd_index_ArchiveItem_title", kind: .index,
      result: "SELECT count(*) FROM sqlite_master WHERE name = '_osd_index_ArchiveItem_title'"),
    Case(
      name: "an index that is another one",
      sql: "DROP INDEX _osd_index_ArchiveItem_title; CREATE INDEX _osd_index_ArchiveItem_title ON ArchiveItem (number)",
      kind: .index, result: "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%ON \"ArchiveItem\" (\"title\"%'"),
    Case(
      name: "a spatial index that is not in step",
      sql: "DROP TRIGGER _osd_rtree_ArchiveShelf_x_y_update; UPDATE ArchiveShelf SET x = 500 WHERE _osd_key = 1",
      kind: .spatialIndex, result: "SELECT count(*) FROM _osd_rtree_ArchiveShelf_x_y WHERE x_max > 499"),
    Case(
      name: "an entry of a spatial index without its row",
      sql: "INSERT INTO _osd_rtree_ArchiveShelf_x_y VALUES (77, 1, 1, 1, 1)", kind: .spatialIndex,
      result: "SELECT count(*) FROM _osd_rtree_ArchiveShelf_x_y", expected: ["2"]),
    Case(
      name: "a counter behind its keys", sql: "UPDATE _osd_sequence SET next = 2 WHERE entity = 'ArchiveItem'",
      kind: .counter, result: "SELECT next FROM _osd_sequence WHERE entity = 'ArchiveItem'", expected: ["5"]),
    Case(
      name: "a counter of files behind them", sql: "UPDATE _osd_sequence SET next = -3 WHERE entity = 'external files'",
      kind: .counter, result: "SELECT next FROM _osd_sequence WHERE entity = 'external files'", expected: ["4"]),
    Case(
      name: "a file that is to be removed, though a row refers to it",
      sql: "INSERT INTO _osd_superfluous_files SELECT scan FROM ArchiveItem WHERE _osd_key = 1", kind: .missingFile,
      result: "SELECT count(*) FROM _osd_superfluous_files", expected: ["0"]),
    Case(
      name: "a row that was copied with its reference to a file",
      sql: "UPDATE ArchiveItem SET scan = (SELECT scan FROM ArchiveItem WHERE _osd_key = 1) WHERE _osd_key = 4",
      kind: .sharedReference, result: "SELECT count(DISTINCT scan) FROM ArchiveItem", expected: ["4"]),
  ]

  @Test(
    "a check finds problems that other programs cause, and repairs them if only one repair is correct", arguments: cases
  )
  func found(_ known: Case) async throws {
    let archive = try Archive()
    for sql in known.sql.split(separator: "; ") { try archive.run(String(sql)) }
    let found = try await archive.check()
    #expect(!found.isEmpty && found.allSatisfy { $0.kind == known.kind || $0.kind == .index }, "\(found)")
    #expect(found.contains { $0.kind == known.kind })
    #expect(found.allSatisfy { !$0.explanation.isEmpty && !$0.advice.isEmpty && $0.store == archive.path })
    let expected: Problem.Repair = known.isMended ? .possible : .impossible
    #expect(found.allSatisfy { $0.repair == expected }, "\(found)")
    let mended = try await archive.check(repairing: true)
    #expect(mended.map(\.kind) == found.map(\.kind))
    #expect(mended.allSatisfy { $0.repair == (known.isMended ? .done : .impossible) }, "\(mended)")
    let left = try await archive.check()
    if known.isMended { #expect(left == []) } else { #expect(left == found) }
    #expect(try archive.column(known.result) == known.expected)
    #expect(try archive.store.raw.problems().isEmpty || !known.isMended)
  }

  @Test("a check reports a unique text whose repair would make it equal to the text of another row")
  func collision() async throws {
    let archive = try Archive()
    try archive.run("UPDATE ArchiveShelf SET name = CASE _osd_key WHEN 1 THEN char(0xE9) ELSE 'e' || char(0x301) END")
    let problems = try await archive.check(repairing: true)
    #expect(problems.map(\.kind) == [.unusualForm] && problems[0].repair == .impossible, "\(problems)")
    #expect(problems[0].advice.contains("must be unique"))
    #expect(try archive.column("SELECT hex(name) FROM ArchiveShelf ORDER BY 1") == ["65CC81", "C3A9"])
  }

  @Test("a problem names its row, its column and the value")
  func words() async throws {
    let archive = try Archive()
    try archive.run("UPDATE ArchiveItem SET number = 'seven' WHERE _osd_key = 3")
    let problem = try #require(await archive.check().first)
    #expect(problem.entity == "ArchiveBook" && problem.table == "ArchiveItem" && problem.column == "number")
    #expect(problem.key == 3 && problem.value == "'seven'" && problem.count == 1)
    #expect(problem.description.hasPrefix("ArchiveItem.number of row 3: the value is no Int: "))
  }

  @Test("a check lists 1,000 problems of one kind and the number of further ones, and repairs all of them")
  func many() async throws {
    let archive = try Archive(items: 1_500)
    try archive.run("UPDATE ArchiveItem SET isLent = 2")
    let problems = try await archive.check()
    #expect(problems.count == 1_001 && problems.last?.count == 500)
    let mended = try await archive.check(repairing: true)
    #expect(mended.count == 1_001 && mended.allSatisfy { $0.repair == .done })
    #expect(try archive.column("SELECT count(*) FROM ArchiveItem WHERE isLent = 1") == ["1500"])
  }

  @Test("a check removes recorded originals that do not match their column, and keeps those that match")
  func originals() async throws {
    let archive = try Archive()
    try archive.run("UPDATE ArchiveItem SET title = char(0xE9) WHERE _osd_key = 1")
    try archive.run("UPDATE ArchiveItem SET title = 'e' || char(0x301) WHERE _osd_key = 2")
    try archive.run(RawDatabase.originalsTable)
    try archive.run("INSERT INTO _osd_originals VALUES ('ArchiveItem', 1, 'title', 'e' || char(0x301))")
    try archive.run("INSERT INTO _osd_originals VALUES ('ArchiveItem', 3, 'title', 'e' || char(0x301))")
    try archive.run("INSERT INTO _osd_originals VALUES ('ArchiveItem', 99, 'title', 'e' || char(0x301))")
    let problems = try await archive.check(repairing: true)
    #expect(problems.map(\.kind) == [.unusualForm, .leftoverOriginal, .leftoverOriginal], "\(problems)")
    #expect(problems.allSatisfy { $0.repair == .done })
    #expect(try archive.column("SELECT key FROM _osd_originals ORDER BY key") == ["1", "2"])
    #expect(try archive.column("SELECT hex(original) FROM _osd_originals WHERE key = 2") == ["65CC81"])
  }

  @Test("a check removes external files to which no row refers, and reports missing files")
  func files() async throws {
    let archive = try Archive()
    let folder = archive.path + "_external"
    try Data([1]).write(to: URL(filePath: folder + "/77"))
    try archive.run("UPDATE _osd_sequence SET next = 100 WHERE entity = 'external files'")
    try FileManager.default.removeItem(atPath: folder + "/2")
    let problems = try await archive.check(repairing: true)
    #expect(Set(problems.map(\.kind)) == [.leftoverFile, .missingFile], "\(problems)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["1", "3"])
    #expect(problems.first { $0.kind == .missingFile }?.repair == .impossible)
  }

  @Test("a check reports missing tables and columns, and checks all other tables and columns")
  func definitions() async throws {
    let archive = try Archive()
    try archive.run("DROP TABLE ArchiveBadge")
    try archive.run("ALTER TABLE ArchiveTopic DROP COLUMN name")
    try archive.run("ALTER TABLE ArchiveKeeper ADD COLUMN age INTEGER NOT NULL DEFAULT 3")
    try archive.run("UPDATE ArchiveItem SET isLent = 9 WHERE _osd_key = 1")
    let problems = try await archive.check(repairing: true)
    let definitions = problems.filter { $0.kind == .definition }
    #expect(definitions.compactMap(\.table).sorted() == ["ArchiveBadge", "ArchiveTopic"], "\(problems)")
    #expect(problems.contains { $0.kind == .unusualForm && $0.repair == .done })
  }

  @Test("contexts are notified of repairs and refresh their objects")
  func propagation() async throws {
    let archive = try Archive()
    let context = archive.store.context()
    let item = try #require(context.fetch(FetchDescriptor<ArchiveItem>(sortBy: [SortDescriptor(\.number)])).first)
    let shelf = try #require(item.shelf)
    try archive.run("DELETE FROM ArchiveShelf WHERE name = '\(shelf.name)'")
    _ = try await archive.check(repairing: true)
    _ = try context.fetchCount(FetchDescriptor<ArchiveItem>())
    #expect(item.shelf == nil)
  }

  @Test("a read-only store can be checked, but not repaired")
  func readOnly() async throws {
    let archive = try Archive()
    try archive.run("UPDATE ArchiveItem SET isLent = 9 WHERE _osd_key = 1")
    let configuration = ModelConfiguration(
      schema: archive.store.schema, url: archive.store.configuration.url, allowsSave: false)
    let container = try ModelContainer(for: archive.store.schema, configurations: configuration)
    #expect(try await container.check().map(\.kind) == [.unusualForm])
    await #expect(throws: SwiftDataError.storeReadOnly) { try await container.check(repairing: true) }
  }

  @Test("a cancelled check throws and repairs nothing")
  func cancellation() async throws {
    let archive = try Archive()
    try archive.run("UPDATE ArchiveItem SET isLent = 9 WHERE _osd_key = 1")
    let progress = Archive.progress()
    progress.cancel()
    await #expect(throws: CancellationError.self) {
      try await archive.container.check(repairing: true, progress: progress)
    }
    #expect(try archive.column("SELECT isLent FROM ArchiveItem WHERE _osd_key = 1") == ["9"])
  }

  @Test("a check reports no problems because of saves that run meanwhile")
  func whileWriting() async throws {
    let archive = try Archive(items: 40)
    let container = archive.container
    let writing = RepeatedWork { count in
      let context = ModelContext(container)
      let items = try context.fetch(FetchDescriptor<ArchiveItem>(sortBy: [SortDescriptor(\.number)]))
      for item in items {
        item.scan = Data(repeating: UInt8(count % 256), count: 110_000)
        item.topics = item.topics.reversed()
      }
      if let last = items.last { context.delete(last) }
      let new = ArchiveItem("e\u{301} \(count)", keeper: items[0].keeper)
      context.insert(new)
      new.shelf = items[0].shelf
      try context.save()
    }
    for round in 0..<15 { #expect(try await archive.check() == [], "round \(round)") }
    try await writing.stop()
    #expect(try await archive.check(repairing: true) == [])
  }

  @Test("a check reports damaged pages of the file as a damaged file")
  func damage() async throws {
    let archive = try Archive(items: 200)
    try archive.store.reopen()
    let root = try archive.number("SELECT rootpage FROM sqlite_master WHERE name = '_osd_index_ArchiveItem_title'")
    try archive.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forWritingTo: archive.store.configuration.url)
    let size = try archive.number("PRAGMA page_size")
    try file.seek(toOffset: UInt64((root - 1) * size))
    try file.write(contentsOf: Data(repeating: 7, count: 100))
    try archive.store.reopen()
    let problems = try await archive.check()
    #expect(problems.contains { $0.kind == .damagedFile && $0.repair == .impossible }, "\(problems)")
  }
}
