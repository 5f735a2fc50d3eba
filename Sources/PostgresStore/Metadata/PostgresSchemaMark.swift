#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// An empty table whose name contains the number of the store's schema: the count of schemas it has had.
  ///
  /// Every transaction that changes the store locks it, from its first round trip on, with a lock that blocks no other
  /// transaction. A migration waits for all of them, blocks new ones, and renames the table. So no program changes a
  /// store whose schema is not the one with which it was opened. The server executes LOCK without planning.
  struct PostgresSchemaMark: Sendable {
    /// 0 within a migration, which has exclusive access to the tables and needs no mark.
    let number: Int64
    let dialect: PostgresDialect
    /// Blocks migrations until the transaction ends; fails after a migration (42P01).
    let use: PostgresStatement

    init(number: Int64, dialect: PostgresDialect) {
      self.number = number
      self.dialect = dialect
      let table = dialect.table(Self.name(number))
      use = PostgresStatement(StatementText("LOCK TABLE \(table) IN ACCESS SHARE MODE"))
    }

    /// The same lock, as a column of a statement that runs alone: a statement locks each table that it names before it
    /// runs, even in an expression that is never evaluated.
    ///
    /// - Parameter never: A condition that is never true, which the planner cannot know.
    func column(never: String) -> String {
      number == 0 ? "NULL" : "CASE WHEN \(never) THEN (SELECT 1 FROM \(table)) END"
    }

    private static func name(_ number: Int64) -> String { DatabaseMapping.ownPrefix + "schema_\(number)" }
    private var name: String { Self.name(number) }
    private var table: String { dialect.table(name) }

    var creation: String { "CREATE TABLE \(table) ()" }

    /// Waits for all transactions with the mark, and blocks new ones.
    var exclusion: String { "LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE" }

    func replacement(by other: PostgresSchemaMark) -> String {
      "ALTER TABLE \(table) RENAME TO \(dialect.quoted(other.name))"
    }
  }
#endif
