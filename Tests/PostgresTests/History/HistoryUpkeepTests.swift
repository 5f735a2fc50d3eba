#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSQL
  import PostgresSupport
  import SQLEngine
  import Testing

  @testable import PostgresStore

  /// Tests which rows the history tables contain, and when the store deletes them.
  @Suite("History records in PostgreSQL", .timeLimit(.minutes(5)))
  struct PostgresHistoryUpkeepTests {
    private typealias Descriptor = HistoryStore.Descriptor

    private static let deleted = "SELECT number FROM _osd_history WHERE changes IS NULL ORDER BY number"

    @Test("the history is read and deleted by an index, regardless of its size")
    func plans() throws {
      let store = try HistoryStore()
      try ModelContext(store.container()).add("first")
      let table = PostgresHistoryTable(dialect: PostgresDialect(namespace: store.namespace))
      var range = PostgresParameters()
      range.append(Int64(100))
      range.append(Int64(140))
      var wanted = range
      wanted.append(-Double.infinity)
      wanted.append(Double.infinity)
      wanted.append(Int64.max)
      var list = PostgresParameters()
      list.append(keys: [100, 101, 102])
      let statements = [
        PostgresStatement(table.select(.any), wanted), PostgresStatement(table.ends, range),
        PostgresStatement(table.empty, list), PostgresStatement(table.removeFollowed, list),
      ]
      var counts: [[Double]] = []
      for size in [2_000, 16_000] {
        try store.run(
          "INSERT INTO _osd_history (time, changes) SELECT n, '[]' FROM generate_series(1, \(size)) AS g (n); "
            + "UPDATE _osd_history SET changes = NULL WHERE number % 50 = 0; ANALYZE _osd_history")
        counts.append(try statements.map { try rowsRead($0, store) })
      }
      for (small, great) in zip(counts[0], counts[1]) {
        #expect(great <= small + 8, "\(counts)")
        #expect(great < 200, "\(counts)")
      }
    }

    /// The number of table and index rows that the statement reads, including rows that a filter excludes from the
    /// result.
    private func rowsRead(_ statement: PostgresStatement, _ store: HistoryStore) throws -> Double {
      let connection = try store.cluster.connect()
      try connection.execute("BEGIN")
      let plan = try connection.run(
        PostgresStatement("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + statement.sql, statement.parameters))
      try connection.execute("ROLLBACK")
      let text = try #require(plan.text(0, 0))
      let top = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
      return top.reduce(0) { $0 + Self.rows(of: $1["Plan"] as? [String: Any] ?? [:]) }
    }

    private static func rows(of plan: [String: Any]) -> Double {
      func number(_ name: String) -> Double { (plan[name] as? NSNumber)?.doubleValue ?? 0 }
      let isScan = plan["Relation Name"] != nil
      let own = isScan ? (number("Actual Rows") + number("Rows Removed by Filter")) * max(1, number("Actual Loops")) : 0
      return (plan["Plans"] as? [[String: Any]] ?? []).reduce(own) { $0 + rows(of: $1) }
    }

    @Test("of consecutive deleted records the last one is kept, because it determines whether a token is expired")
    func deletions() throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      for number in 1...12 { try context.add("\(number)") }
      let tokens = try context.transactions().map(\.token)
      func delete(_ numbers: ClosedRange<Int64>) throws {
        let (first, last) = (numbers.lowerBound, numbers.upperBound)
        try context.deleteHistory(
          Descriptor(predicate: #Predicate { $0.transactionIdentifier >= first && $0.transactionIdentifier <= last }))
      }
      try delete(2...3)
      #expect(try store.numbers(Self.deleted) == [3])
      try delete(6...7)
      #expect(try store.numbers(Self.deleted) == [3, 7])
      try delete(4...5)
      #expect(try store.numbers(Self.deleted) == [7])
      for (index, token) in tokens.enumerated() {
        if index < 6 {
          #expect(throws: SwiftDataError.historyTokenExpired) { try context.transactions(behind: token) }
        } else {
          #expect(try context.transactions(behind: token).count == 11 - index)
        }
      }
      try context.deleteHistory(Descriptor())
      #expect(try store.numbers(Self.deleted) == [12])
      #expect(try context.transactions(behind: tokens[11]).isEmpty)
      try context.add("new")
      #expect(try context.transactions(behind: tokens[11]).map(\.transactionIdentifier) == [13])
      #expect(throws: SwiftDataError.historyTokenExpired) { try context.transactions(behind: tokens[10]) }
    }

    @Test("readers see a deletion of history only after its commit; then earlier tokens expire")
    func deletionBesideReader() throws {
      let store = try HistoryStore()
      let (context, reader) = (try store.context("me"), try store.context("reader"))
      for number in 1...6 { try context.add("\(number)") }
      let token = try #require(try reader.transactions().first?.token)
      let last = try #require(try reader.transactions().last?.token)
      try context.transaction {
        try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier < 4 }))
        #expect(try reader.transactions(behind: token).count == 5)
        // Another context saves while the deletion is not committed. The save does not wait, because the deletion adds
        // no history record.
        try reader.add("7")
        #expect(try reader.transactions(behind: last).count == 1)
      }
      #expect(throws: SwiftDataError.historyTokenExpired) { try reader.transactions(behind: token) }
      #expect(try reader.transactions().map(\.transactionIdentifier) == [4, 5, 6, 7])
      #expect(try reader.transactions(behind: last).count == 1)
    }

    @Test("the first save of a process deletes records that are too old")
    func age() throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      for number in 1...4 { try context.add("\(number)") }
      let token = try #require(try context.transactions().first?.token)
      try store.run("UPDATE _osd_history SET time = 0 WHERE number < 4")
      try context.add("5")
      #expect(try context.transactions().count == 5)
      let other = try store.context("other")
      try other.add("6")
      #expect(try other.transactions().map(\.transactionIdentifier) == [4, 5, 6])
      #expect(throws: SwiftDataError.historyTokenExpired) { try other.transactions(behind: token) }
    }

    @Test(
      "the history never exceeds its maximum size, including the values of deleted models",
      arguments: [true, false])
    func size(_ hasValues: Bool) throws {
      let store = try HistoryStore(.kept(upTo: hasValues ? 20_000 : 10_000))
      let context = try store.context("me")
      for number in 0..<(hasValues ? 30 : 300) {
        let entry = Entry("\(number) " + (hasValues ? String(repeating: "x", count: 1_000) : ""))
        context.insert(entry)
        try context.save()
        guard hasValues else { continue }
        context.delete(entry)
        try context.save()
      }
      let left = try context.transactions()
      #expect(left.map(\.transactionIdentifier).last == (hasValues ? 60 : 300))
      #expect((10...180).contains(left.count), "\(left.count)")
      let bytes = try store.numbers("SELECT coalesce(sum(octet_length(value)), 0)::int8 FROM _osd_tombstones")
      #expect(bytes.allSatisfy { $0 <= 35_000 })
      let first = try #require(left.first?.transactionIdentifier)
      #expect(try store.numbers("SELECT count(*) FROM _osd_tombstones WHERE number < \(first)") == [0])
    }

    @Test("without limits everything is kept, and nothing is recorded if history is off")
    func settings() throws {
      let store = try HistoryStore(.kept())
      let context = try store.context("me")
      for number in 0..<300 { try context.add("\(number)") }
      #expect(try context.transactions().count == 300)
      let silent = ModelContext(try store.container(.off))
      try silent.add("silent")
      // A container without history can still read the records of other containers.
      #expect(try silent.transactions().count == 300)
    }

    @Test("erasing the store deletes the history, except for the number of its last record")
    func erasure() throws {
      let store = try HistoryStore()
      let container = try store.container()
      let context = ModelContext(container)
      try context.add("1")
      let token = try #require(try context.transactions().last?.token)
      try context.add("2")
      try container.erase()
      #expect(try context.transactions().isEmpty)
      #expect(throws: SwiftDataError.historyTokenExpired) { try context.transactions(behind: token) }
      let other = ModelContext(container)
      try other.add("3")
      #expect(try other.transactions().map(\.transactionIdentifier) == [3])
    }

    @Test("the history has each save once, even if a COMMIT was not acknowledged")
    func lostAnswer() throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      try context.add("1")
      try store.run(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS "
          + "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; "
          + "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON \"Entry\" DEFERRABLE INITIALLY DEFERRED "
          + "FOR EACH ROW EXECUTE FUNCTION die()")
      context.insert(Entry("2"))
      #expect(throws: SwiftDataError.self) { try context.save() }
      try store.run("DROP TRIGGER die ON \"Entry\"")
      #expect(try context.transactions().count == 1)
      try context.save()
      let changes = try context.transactions().map(\.changes.count)
      #expect(changes == [1, 1])
    }

    /// The preserved values of the models that the last transaction deleted.
    private func deletedValues(_ context: ModelContext) throws -> Set<String> {
      var found: Set<String> = []
      for case .delete(let deletion) in try context.transactions().last?.changes ?? [] {
        if let line = deletion as? DefaultHistoryDelete<Line> { found.insert(line.tombstone[\.text] as? String ?? "") }
        if let entry = deletion as? DefaultHistoryDelete<Entry> {
          found.insert(entry.tombstone[\.title] as? String ?? "")
        }
      }
      return found
    }

    @Test("tombstones have the values that rows had when a cascade deleted them")
    func tombstones() throws {
      let store = try HistoryStore()
      let (context, other) = (try store.context("me"), try store.context("other"))
      let entry = Entry("first")
      context.insert(Line("a", of: entry))
      context.insert(Line("b", of: entry))
      try context.save()
      let theirs = try other.fetch(FetchDescriptor<Line>(sortBy: [SortDescriptor(\.text)]))
      theirs.first?.text = "changed"
      try other.save()
      try context.delete(model: Entry.self)
      try context.save()
      #expect(try deletedValues(context) == ["first", "changed", "b"])
      // A retried save has a new transaction ID, and its tombstones have this ID too.
      let last = try #require(try context.transactions().last?.transactionIdentifier)
      #expect(try store.numbers("SELECT DISTINCT number FROM _osd_tombstones") == [last])
    }

    @Test("tombstones keep values of every type, except values whose column has another type now")
    func kinds() throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      let kept = Remembered()
      context.insert(kept)
      try context.save()
      let expected = (kept.date, kept.decimal, kept.identifier)
      context.delete(kept)
      try context.save()
      func tombstone() throws -> HistoryTombstone<Remembered> {
        guard case .delete(let deletion) = try #require(try context.transactions().last?.changes.first) else {
          throw Missing()
        }
        return try #require(deletion as? DefaultHistoryDelete<Remembered>).tombstone
      }
      let found = try tombstone()
      #expect(found[\.text] as? String == "\u{E4}'\\" && found[\.data] as? Data == Data([0, 1, 255]))
      #expect(found[\.date] as? Date == expected.0 && found[\.decimal] as? Decimal == expected.1)
      #expect(found[\.identifier] as? UUID == expected.2 && found[\.list] as? [Int] == [3, 1])
      #expect(found[\.real] as? Double == 0.1 + 0.2 && found[\.great] as? Double == .infinity)
      #expect((found[\.unknown] as? Decimal)?.isNaN == true)
      #expect(found[\.unsigned] as? UInt64 == .max && found[\.wide] as? Int64 == .min)
      #expect(found[\.missing] == nil && Array(found).count == 11)
      // This is what a migration that changes the type of the attribute leaves behind.
      try store.run("UPDATE _osd_tombstones SET type = 'text', value = 'many' WHERE \"column\" = 'wide'")
      #expect(try tombstone()[\.wide] == nil && tombstone()[\.real] as? Double == 0.1 + 0.2)
    }

    private struct Missing: Error {}

    @Test(
      "values of deleted rows are kept if a part of the save is rolled back and done in another way",
      arguments: [false, true])
    func undoneParts(_ isInner: Bool) throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      let entries = ["a", "b", "c"].map { Entry($0) }
      for (code, entry) in entries.enumerated() {
        entry.code = code
        context.insert(entry)
      }
      try context.save()
      let save = {
        // The two rows exchange unique values. The first attempt to write them fails.
        (entries[0].code, entries[1].code) = (1, 0)
        context.delete(entries[2])
        try context.save()
      }
      if isInner { try context.transaction { try context.transaction(block: save) } } else { try save() }
      #expect(try deletedValues(context) == ["c"])
    }

    @Test(
      "the history records the deletion of rows that another transaction related to a row during the row's deletion")
    func relatedMeanwhile() throws {
      let store = try HistoryStore()
      let (context, other) = (try store.context("me"), try store.context("other"))
      context.insert(Entry("first"))
      try context.save()
      let entry = try #require(try other.fetch(FetchDescriptor<Entry>()).first)
      let deletion = DispatchGroup()
      try other.transaction {
        other.insert(Line("a", of: entry))
        try other.save()
        _ = try other.fetchCount(FetchDescriptor<Line>())
        deletion.enter()
        Thread.detachNewThread {
          defer { deletion.leave() }
          let context = try? store.context("deleter")
          try? context?.delete(model: Entry.self)
          try? context?.save()
        }
        // By now the deletion waits for the other transaction's change of the row.
        #expect(deletion.wait(timeout: .now() + .milliseconds(500)) == .timedOut)
      }
      deletion.wait()
      #expect(try context.transactions().last?.author == "deleter")
      #expect(try deletedValues(context) == ["first", "a"])
    }

    @Test("transaction IDs continue in a database to which the store was copied")
    func moved() throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      for number in 1...3 { try context.add("\(number)") }
      let token = try context.transactions()[1].token
      let database = "moved\(UUID().uuidString.prefix(8).lowercased())"
      try store.cluster.connect().execute("CREATE DATABASE \(database)")
      let url = "postgresql://osd@/\(database)?host=\(store.cluster.folder)"
      try #require(
        try Self.shell(
          "\(Self.programs)/pg_dump -n '\"\(store.namespace)\"' '\(store.cluster.url)' | \(Self.programs)/psql -q '\(url)'"
        ))
      let moved = ModelContext(try store.container(url: url))
      #expect(try moved.transactions(behind: token).map(\.transactionIdentifier) == [3])
      try moved.add("4")
      #expect(try moved.transactions(behind: token).map(\.transactionIdentifier) == [3, 4])
    }

    private static var programs: String {
      let root = "/usr/lib/postgresql"
      let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
      return "\(root)/\(versions.max() ?? 0)/bin"
    }

    private static func shell(_ command: String) throws -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", command]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
  }
#endif
