#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// An empty table whose name has the number of the schema that the store has: how many it has had.
  ///
  /// Every transaction that changes the store has a lock on it, from its first round trip on, that keeps no other one from anything.
  /// A migration waits until all of them are done, lets no other one begin, and gives the table another name. So no program changes a
  /// store whose schema is not the one that it was opened with, and the lock is a statement without a plan.
  struct PostgresSchemaMark: Sendable {
    /// 0 within a migration, which has the tables to itself, and no mark.
    let number: Int64
    let dialect: PostgresDialect
    /// Keeps migrations out until the transaction ends; fails where one has been (42P01).
    let use: PostgresStatement

    init(number: Int64, dialect: PostgresDialect) {
      self.number = number
      self.dialect = dialect
      let table = dialect.table(Self.name(number))
      use = PostgresStatement(StatementText("LOCK TABLE \(table) IN ACCESS SHARE MODE"))
    }

    /// Does the same as a column of a statement that runs alone: the statement locks each table that it names before it runs, also the one of
    /// an expression that it never evaluates.
    ///
    /// - Parameter never: A condition that is never true, and that no plan knows to be so.
    func column(never: String) -> String {
      number == 0 ? "NULL" : "CASE WHEN \(never) THEN (SELECT 1 FROM \(table)) END"
    }

    private static func name(_ number: Int64) -> String { DatabaseMapping.ownPrefix + "schema_\(number)" }
    private var name: String { Self.name(number) }
    private var table: String { dialect.table(name) }

    var creation: String { "CREATE TABLE \(table) ()" }

    /// Waits for all transactions that have the mark, and keeps others from beginning.
    var exclusion: String { "LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE" }

    func replacement(by other: PostgresSchemaMark) -> String {
      "ALTER TABLE \(table) RENAME TO \(dialect.quoted(other.name))"
    }
  }
#endif
