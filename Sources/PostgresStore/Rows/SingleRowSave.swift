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

  extension PostgresTransaction {
    /// If the save changes one row, merges the statements that write the row, its notification and its record. One
    /// statement then takes less time than several, of the client and of the server.
    ///
    /// An empty result shows that the row is missing or changed, and that nothing was written. Separate statements
    /// instead count their rows and fail on the server if one is missing.
    ///
    /// - Parameter news: The statement that writes the notification. It is removed if it is merged.
    func mergeSingleRow(_ news: inout [PostgresStatement]) {
      let record = prelude.count == 2 ? prelude[1] : nil
      guard let row = prelude.first, let text = row.textAlone, prelude.count == 1 || record?.didAppend != nil,
        news.count <= 1
      else { return }
      var additions: SingleRowAdditions = []
      var parameters = row.statement.parameters
      if let news = news.first {
        additions.insert(.news)
        parameters.append(contentsOf: news.parameters)
      }
      if let record {
        additions.insert(.record)
        parameters.append(contentsOf: record.statement.parameters)
      }
      news = []
      var single = Queued(statement: PostgresStatement(text(additions), parameters), readsNumber: true)
      single.didRun = { [self] result in
        hasMissed = result.rowCount == 0
        if !hasMissed { record?.didAppend?(result, SingleRowAdditions.numberColumn) }
      }
      prelude = [single]
    }
  }
#endif
