#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  extension PostgresStoreEngine {
    /// If an error reports that tables or columns are missing or have other types, checks whether another program has
    /// migrated the store since it was opened.
    ///
    /// - Returns: `SwiftDataError.backwardMigration` after such a migration, otherwise the error itself.
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
    /// Whether a statement names tables or columns that are missing or have other types.
    fileprivate var isOfDefinitions: Bool {
      isOfPreparation || (sqlState?.hasPrefix("42") == true && sqlState != "42501")
    }
  }
#endif
