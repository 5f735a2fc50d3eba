#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import PostgresSQL

  extension SwiftDataError {
    /// Whether the server ended the session with it: it may be the answer to a commit that it has made.
    var endsSession: Bool { (underlyingError as? PostgresError)?.sqlState?.hasPrefix("57P") == true }
  }

  extension PostgresOpening {
    /// The error of a migration whose connection was lost before its commit: the server undoes it.
    func lost(by error: any Error, at place: String) -> any Error {
      guard let known = error as? SwiftDataError, known == .storeUnreachable else { return error }
      return SwiftDataError(
        .storeUnreachable,
        "The connection to \(place) was lost during its migration (\(known.causeInWords)). Nothing was changed; open the store again.",
        underlying: known.underlyingError)
    }

    /// Finds out whether a migration has come to the store, though the answer of its commit was lost. It waits for the server, and for
    /// the end of the transaction, as long as a connection may take.
    ///
    /// - Parameters:
    ///   - metadata: What the store says about itself if it has.
    ///   - place: The store, for messages.
    ///   - error: What was thrown in place of the answer.
    /// - Throws: An error if nothing was changed, and one that says so where the outcome is unknown.
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

    /// What the store says about itself when no migration is under way any more.
    private func metadataAfterEnd() throws -> PostgresMetadata? {
      let connection = try PostgresConnection(settings)
      defer { connection.close() }
      return try connection.answering(within: settings.connectTimeout) {
        try connection.execute("BEGIN")
        try PostgresMetadata.lock(connection, dialect)
        let metadata = try PostgresMetadata(from: connection, dialect)
        // When this commit is answered, what was committed before is as safe: a standby that is waited for has it.
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
