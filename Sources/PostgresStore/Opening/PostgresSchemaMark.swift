#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// An empty table whose name has the number of the schema that the store has: how many it has had.
  ///
  /// Every transaction that changes the store begins with a lock on it, in the same round trip, that keeps no other one from anything.
  /// A migration waits until all of them are done, lets no other one begin, and gives the table another name. So no program changes a
  /// store whose schema is not the one that it was opened with, and the lock is a statement without a plan.
  struct PostgresSchemaMark: Sendable {
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

  extension PostgresStoreEngine {
    /// What an error means: where the database lacks something that a statement names, another program may have migrated the store
    /// since this one opened it.
    ///
    /// - Returns: An error that says so, or the error itself.
    func explained(_ error: any Error) -> any Error {
      guard !isMigrating, let known = error as? SwiftDataError, let cause = known.underlyingError as? PostgresError,
        cause.isOfDefinitions
      else { return error }
      let dialect = dialect
      let found = try? pool.withSession { try PostgresMetadata(from: $0.connection, dialect) }
      guard let found, found.schemaNumber != mark.number else { return error }
      return SwiftDataError(
        .backwardMigration,
        "Another program has migrated the store at \(location) to another schema since this one opened it (its schema is number "
          + "\(found.schemaNumber), and was \(mark.number)). Nothing has been changed by this program since. Open the store in a new "
          + "container, with the models of its present version.",
        underlying: cause)
    }
  }

  extension PostgresError {
    /// Whether a statement does not fit the tables: it names what is not there, or what has another type.
    fileprivate var isOfDefinitions: Bool {
      isOfPreparation || (sqlState?.hasPrefix("42") == true && sqlState != "42501")
    }
  }
#endif
