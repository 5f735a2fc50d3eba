#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A statement that fails, and the error that it must throw.
  struct Failure: Sendable, CustomTestStringConvertible {
    let rule: String
    let sql: String
    let sqlState: String
    let kind: SwiftDataError
    let words: String

    var testDescription: String { rule }
  }

  @Suite("Errors of PostgreSQL")
  struct PostgresErrorTests {
    static let failures: [Failure] = [
      Failure(
        rule: "two rows that would be alike", sql: "INSERT INTO t VALUES (1, 1)", sqlState: "23505",
        kind: .modelValidationFailure, words: "must be unique (Key (key)=(1) already exists.)"),
      Failure(
        rule: "a value that is missing", sql: "INSERT INTO t VALUES (2, NULL)", sqlState: "23502",
        kind: .modelValidationFailure, words: "null value in column \"other\""),
      Failure(
        rule: "a reference to nothing", sql: "INSERT INTO r VALUES (9)", sqlState: "23503",
        kind: .modelValidationFailure,
        words: "refers to one that is not in"),
      Failure(
        rule: "a rule of another program", sql: "INSERT INTO t VALUES (3, -1)", sqlState: "23514",
        kind: .modelValidationFailure, words: "A rule of"),
      Failure(
        rule: "a table that is gone", sql: "SELECT * FROM nothing", sqlState: "42P01", kind: .storeFailure,
        words: "changed by hand"),
      Failure(
        rule: "a number that does not fit", sql: "SELECT 9223372036854775807 + 1::int8", sqlState: "22003",
        kind: .valueNotStorable, words: "bigint out of range"),
      Failure(
        rule: "a row that is too large for an index",
        sql: "INSERT INTO x SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, 400)",
        sqlState: "54000",
        kind: .valueNotStorable, words: "too large for an index"),
      Failure(
        rule: "a transaction that only reads", sql: "SET TRANSACTION READ ONLY; INSERT INTO t VALUES (4, 1)",
        sqlState: "25006", kind: .storeReadOnly, words: "only reads"),
      Failure(
        rule: "a right that is missing", sql: "SET LOCAL ROLE pg_read_all_stats; SELECT pg_read_file('x')",
        sqlState: "42501",
        kind: .storeReadOnly, words: "may not do this"),
      Failure(
        rule: "a statement that is none", sql: "SELEKT", sqlState: "42601", kind: .storeFailure, words: "syntax error"),
    ]

    @Test(
      "an error has the server's code and message, and a case that determines what the caller can do",
      arguments: failures)
    func kinds(_ failure: Failure) throws {
      let (connection, namespace) = try TestCluster.shared.get().connectToNamespace()
      try connection.execute(
        "SET search_path = \"\(namespace)\"; CREATE TABLE t (key int8 PRIMARY KEY, other int8 NOT NULL CHECK (other >= 0)); "
          + "CREATE TABLE r (target int8 REFERENCES t); CREATE TABLE x (value text PRIMARY KEY); INSERT INTO t VALUES (1, 1)"
      )
      let error = #expect(throws: SwiftDataError.self) { try connection.execute(failure.sql) }
      #expect(error == failure.kind)
      #expect(error?.explanation?.contains(failure.words) == true, "\(error?.explanation ?? "")")
      #expect(
        error?.explanation?.contains("'postgres' on \(TestCluster.root)/osd-pg-") == true
          || failure.kind == .valueNotStorable)
      let cause = try #require(error?.underlyingError as? SwiftDataError.PostgresError)
      #expect(cause.sqlState == failure.sqlState)
      #expect(cause.sql == failure.sql)
      try connection.execute("SELECT 1")
    }

    @Test("an error can be retried if transactions conflict")
    func retries() throws {
      let cluster = try TestCluster.shared.get()
      let (one, namespace) = try cluster.connectToNamespace()
      let two = try cluster.connect()
      let table = "\"\(namespace)\".t"
      try one.execute("CREATE TABLE \(table) (key int8, other int8); INSERT INTO \(table) VALUES (1, 0)")
      for connection in [one, two] {
        try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM \(table)")
      }
      try one.execute("UPDATE \(table) SET other = 1; COMMIT")
      let error = #expect(throws: SwiftDataError.self) { try two.execute("UPDATE \(table) SET other = 2") }
      #expect(error == .storeBusy)
      #expect((error?.underlyingError as? PostgresError)?.isRetryable == true)
      try two.execute("ROLLBACK")
    }

    @Test("an error never contains the password of the connection")
    func password() throws {
      let cluster = try TestCluster.shared.get()
      let string = "postgresql://osd:very-secret@/nothing?host=\(cluster.folder)"
      let error = #expect(throws: SwiftDataError.self) { try PostgresConnection(PostgresSettings(string)) }
      #expect(error?.description.contains("very-secret") == false)
    }
  }
#endif
