#if PostgreSQL
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// What a save of one changed row writes in addition to the row, in the same statement.
  struct SingleRowAdditions: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The notification of other processes (``PostgresNewsTable``).
    static let news = SingleRowAdditions(rawValue: 1)
    /// The record of the history (``PostgresHistoryTable``), whose number is in column ``numberColumn`` of the result.
    static let record = SingleRowAdditions(rawValue: 2)

    static let numberColumn = 2
  }

  extension PostgresRowStatements {
    /// The only statement of a save that changes one row. It returns no row and writes nothing if the row does not have
    /// the expected values. Column 0 of the result is the transaction ID. The statement also locks the schema mark.
    ///
    /// Its parameters are those of ``compare(_:_:_:)``, then those of the notification, then those of the record.
    func compareAlone(
      _ table: TableMapping, _ form: ComparisonForm, _ mark: PostgresSchemaMark, adding additions: SingleRowAdditions
    ) -> String {
      guard !additions.isEmpty else { return compareAlone(table, form, mark) }
      let count = typesOfComparison(table, form).count
      let change = "WITH \(Self.changed) AS (\(comparison(table, form)) RETURNING 1)"
      let number = "pg_current_xact_id_if_assigned()::text, "
      let news = PostgresNewsTable.insertion(dialect, from: Self.changed, after: count)
      guard additions.contains(.record) else {
        // The planner cannot know that the condition is never true.
        return "\(change) \(news) RETURNING \(number)\(mark.column(never: "octet_length(\"changes\") < 0"))"
      }
      let hasNews = additions.contains(.news)
      let record = PostgresHistoryTable(dialect: dialect).append(
        isTaken: false, from: Self.changed, after: count + (hasNews ? PostgresNewsTable.parameterCount : 0),
        returning: "\(number)\(mark.column(never: "\"number\" < 0")), \"number\"")
      return "\(change)\(hasNews ? ", _osd_n AS (\(news))" : "") \(record)"
    }

    private static let changed = "_osd_c"
  }
#endif
