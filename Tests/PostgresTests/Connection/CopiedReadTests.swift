#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  /// The engine reads large results by `COPY`.
  @Suite("Rows that are read by COPY", .timeLimit(.minutes(2)))
  struct CopiedReadTests {
    let connection: PostgresConnection

    init() throws {
      connection = try TestCluster.shared.get().connect()
    }

    private func copy(_ sql: String) throws -> PostgresRows {
      try connection.copiedRows(of: PostgresStatement(sql))
    }

    private func numbers(_ rows: PostgresRows) throws -> [Int64] {
      var found: [Int64] = []
      while var row = try rows.nextRows() {
        while row.advance() { found.append(try #require(row.number)) }
      }
      return found
    }

    private func expectFree() throws {
      #expect(connection.transactionStatus == .idle)
      #expect(try connection.run([PostgresStatement("SELECT 7::int8")]).first?.integer(0, 0) == 7)
    }

    @Test("COPY returns the same bytes as a query, for each type, NULL, empty texts and texts longer than a buffer")
    func values() throws {
      let columns = """
        n::int8, CASE WHEN n % 3 = 0 THEN NULL ELSE n / 7.0 END::float8, CASE n % 5 WHEN 0 THEN NULL WHEN 1 THEN '' \
        WHEN 2 THEN repeat('é', 20000) ELSE n::text END::text, (n * 123456789.123)::numeric, \
        CASE WHEN n % 4 = 0 THEN NULL ELSE decode(repeat('00ff', n % 9), 'hex') END::bytea, '{"a": 1}'::json, n::int2
        """
      let columnCount: Int32 = 7
      let sql = "SELECT \(columns) FROM generate_series(1, 500) AS g (n) ORDER BY g.n DESC"
      let copied = try copy(sql)
      try copied.waitForFirst()
      var count = 0
      let asked = try TestCluster.shared.get().connect().run(PostgresStatement(sql))
      while var row = try copied.nextRows() {
        while row.advance() {
          for column in 0..<columnCount {
            let bytes = row.bytes(column).map { Array($0) }
            #expect(bytes == asked.withBytes(count, Int(column)) { Array($0) })
          }
          #expect(row.bytes(-1) == nil && row.bytes(columnCount) == nil)
          count += 1
        }
      }
      #expect(count == 500 && asked.rowCount == 500)
      try expectFree()
    }

    @Test("a COPY may return no rows", arguments: [false, true])
    func none(waits: Bool) throws {
      let rows = try copy("SELECT n::int8 FROM generate_series(1, 0) AS g (n)")
      if waits { try rows.waitForFirst() }
      #expect(try numbers(rows) == [])
      #expect(connection.transactionStatus == .idle)
      #expect(try rows.nextRows() == nil)
      try expectFree()
    }

    @Test(
      "another statement first buffers the remaining rows, whether it runs before the first row or between two rows",
      arguments: [0, 1, 100, 3_000])
    func kept(position: Int) throws {
      let rows = try copy("SELECT n::int8 FROM generate_series(1, 3000) AS g (n)")
      try rows.waitForFirst()
      var found: [Int64] = []
      func askMeanwhile() throws {
        let others = try copy("SELECT n::int8 FROM generate_series(1, 2) AS g (n)")
        try others.waitForFirst()
        try connection.execute("SELECT 1")
        #expect(try numbers(others) == [1, 2])
      }
      if position == 0 { try askMeanwhile() }
      while var row = try rows.nextRows() {
        while row.advance() {
          found.append(try #require(row.number))
          if found.count == position {
            try askMeanwhile()
            // The current row stays readable while another statement runs.
            #expect(row.number == Int64(position))
          }
        }
      }
      #expect(found == Array(1...3_000))
      try expectFree()
    }

    @Test(
      "the connection can be used again if reading the rows ends early", arguments: [0, 1, 2_000],
      [10, 3_000, 2_000_000])
    func givenUp(read: Int, of count: Int) throws {
      let rows = try copy("SELECT n::int8 FROM generate_series(1, \(count)) AS g (n)")
      try rows.waitForFirst()
      for _ in 0..<read { _ = try rows.nextRows() }
      rows.close()
      #expect(try rows.nextRows() == nil)
      try expectFree()
    }

    @Test(
      "another statement may run, or the rows may be closed, before the first row arrives", arguments: [false, true],
      [10, 2_000_000])
    func notBegun(isClosed: Bool, count: Int) throws {
      let rows = try copy("SELECT n::int8 FROM generate_series(1, \(count)) AS g (n)")
      if isClosed { rows.close() }
      try connection.execute("SELECT 1")
      #expect(try numbers(rows).count == (isClosed ? 0 : count))
      try expectFree()
    }

    @Test(
      "an error of the server is thrown after the rows before it, whether or not the rows were buffered",
      arguments: [false, true])
    func lateError(isKept: Bool) throws {
      let rows = try copy("SELECT (10 / (5000 - n))::int8 FROM generate_series(1, 9000) AS g (n)")
      try rows.waitForFirst()
      if isKept { try connection.execute("SELECT 1") }
      var count = 0
      let error = #expect(throws: SwiftDataError.self) { while try rows.nextRows() != nil { count += 1 } }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "22012")
      #expect(error?.description.contains("COPY") == false)
      #expect(count == 4_999)
      #expect(try rows.nextRows() == nil)
      try expectFree()
    }

    @Test("a COPY of a statement that fails at once throws", arguments: ["SELECT nothing", "SELECT 1 / 0::int8"])
    func error(sql: String) throws {
      let rows = try copy(sql)
      #expect(throws: SwiftDataError.self) { try rows.waitForFirst() }
      #expect(try rows.nextRows() == nil)
      try expectFree()
    }

    @Test("reading rows throws if the server ends the session")
    func endedSession() throws {
      let process = try #require(try connection.run(PostgresStatement("SELECT pg_backend_pid()::int8")).integer(0, 0))
      let rows = try copy("SELECT n::int8 FROM generate_series(1, 20000000) AS g (n)")
      try rows.waitForFirst()
      try TestCluster.shared.get().connect().execute("SELECT pg_terminate_backend(\(process))")
      var count = 0
      let error = #expect(throws: SwiftDataError.self) { while try rows.nextRows() != nil { count += 1 } }
      #expect(error == .storeUnreachable)
      #expect(count < 20_000_000)
      #expect(try rows.nextRows() == nil)
      #expect(!connection.isOpen)
    }

    // MARK: Stores

    private func store(_ name: String = UUID().uuidString) throws -> (ModelContainer, TestCatalog) {
      let cluster = try TestCluster.shared.get()
      var configuration = PostgresConfiguration(cluster.url)
      configuration.namespace = "Copies \(name)"
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      for number in 1...2_500 {
        let holder = Holder("holder \(number)", number: number)
        holder.note = number.isMultiple(of: 2) ? nil : "e\u{301} \(number)"
        if number.isMultiple(of: 10) { holder.holdings = [Holding("a \(number)"), Holding("b \(number)")] }
        context.insert(holder)
      }
      try context.save()
      return (container, try TestCatalog(cluster, namespace: configuration.namespace))
    }

    @Test("a fetch by COPY returns the same objects as a fetch that reads rows one by one")
    func objects() throws {
      let (container, _) = try store()
      var everything = FetchDescriptor<Holder>()
      everything.relationshipKeyPathsForPrefetching = [\.holdings]
      // COPY cannot be used for a statement with a parameter, so this fetch reads rows one by one.
      let one = FetchDescriptor<Holder>(predicate: #Predicate { $0.name.starts(with: "holder") })
      func facts(_ descriptor: FetchDescriptor<Holder>) throws -> Set<[String]> {
        let context = ModelContext(container)
        return Set(
          try context.fetch(descriptor).map { holder in
            [holder.name, "\(holder.number ?? -1)", holder.note ?? "-"] + holder.holdings.map(\.title).sorted()
          })
      }
      let expected = try facts(one)
      #expect(expected.count == 2_500)
      for _ in 0..<3 { #expect(try facts(everything) == expected) }
      let texts = try ModelContext(container).fetch(everything).compactMap(\.note)
      #expect(texts.allSatisfy { $0.unicodeScalars.contains("\u{301}") })
    }

    /// COPY does not report the types of columns. This must not change any value that a fetch reads.
    @Test(
      "COPY returns the same values as rows read one by one, even if column types were changed by SQL",
      arguments: [
        "number TYPE int4", "number TYPE float8 USING number + 0.5", "number TYPE numeric USING number + 0.5",
        "number TYPE text USING CASE number WHEN 7 THEN 'n/a' ELSE number::text END",
        "number TYPE timestamptz USING to_timestamp(number)", "note TYPE bytea USING convert_to(note, 'UTF8')",
        "note TYPE char(40)", "note TYPE json USING to_json(note)",
      ])
    func changedType(_ change: String) throws {
      let (container, owner) = try store()
      try owner.connection.execute("ALTER TABLE \"Holder\" ALTER COLUMN \(change)")
      func values(_ descriptor: FetchDescriptor<Holder>) throws -> [[String]] {
        try ModelContext(container).fetch(descriptor)
          .map { [$0.name, $0.number.map { "\($0)" } ?? "-", $0.note ?? "-"] }.sorted { $0[0] < $1[0] }
      }
      let one = try values(FetchDescriptor(predicate: #Predicate { $0.name.starts(with: "holder") }))
      #expect(one.count == 2_500)
      for _ in 0..<2 { #expect(try values(FetchDescriptor()) == one) }
    }

    @Test("buffered rows need no connection, so another thread can use it meanwhile")
    func keptOnAnotherThread() async throws {
      let rows = try copy("SELECT n::int8 FROM generate_series(1, 3000) AS g (n)")
      try rows.waitForFirst()
      rows.keepRest()
      let process = try #require(try connection.run(PostgresStatement("SELECT pg_backend_pid()::int8")).integer(0, 0))
      try TestCluster.shared.get().connect().execute("SELECT pg_terminate_backend(\(process))")
      #expect(throws: SwiftDataError.self) { try connection.execute("SELECT 1") }
      connection.close()
      #expect(try numbers(rows) == Array(1...3_000))
    }
  }

  extension PostgresRow {
    /// The integer in the first column.
    fileprivate var number: Int64? {
      bytes(0).map { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) }
    }
  }
#endif
