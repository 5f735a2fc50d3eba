import SeededNumbers
import SwiftData
import Testing

/// Another program writes random values into the tables. The library must read the valid values, report the invalid
/// ones as unread, and never overwrite a value that the program did not change.
@Suite("Rows to which another program has written random values")
struct RandomRowTests {
  private static let rounds = 24

  @Test("such rows can be read, saved, checked, repaired and copied, and saves write only changed properties")
  func survive() async throws {
    for seed in RandomTesting.seeds(Self.rounds * RandomTesting.soak) {
      RandomTesting.note("stores with random rows", 1)
      var rows = try RandomRows(seed: seed)
      try rows.scatter()
      rows.readEverything()
      rows.saveBeside()
      try rows.saveMeanwhile()
      rows.replaceEverything()
      rows.deleteSome()
      try await rows.check()
      try await rows.copy()
    }
  }
}

/// A store into which another program writes random values, and the operations that a test performs on it.
private struct RandomRows {
  private let archive: Archive
  private let seed: UInt64
  private var random: SeededGenerator
  private static let tables = [
    "ArchiveShelf", "ArchiveItem", "ArchiveTopic", "ArchiveKeeper", "ArchiveBadge", "_osd_link_ArchiveItem_topics",
  ]

  init(seed: UInt64) throws {
    archive = try Archive(items: 8)
    self.seed = seed
    random = SeededGenerator(seed: seed)
  }

  // MARK: The other program

  private mutating func value() -> String {
    let values = [
      "NULL", "''", "'x'", "'7'", "'7:3'", "'1:200000'", "'ArchiveBook'", "'archivebook'", "'NaN'", "'NaN:7ff8'",
      "'12.50'",
      "'e' || char(0x301)", "char(1)", "char(1, 3)", "'[]'", "'[1'", "'{\"a\": 1}'", "'http://['", "0", "1", "2", "3",
      "-1",
      "99", "256", "9223372036854775807", "-9223372036854775807 - 1", "0.5", "-0.0", "1e300", "9e999", "x''", "x'00'",
      "x'0000000000000001'", "x'ffffffffffffffff'", "zeroblob(16)", "CAST(x'6180' AS TEXT)", "'a' || char(0) || 'b'",
    ]
    return values.randomElement(using: &random) ?? "NULL"
  }

  /// Executes 3 to 14 random statements that change rows.
  mutating func scatter() throws {
    let database = try archive.store.raw
    for _ in 0..<Int.random(in: 3...14, using: &random) {
      guard let table = Self.tables.randomElement(using: &random) else { continue }
      let columns = try database.rows("PRAGMA table_info(\"\(table)\")").compactMap { $0[1] }
      guard let column = columns.randomElement(using: &random) else { continue }
      let sql: String
      switch Int.random(in: 0..<12, using: &random) {
      case 0: sql = "DELETE FROM \"\(table)\" WHERE _osd_key = \(Int.random(in: 1...4, using: &random))"
      case 1:
        let list = columns.map { $0 == "_osd_key" ? value() : $0 == column ? value() : "\"\($0)\"" }
        sql = "INSERT INTO \"\(table)\" SELECT \(list.joined(separator: ", ")) FROM \"\(table)\" LIMIT 1"
      case 2:
        sql =
          "INSERT INTO _osd_originals VALUES ('\(table)', \(Int.random(in: 1...4, using: &random)), '\(column)', \(value()))"
      case 3: sql = "UPDATE _osd_sequence SET next = \(value()) WHERE entity = '\(table)'"
      default:
        sql =
          "UPDATE \"\(table)\" SET \"\(column)\" = \(value()) WHERE _osd_key % \(Int.random(in: 1...4, using: &random)) = 0"
      }
      // Constraints of the tables reject some of the statements.
      try? database.run(sql)
    }
  }

  // MARK: The library

  /// Runs an operation that may throw a `SwiftDataError` with a description. Any other error fails the test.
  private func doing(_ words: String, _ body: () throws -> Void) {
    do {
      try body()
    } catch let error as SwiftDataError {
      #expect(error.description.count > 40, "seed \(seed), \(words): \(error)")
    } catch {
      Issue.record("seed \(seed), \(words): \(error)")
    }
  }

  private func read(_ context: ModelContext) throws {
    for item in try context.fetch(FetchDescriptor<ArchiveItem>()) {
      _ = (item.title, item.number, item.small, item.large, item.isLent, item.price, item.weight, item.date, item.code)
      _ = (item.link, item.data, item.tags, item.state, item.rank, item.place, item.scan, item.shelf?.name)
      _ = (item.keeper.name, item.topics.map(\.name), (item as? ArchiveBook)?.pages)
    }
    for shelf in try context.fetch(FetchDescriptor<ArchiveShelf>()) {
      _ = (shelf.name, shelf.x, shelf.items.map(\.title))
    }
    for topic in try context.fetch(FetchDescriptor<ArchiveTopic>()) { _ = (topic.name, topic.items.map(\.number)) }
    for keeper in try context.fetch(FetchDescriptor<ArchiveKeeper>()) {
      _ = (keeper.name, keeper.items.count, keeper.badge?.number, keeper.badge?.keeper?.name)
    }
    for badge in try context.fetch(FetchDescriptor<ArchiveBadge>()) { _ = (badge.number, badge.keeper?.name) }
    _ = context.unreadValues.map { "\($0.error)" }
  }

