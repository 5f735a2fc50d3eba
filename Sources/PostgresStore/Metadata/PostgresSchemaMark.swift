#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// An empty table. Its name contains the number of schemas that the store has had, including the present one.
  ///
  /// The first round trip of each transaction that changes the store locks this table, in a mode that does not block
  /// other transactions. A migration waits for these locks, blocks new ones, and renames the table. So a program cannot
  /// change a store that was migrated since the program opened it. The server runs LOCK without planning.
  struct PostgresSchemaMark: Sendable {
    /// The number of the schema; 0 inside a migration, which has locked the tables and needs no mark.
    let number: Int64
    let dialect: PostgresDialect
    /// Locks the table until the transaction ends, which blocks migrations. Fails after a migration (42P01).
    let use: PostgresStatement

    init(number: Int64, dialect: PostgresDialect) {
      self.number = number
      self.dialect = dialect
      let table = dialect.table(Self.name(number))
      use = PostgresStatement(StatementText("LOCK TABLE \(table) IN ACCESS SHARE MODE"))
    }

    /// Takes the same lock through a column in a statement's result, so that no LOCK is needed. Before a statement
    /// runs, it locks each table that it names, even in an expression that is never evaluated.
    ///
    /// - Parameter never: A condition that is never true, but that the planner cannot evaluate.
    func column(never: String) -> String {
      number == 0 ? "NULL" : "CASE WHEN \(never) THEN (SELECT 1 FROM \(table)) END"
    }

    private static func name(_ number: Int64) -> String { DatabaseMapping.ownPrefix + "schema_\(number)" }
    private var name: String { Self.name(number) }
    private var table: String { dialect.table(name) }

    var creation: String { "CREATE TABLE \(table) ()" }

    /// Waits for all transactions that have locked the mark, and blocks new ones.
    var exclusion: String { "LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE" }

    func replacement(by other: PostgresSchemaMark) -> String {
      "ALTER TABLE \(table) RENAME TO \(dialect.quoted(other.name))"
    }
  }
#endif
