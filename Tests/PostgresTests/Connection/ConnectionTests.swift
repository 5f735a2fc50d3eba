#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import Testing

  @Suite("A connection to PostgreSQL")
  struct ConnectionTests {
    let connection: PostgresConnection
    let namespace: String

    init() throws {
      (connection, namespace) = try TestCluster.shared.get().connectToNamespace()
    }

    private func makeTable() throws -> String {
      let table = "\"\(namespace)\".numbers"
      try connection.execute("CREATE TABLE \(table) (key int8 PRIMARY KEY, other int8 NOT NULL DEFAULT 0)")
      return table
    }

    private func insertion(_ key: Int64, into table: String) -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(key)
      return PostgresStatement("INSERT INTO \(table) VALUES ($1::int8)", parameters)
    }

    private func count(_ table: String) throws -> Int64? {
      try connection.run(PostgresStatement("SELECT count(*) FROM \(table)")).integer(0, 0)
    }

    @Test("a pipeline returns complete results, even while the rows of an earlier statement are read one by one")
    func pipelineBehindRows() throws {
      let connection = try TestCluster.shared.get().connect()
      let query = PostgresStatement("SELECT n FROM generate_series(1, 3) AS g (n)")
      let rows = try connection.rows(of: query)
      while try rows.next() != nil {}
      #expect(try connection.run([query, query]).map(\.rowCount) == [3, 3])
    }

    @Test(
      "statements are prepared by text and parameter types; one that no longer fits its table is closed"
    )
    func keptStatements() throws {
      let table = try makeTable()
      try connection.run(insertion(1, into: table))
      func reading(_ column: String, parameters count: Int) -> PostgresStatement {
        var parameters = PostgresParameters()
        for _ in 0..<count { parameters.append(Int64(1)) }
        return PostgresStatement("SELECT \(column) FROM \(table) WHERE key = $1::int8", parameters)
      }
      // Additional parameters, which the text does not use, change only the parameter types.
      for count in [1, 2, 1, 2, 1, 2] {
        #expect(try connection.run(reading("key", parameters: count)).rowCount == 1)
      }
      let several = [1, 2, 1, 2].map { reading("key", parameters: $0) }
      #expect(try connection.run(several).map(\.rowCount) == [1, 1, 1, 1])
      for _ in 0..<3 { #expect(try connection.run(reading("other", parameters: 1)).integer(0, 0) == 0) }
      try connection.execute("ALTER TABLE \(table) ALTER COLUMN other TYPE text")
      #expect(throws: SwiftDataError.self) { try connection.run(reading("other", parameters: 1)) }
      for _ in 0..<3 { #expect(try connection.run(reading("other", parameters: 1)).text(0, 0) == "0") }
    }

    @Test(
      "a connection disables JIT compilation unless a pooler may share its session with other programs",
      arguments: [false, true])
    func compiling(_ isPooled: Bool) throws {
      let connection = try TestCluster.shared.get().connect { $0.isPooled = isPooled }
      let query = PostgresStatement("SELECT setting, reset_val FROM pg_settings WHERE name = 'jit'")
      let result = try connection.run(query)
      #expect(result.text(0, 0) == (isPooled ? result.text(0, 1) : "off"))
    }

    @Test("a connection reports its location without user and password, and the server's version")
    func place() throws {
      #expect(connection.location.hasPrefix("'postgres' on \(TestCluster.root)/osd-pg-"))
      #expect(connection.serverVersion >= 140_000)
      #expect(connection.isOpen)
      #expect(connection.transactionStatus == .idle)
    }

    @Test("a result reports how many rows its statement changed")
    func affectedRows() throws {
      let table = try makeTable()
      for key in 1...3 { #expect(try connection.run(insertion(Int64(key), into: table)).affectedRows == 1) }
      #expect(try connection.run(PostgresStatement("UPDATE \(table) SET other = 7 WHERE key < 3")).affectedRows == 2)
    }

    @Test("calls on a closed connection throw")
    func end() throws {
      connection.close()
      #expect(!connection.isOpen)
      #expect(connection.makeCanceller() == nil)
      let error = #expect(throws: SwiftDataError.self) { try connection.execute("SELECT 1") }
      #expect(error == .storeUnreachable)
    }

    // MARK: Pipelines

    @Test("a pipeline runs several statements in one round trip")
    func pipeline() throws {
      let table = try makeTable()
      let statements =
        (1...50).map { insertion($0, into: table) } + [PostgresStatement("SELECT max(key) FROM \(table)")]
      let results = try connection.run(statements)
      #expect(results.count == 51)
      #expect(results.last?.integer(0, 0) == 50)
    }

    @Test("a pipeline that fails in the middle is rolled back", arguments: [false, true])
    func failedPipeline(_ isTransaction: Bool) throws {
      let table = try makeTable()
      try connection.run(insertion(5, into: table))
      var statements = (1...9).map { insertion($0, into: table) }
      if isTransaction { statements = [PostgresStatement("BEGIN")] + statements + [PostgresStatement("COMMIT")] }
      let error = #expect(throws: SwiftDataError.self) { try connection.run(statements) }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "23505")
      #expect(connection.transactionStatus == .idle)
      #expect(try count(table) == 1)
      #expect(try connection.run([insertion(6, into: table)]).count == 1)
    }

    @Test("a failed pipeline does not roll back a transaction that was begun before it")
    func pipelineInTransaction() throws {
      let table = try makeTable()
      try connection.execute("BEGIN")
      _ = try connection.run([insertion(1, into: table)])
      #expect(throws: SwiftDataError.self) {
        try connection.run([insertion(2, into: table), insertion(1, into: table)])
      }
      #expect(connection.transactionStatus == .failed)
      try connection.execute("ROLLBACK")
      #expect(try count(table) == 0)
    }

    @Test("a pipeline can have more requests than the server reads before the client reads the results")
    func largePipeline() throws {
      var parameters = PostgresParameters()
      try parameters.append(String(repeating: "text ", count: 40_000))
      let echo = PostgresStatement("SELECT $1::text", parameters)
      let results = try connection.run([PostgresStatement](repeating: echo, count: 60))
      #expect(results.count == 60)
      #expect(results.allSatisfy { $0.text(0, 0)?.utf8.count == 200_000 })
    }

    // MARK: Rows

    @Test("rows are returned one by one")
    func rows() throws {
      let rows = try connection.rows(of: PostgresStatement("SELECT n::int8 FROM generate_series(1, 1000) AS n"))
      var sum: Int64 = 0
      while let row = try rows.next() { sum += try #require(row.integer(0, 0)) }
      #expect(sum == 500_500)
      #expect(try rows.next() == nil)
      try connection.execute("SELECT 1")
    }

    @Test("unread rows are buffered if another statement runs", arguments: [false, true])
    func nestedRead(_ isInTransaction: Bool) throws {
      if isInTransaction { try connection.execute("BEGIN") }
      let texts = "CASE n % 3 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE repeat(n::text, 1000) END"
      let rows = try connection.rows(
        of: PostgresStatement("SELECT n::int8, \(texts) FROM generate_series(1, 3000) AS n"))
      var found: [Int64] = []
      while let result = try rows.next() {
        for row in 0..<result.rowCount {
          let number = try #require(result.integer(row, 0))
          found.append(number)
          if number == 100 {
            #expect(try connection.run(PostgresStatement("SELECT 7::int8")).integer(0, 0) == 7)
            #expect(throws: SwiftDataError.self) { try connection.run([PostgresStatement("SELECT nothing")]) }
            if isInTransaction { try connection.execute("ROLLBACK; BEGIN") }
            // The current row stays readable while another statement runs.
            #expect(result.integer(row, 0) == number)
          }
          #expect(result.isNull(row, 1) == (number % 3 == 0))
          if number % 3 == 1 { #expect(result.text(row, 1) == "") }
          if number % 3 == 2 { #expect(result.text(row, 1)?.utf8.count == "\(number)".utf8.count * 1_000) }
        }
      }
      #expect(found == Array(1...3_000))
      if isInTransaction { try connection.execute("COMMIT") }
      #expect(connection.transactionStatus == .idle)
    }

    @Test("the buffered rows of a statement are returned before the statement's error is thrown")
    func keptFailure() throws {
      let rows = try connection.rows(
        of: PostgresStatement("SELECT (10 / (5 - n))::int8 FROM generate_series(1, 9) AS n"))
      #expect(try rows.next()?.integer(0, 0) == 2)
      try connection.execute("SELECT 1")
      // The buffered rows are returned together, as one result.
      let kept = try #require(try rows.next())
      #expect((0..<kept.rowCount).map { kept.integer($0, 0) } == [3, 5, 10])
      let error = #expect(throws: SwiftDataError.self) { try rows.next() }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "22012")
      #expect(try rows.next() == nil)
    }

    @Test("a few rows on an idle connection are returned as one result")
    func wholeRows() throws {
      let query = PostgresStatement("SELECT n::int8 FROM generate_series(1, 3) AS n")
      let rows = try connection.rows(of: query, isWhole: true)
      let other = try connection.rows(of: query)
      for rows in [rows, other] { try rows.waitForFirst() }
      var found: [Int64] = []
      for rows in [rows, other] {
        while let next = try rows.next() { found += (0..<next.rowCount).compactMap { next.integer($0, 0) } }
      }
      #expect(found == [1, 2, 3, 1, 2, 3])
      #expect(try connection.rows(of: PostgresStatement("SELECT 1 WHERE false"), isWhole: true).next() == nil)
    }

    @Test("the transaction stays open if reading rows ends before the last row")
    func givenUpRows() throws {
      let table = try makeTable()
      try connection.execute("BEGIN")
      try connection.run(insertion(1, into: table))
      let rows = try connection.rows(of: PostgresStatement("SELECT n FROM generate_series(1, 10000) AS n"))
      _ = try rows.next()
      rows.close()
      try connection.execute("COMMIT")
      #expect(try count(table) == 1)
    }

    @Test("an error that occurs in a statement after some of its rows is thrown")
    func lateError() throws {
      let rows = try connection.rows(of: PostgresStatement("SELECT 10 / (5 - n) FROM generate_series(1, 9) AS n"))
      let error = #expect(throws: SwiftDataError.self) { while try rows.next() != nil {} }
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "22012")
      try connection.execute("SELECT 1")
    }
  }
#endif