  func readEverything() {
    let before = contents()
    let context = archive.store.context()
    doing("reading") { try read(context) }
    doing("fetching with a predicate") {
      _ = try context.fetch(
        FetchDescriptor<ArchiveItem>(
          predicate: #Predicate { $0.price > 0 && $0.title != "x" }, sortBy: [SortDescriptor(\.price)]))
    }
    doing("fetching by a relationship") {
      _ = try context.fetch(
        FetchDescriptor<ArchiveItem>(predicate: #Predicate { $0.shelf?.name == "shelf 1" || $0.topics.count > 1 }))
    }
    doing("counting") { _ = try context.fetchCount(FetchDescriptor<ArchiveBook>()) }
    doing("enumerating") {
      try context.enumerate(FetchDescriptor<ArchiveItem>(), batchSize: 3) { _ = $0.number }
    }
    #expect(!context.hasChanges, "seed \(seed): reading has changed something")
    doing("saving nothing") { try context.save() }
    expect(contents(), equals: before, "reading")
  }

  /// Changes one property of each object and saves. All other columns must keep their values.
  func saveBeside() {
    let before = contents(besides: ["ArchiveItem": "isLent", "ArchiveTopic": "name"])
    let context = archive.store.context()
    doing("fetching") {
      for item in try context.fetch(FetchDescriptor<ArchiveItem>()) { item.isLent = true }
      for topic in try context.fetch(FetchDescriptor<ArchiveTopic>()) { topic.name = "changed" }
    }
    for _ in 1...2 { doing("saving") { try context.save() } }
    expect(contents(besides: ["ArchiveItem": "isLent", "ArchiveTopic": "name"]), equals: before, "a save")
  }

  /// Reads objects, lets the other program write random values to their rows, and then changes and saves the objects.
  mutating func saveMeanwhile() throws {
    let context = archive.store.context()
    var held: [any PersistentModel] = []
    doing("holding") {
      let items = try context.fetch(FetchDescriptor<ArchiveItem>())
      for item in items { _ = (item.number, item.shelf?.name, item.topics.count, item.keeper.items.count) }
      held = items
      held += try context.fetch(FetchDescriptor<ArchiveShelf>())
    }
    try scatter()
    let before = contents(besides: ["ArchiveItem": "isLent"])
    for case let item as ArchiveItem in held where !item.isDeleted { item.isLent.toggle() }
    // The first save may throw because of unread values; the second save then stores the changes.
    for _ in 1...2 { doing("saving what was held") { try context.save() } }
    expect(contents(besides: ["ArchiveItem": "isLent"]), equals: before, "a save of what was held")
    doing("reading what was held") { try read(context) }
    context.rollback()
    doing("reading after a rollback") { try read(context) }
    expect(contents(besides: ["ArchiveItem": "isLent"]), equals: before, "a rollback")
    withExtendedLifetime(held) {}
  }

  /// Assigns new values to properties whose stored values may be invalid, and to relationships at both ends.
  func replaceEverything() {
    let context = archive.store.context()
    doing("replacing") {
      let keeper = ArchiveKeeper("new")
      context.insert(keeper)
      for item in try context.fetch(FetchDescriptor<ArchiveItem>()) {
        item.price = 1
        item.keeper = keeper
        item.shelf = nil
        item.place = ArchivePlace(city: "Rome", floor: 1)
        item.scan = Data(repeating: 1, count: 150_000)
        item.topics = item.topics.reversed()
      }
      for shelf in try context.fetch(FetchDescriptor<ArchiveShelf>()) {
        shelf.items = try Array(context.fetch(FetchDescriptor<ArchiveItem>()).prefix(2))
      }
      try context.save()
      for item in try archive.store.context().fetch(FetchDescriptor<ArchiveItem>()) {
        #expect(item.price == 1 && item.keeper.name == "new" && item.scan?.count == 150_000, "seed \(seed)")
      }
    }
  }

  func deleteSome() {
    let context = archive.store.context()
    doing("deleting") {
      for item in try context.fetch(FetchDescriptor<ArchiveItem>()).prefix(2) { context.delete(item) }
      for topic in try context.fetch(FetchDescriptor<ArchiveTopic>()).prefix(1) { context.delete(topic) }
      for shelf in try context.fetch(FetchDescriptor<ArchiveShelf>()).prefix(1) { context.delete(shelf) }
      try context.save()
    }
  }

  func check() async throws {
    _ = try await archive.check(repairing: true)
    let left = try await archive.check()
    #expect(left.allSatisfy { $0.repair == .impossible }, "seed \(seed): \(left)")
    let context = archive.store.context()
    doing("reading what was mended") { try read(context) }
  }

  func copy() async throws {
    let folder = try BackupTests.Folder()
    try await archive.container.backup(to: folder.file("copy.store"))
    try await ModelContainer.restore(from: folder.file("copy.store"), to: folder.file("other.store"))
    let other = try BackupTests.open(folder.file("other.store"))
    #expect(try await other.check().count == archive.check().count, "seed \(seed)")
    try await other.close()
  }

  // MARK: Comparing

  /// All values of all tables as SQL literals, except the given column of each table.
  private func contents(besides: [String: String] = [:]) -> [String] {
    do {
      let database = try archive.store.raw
      return try Self.tables.flatMap { table in
        let columns = try database.rows("PRAGMA table_info(\"\(table)\")").compactMap { $0[1] }
          .filter { $0 != besides[table] }
        let list = columns.map { "'\($0)=' || quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
        return try database.column("SELECT '\(table) ' || \(list) FROM \"\(table)\" ORDER BY _osd_key")
      }
    } catch {
      Issue.record("seed \(seed): \(error)")
      return []
    }
  }

  private func expect(_ found: [String], equals wanted: [String], _ words: String) {
    guard found != wanted else { return }
    let (lost, new) = (wanted.filter { !found.contains($0) }.prefix(2), found.filter { !wanted.contains($0) }.prefix(2))
    Issue.record("seed \(seed): \(words) has changed \(Array(lost)) to \(Array(new))")
  }
}
