import ConformanceSupport
import OpenSwiftData
import Testing

/// The history of a file store is in two tables, and triggers copy the values of deleted rows into one of them. These
/// tests check how the library creates, trims, repairs and removes the tables and triggers.
@Suite("Maintenance of the history's tables and triggers")
struct HistoryUpkeepTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>
  private static let triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE '_osd_preserve_%'"
  private static let deletions = "SELECT DISTINCT number FROM _osd_tombstones ORDER BY number"

  private func store(_ history: ModelConfiguration.History = .standard) throws -> TestStore {
    try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: history)
  }

  private func raw(_ store: TestStore) throws -> RawDatabase { try RawDatabase(store.configuration.url.path) }

  private func insert(_ names: [String], _ context: ModelContext) throws -> [Voyage] {
    let voyages = names.map { Voyage($0, title: $0) }
    voyages.forEach(context.insert)
    try context.save()
    return voyages
  }

  private func delete(_ voyage: Voyage, _ context: ModelContext) throws {
    context.delete(voyage)
    try context.save()
  }

  /// Returns a context of a second container, whose configuration has no history. The first container treats commits of
  /// the second container like commits of another process.
  private func silent(_ store: TestStore) throws -> ModelContext {
    var configuration = store.configuration
    configuration.history = .off
    return ModelContext(try ModelContainer(for: store.schema, configurations: [configuration]))
  }

  private func numbers(_ context: ModelContext) throws -> [Int64] {
    try context.fetchHistory(Descriptor()).map(\.transactionIdentifier)
  }

  @Test(
    "a container without history drops the triggers for deleted values, and a container with history creates them again"
  )
  func turnedOff() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyages = try insert(["a", "b", "c", "d"], context)
    try delete(voyages[0], context)
    let database = try raw(store)
    #expect(try database.column(Self.triggers).count == 2)
    // Deletes a row with SQL, as a process with an older version of the library or another program would.
    try database.run("DELETE FROM Voyage WHERE name = 'd'")
    #expect(try database.column(Self.deletions) == ["2", "3"])
    let other = try silent(store)
    try other.delete(model: Voyage.self, where: #Predicate { $0.name == "b" })
    try other.save()
    #expect(try database.column(Self.triggers).isEmpty)
    #expect(try database.column(Self.deletions) == ["2"])
    try delete(voyages[2], context)
    #expect(try database.column(Self.triggers).count == 2)
    #expect(try database.column(Self.deletions) == ["2", "3"])
  }

  @Test("if another program drops the history's tables, the next save recreates them and follows a gap")
  func removedTables() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyages = try insert(["a", "b", "c"], context)
    try delete(voyages[0], context)
    for table in ["_osd_history", "_osd_tombstones"] { try raw(store).run("DROP TABLE \(table)") }
    try delete(voyages[1], context)
    let all = try context.fetchHistory(Descriptor())
    // The ID is 3, because tokens may contain the IDs 1 and 2 of the lost records.
    #expect(all.map(\.transactionIdentifier) == [3] && all.first?.followsGap == true)
    #expect(try raw(store).column(Self.deletions) == ["3"])
  }

  @Test("a container without history can delete rows after another program dropped the history's tables")
  func removedTablesWithoutHistory() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyages = try insert(["a", "b"], context)
    try delete(voyages[0], context)
    for table in ["_osd_history", "_osd_tombstones"] { try raw(store).run("DROP TABLE \(table)") }
    let other = try silent(store)
    for voyage in try other.fetch(FetchDescriptor<Voyage>()) { other.delete(voyage) }
    try other.save()
    #expect(try raw(store).column("SELECT name FROM Voyage").isEmpty)
  }

  @Test("a check finds and repairs history tables that another program dropped")
  func repairedTables() async throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyages = try insert(["a", "b"], context)
    try delete(voyages[0], context)
    for table in ["_osd_history", "_osd_tombstones"] { try raw(store).run("DROP TABLE \(table)") }
    #expect(throws: RawDatabase.Failure.self) { try raw(store).run("DELETE FROM Voyage") }
    #expect(try await store.container.check().map(\.table) == ["_osd_history", "_osd_tombstones"])
    #expect(try await store.container.check(repairing: true).count == 2)
    #expect(try await store.container.check().isEmpty)
    try raw(store).run("DELETE FROM Voyage")
  }

  @Test("the first save after the store was opened removes records that are too old")
  func age() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    for name in ["a", "b", "c"] { _ = try insert([name], store.context()) }
    try raw(store).run("UPDATE _osd_history SET time = 0 WHERE number < 3")
    try store.reopen()
    let context = store.context()
    _ = try insert(["d"], context)
    #expect(try numbers(context) == [3, 4])
  }

  @Test("the history stays below its size limit, even with few transactions")
  func size() throws {
    let store = try store(.kept(upTo: 4_000))
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    for number in 0..<200 {
      context.insert(Guide("\(number)"))
      try context.save()
    }
    // A record counts as about 73 bytes, so 4,000 bytes are about 55 records. The size is checked each time the history
    // grows by an eighth of the limit.
    let left = try numbers(context)
    #expect((30...70).contains(left.count) && left.last == 200)
  }

  @Test("the size limit includes the stored values of deleted models")
  func sizeOfValues() throws {
    let store = try store(.kept(upTo: 10_000))
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyages = (0..<40).map { Voyage("\($0)", title: String(repeating: "x", count: 1_000)) }
    voyages.forEach(context.insert)
    try context.save()
    for voyage in voyages { try delete(voyage, context) }
    let bytes = try raw(store).column("SELECT sum(length(value)) FROM _osd_tombstones").first.flatMap { Int($0) }
    #expect((1...25_000).contains(bytes ?? 0))
    #expect(try numbers(context).last == 41)
  }

  @Test("a commit of another program makes the next transaction follow a gap, and a checkpoint does not")
  func checkpoints() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    for (number, mode) in ["TRUNCATE", "RESTART", "TRUNCATE"].enumerated() {
      _ = try insert(["\(number)"], context)
      try raw(store).run("PRAGMA wal_checkpoint(\(mode))")
    }
    _ = try insert(["a"], context)
    try raw(store).run("INSERT INTO Guide (name) VALUES ('foreign')")
    try raw(store).run("PRAGMA wal_checkpoint(TRUNCATE)")
    _ = try insert(["b"], context)
    let gaps = try context.fetchHistory(Descriptor()).map(\.followsGap)
    #expect(gaps == [false, false, false, false, true])
  }

  @Test("deleting history records does not make the next transaction follow a gap")
  func deletedRecords() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    for name in ["a", "b"] { _ = try insert([name], context) }
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier == 1 }))
    _ = try insert(["c"], context)
    #expect(try context.fetchHistory(Descriptor()).map(\.followsGap) == [false, false])
  }

  @Test("erasing a store records no deleted values, and later deletions record the values of their rows again")
  func erasure() throws {
    let store = try store()
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    try delete(try insert(["a", "b"], context)[0], context)
    try store.container.erase()
    let database = try raw(store)
    #expect(try database.column(Self.triggers).isEmpty && database.column(Self.deletions).isEmpty)
    let other = store.context()
    try delete(try insert(["c"], other)[0], other)
    #expect(try database.column(Self.deletions) == ["4"])
  }

  @Test("if a request sorts by IDs in reverse order and has a limit, the store reads only the last transactions")
  func lastTransactions() throws {
    let store = try store()
    for name in ["a", "b", "c"] { _ = try insert([name], store.context()) }
    store.releaseContainer()
    let recorder = LogRecorder()
    var configuration = store.configuration
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(
      threshold: .zero, logger: recorder.logger())
    let context = ModelContext(try ModelContainer(for: store.schema, configurations: [configuration]))
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 1
    let last = try context.fetchHistory(descriptor)
    #expect(last.map(\.transactionIdentifier) == [3])
    #expect(recorder.statements.contains { $0.contains("ORDER BY number DESC LIMIT") })
    descriptor.sortBy = [SortDescriptor(\.timestamp, order: .reverse)]
    recorder.clear()
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [3])
    #expect(!recorder.statements.contains { $0.contains("DESC LIMIT") })
  }

  @Test("opening and reading a store does not read the history")
  func opening() throws {
    let store = try store()
    _ = try insert(["a"], store.context())
    store.releaseContainer()
    let recorder = LogRecorder()
    var configuration = store.configuration
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(
      threshold: .zero, logger: recorder.logger())
    let container = try ModelContainer(for: store.schema, configurations: [configuration])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Voyage>()) == 1)
    #expect(recorder.statements.contains { $0.contains("\"Voyage\"") })
    #expect(!recorder.statements.contains { $0.contains("_osd_history") })
  }
}
