#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresSQL

  extension SwiftDataError {
    /// Whether the server has closed the session with this error, perhaps instead of acknowledging a commit.
    var endsSession: Bool { (underlyingError as? PostgresError)?.sqlState?.hasPrefix("57P") == true }
  }

  extension PostgresOpening {
    /// The error of a migration whose connection was lost before its commit, so that the server rolls it back.
    func lost(by error: any Error, at place: String) -> any Error {
      guard let known = error as? SwiftDataError, known == .storeUnreachable else { return error }
      return SwiftDataError(
        .storeUnreachable,
        "The connection to \(place) was lost during its migration (\(known.causeInWords)). Nothing was changed; open the store again.",
        underlying: known.underlyingError)
    }

    /// Determines whether a migration whose commit was not acknowledged has been committed. Waits until the server is
    /// available and the transaction has ended, at most for the connection timeout.
    ///
    /// - Parameters:
    ///   - metadata: The metadata that the store has if the migration was committed.
    ///   - place: The name of the store in messages.
    ///   - error: The error of the commit.
    /// - Throws: An error if nothing was changed, or an error that says that the outcome is unknown.
    func requireCommit(of metadata: PostgresMetadata, at place: String, after error: SwiftDataError) throws {
      let deadline = ContinuousClock.now + settings.connectTimeout
      var found = try? metadataAfterEnd()
      while found == nil, ContinuousClock.now < deadline {
        usleep(100_000)
        found = try? metadataAfterEnd()
      }
      guard found != metadata else { return }
      guard let found, found.schemaNumber < metadata.schemaNumber || found.unicode < metadata.unicode else {
        throw SwiftDataError(
          .storeUnreachable,
          "The connection to \(place) was lost while its migration was committed, all of it or nothing. Open the store again to see "
            + "which.", underlying: error.underlyingError)
      }
      throw lost(by: error, at: place)
    }

    /// Waits until no migration is running, and reads the store's metadata.
    private func metadataAfterEnd() throws -> PostgresMetadata? {
      let connection = try PostgresConnection(settings)
      defer { connection.close() }
      return try connection.answering(within: settings.connectTimeout) {
        try connection.execute("BEGIN")
        try PostgresMetadata.lock(connection, dialect)
        let metadata = try PostgresMetadata(from: connection, dialect)
        // When this commit is acknowledged, earlier commits are equally durable, for example on a synchronous standby.
        let table = dialect.table(PostgresMetadata.table)
        try connection.execute("UPDATE \(table) SET \"value\" = \"value\" WHERE \"key\" = 'writer'; COMMIT")
        return metadata
      }
    }
  }

  extension SwiftDataError {
    fileprivate var causeInWords: String { (underlyingError as? PostgresError)?.message ?? explanation ?? "" }
  }
#endif
