#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The statements on the table of change notifications, which keeps the changes of commits for a few minutes.
  ///
  /// Transactions do not commit in the order of their IDs. A read therefore does not compare IDs, but returns the rows
  /// that were not visible in the snapshot of the previous read. So it returns each commit once, without waiting.
  package struct PostgresNewsTable: Sendable {
    let dialect: PostgresDialect
    private let insertionText: StatementText
    static let name = DatabaseMapping.ownPrefix + "news"

    package init(dialect: PostgresDialect) {
      self.dialect = dialect
      insertionText = StatementText(Self.insertion(dialect) + " RETURNING \"xid\"::text")
    }

    /// Inserts a notification.
    ///
    /// - Parameters:
    ///   - source: A table; if it is empty, nothing is inserted.
    ///   - count: The number of parameters before those of the notification.
    static func insertion(_ dialect: PostgresDialect, from source: String? = nil, after count: Int = 0) -> String {
      "INSERT INTO \(dialect.table(name)) (\"origin\", \"save\", \"changes\") "
        + "SELECT $\(count + 1)::int8, $\(count + 2)::int8, $\(count + 3)::text" + (source.map { " FROM \($0)" } ?? "")
    }

    /// The number of parameters of a notification.
    static let parameterCount = 3

    private var table: String { dialect.table(Self.name) }
    private var metadata: String { dialect.table(PostgresMetadata.table) }
    private static let key = "news"

    /// How long notifications are kept at least, in seconds.
    static let retention = 120
    /// If a process reads the table at least this often, it misses no notification.
    static let patience: Duration = .seconds(retention / 2)

    private let mark =
      "pg_snapshot_xmin(pg_current_snapshot())::text || ' ' || extract(epoch FROM clock_timestamp())::int8"

    /// The statements that create the table.
    package var definition: [String] {
      let name = dialect.quoted(DatabaseMapping.ownPrefix + "news_xid")
      return [
        "CREATE TABLE \(table) (\"xid\" xid8 NOT NULL DEFAULT pg_current_xact_id(), \"origin\" int8 NOT NULL, "
          + "\"save\" int8 NOT NULL, \"changes\" text NOT NULL)",
        "CREATE INDEX \(name) ON \(table) (\"xid\")",
        "INSERT INTO \(metadata) (\"key\", \"value\") VALUES ('\(Self.key)', \(mark))",
      ]
    }

    /// Writes the changes of a transaction, and returns the transaction ID.
    ///
    /// - Parameters:
    ///   - origin: The opened store that commits. It skips its own notifications when it reads the table.
    ///   - save: A random number that identifies the transaction.
    package func insertion(_ changes: String, origin: Int64, save: Int64) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(origin)
      parameters.append(save)
      try parameters.append(changes)
      return PostgresStatement(insertionText, parameters)
    }

    /// Selects the notification of a transaction.
    ///
    /// - Parameter transaction: The transaction ID; nil if it is unknown.
    func find(_ transaction: String?, save: Int64) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(save)
      guard let transaction else {
        return PostgresStatement("SELECT 1 FROM \(table) WHERE \"save\" = $1::int8", parameters)
      }
      try parameters.append(transaction)
      return PostgresStatement(
        "SELECT 1 FROM \(table) WHERE \"xid\" = $2::text::xid8 AND \"save\" = $1::int8", parameters)
    }

    /// Reads the current snapshot, which includes all transactions committed so far.
    package var snapshot: PostgresStatement { PostgresStatement("SELECT pg_current_snapshot()::text") }

    /// Reads the changes that other opened stores have committed since a snapshot. Each row contains the new snapshot.
    ///
    /// - Parameter asksForPosition: Whether to also read a position in the write-ahead log after all these commits.
    package func news(since snapshot: String, besides origin: Int64, limit: Int, asksForPosition: Bool = false) throws
      -> PostgresStatement
    {
      let position = asksForPosition ? ", " + PostgresConnection.positionExpression : ""
      var parameters = PostgresParameters()
      try parameters.append(snapshot)
      parameters.append(origin)
      return PostgresStatement(
        "SELECT pg_current_snapshot()::text, n.\"changes\"\(position) FROM (SELECT 1) AS one LEFT JOIN LATERAL (SELECT * FROM \(table) "
          + "WHERE \"xid\" >= pg_snapshot_xmin($1::text::pg_snapshot) "
          + "AND NOT pg_visible_in_snapshot(\"xid\", $1::text::pg_snapshot) AND \"origin\" <> $2::int8 "
          + "ORDER BY \"xid\" LIMIT \(limit)) AS n ON true", parameters)
    }

    /// Removes the notifications that all processes had time to read: those of transactions that had ended when the
    /// last ``mark`` (transaction ID and time) was stored. Then stores a new mark. Does nothing while another session
    /// removes notifications.
    package var removal: PostgresStatement {
      PostgresStatement(
        """
        WITH due AS (SELECT split_part("value", ' ', 1)::xid8 AS "xid" FROM \(metadata) WHERE "key" = '\(Self.key)' \
        AND split_part("value", ' ', 2)::int8 < extract(epoch FROM clock_timestamp())::int8 - \(Self.retention) \
        FOR UPDATE SKIP LOCKED), \
        gone AS (DELETE FROM \(table) AS n USING due WHERE n."xid" < due."xid") \
        UPDATE \(metadata) SET "value" = \(mark) WHERE "key" = '\(Self.key)' AND EXISTS (SELECT 1 FROM due)
        """)
    }
  }
#endif
