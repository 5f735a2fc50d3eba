#if PostgreSQL
  import PersistenceHistory
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  extension PostgresStoreEngine: HistoryEngine {
    package var keepsHistory: Bool { historyLimits != nil }

    package func history(_ request: HistoryRequest, in transaction: (any StoreTransaction)?) throws -> HistoryExtract {
      try withPrimary(of: transaction) { session in
        // `place` is read before the records. All transactions with numbers up to it have ended, so the records up to
        // it are complete.
        let (place, given) = try historyStatements.place(on: session.connection)
        if transaction == nil { noteHistory(completeThrough: place) }
        return try session.history(
          request, of: historyStatements.table, through: Self.end(place, given, request.after),
          isOpen: place < given, isAlone: transaction == nil)
      }
    }

    /// The number of the last record to read: the number up to which the history is complete, or the token's if higher.
    ///
    /// A token is only created when the history up to its number is complete, so these records can always be read.
    private static func end(_ place: Int64, _ given: Int64, _ token: Int64) -> Int64 { max(place, min(given, token)) }

    /// Runs a read on the primary server, since a standby does not know which saves are still running.
    private func withPrimary<Value>(
      of transaction: (any StoreTransaction)?, _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
      guard transaction == nil else { return try withSession(of: transaction, body) }
      do { return try withOwnSession(body) } catch { throw explained(error) }
    }

    package func tombstones(
      of entity: EntityLayout, numbers: ClosedRange<Int64>, in transaction: (any StoreTransaction)?,
      _ body: (EngineRows, _ numberColumn: Int32) throws -> Void
    ) throws {
      let mask = entity.preservedMask
      guard mask != 0 else { return }
      let (sql, columns) = historyStatements.tombstones.reading(try database.table(for: entity), mask: mask)
      var parameters = PostgresParameters()
      parameters.append(numbers.lowerBound)
      parameters.append(numbers.upperBound)
      let statement = PostgresStatement(sql, parameters)
      let known = PostgresCursor.Columns(unsigned: [false] + columns.map(\.isUnsigned))
      try withPrimary(of: transaction) { session in
        try session.lend(try session.open(statement, known)) { try body($0, Int32(columns.count + 1)) }
      }
    }
  }

  extension PostgresSession {
    /// Reads a part of the history in one snapshot, up to a number at which the history is complete.
    ///
    /// - Parameters:
    ///   - isOpen: Whether running transactions may still add records after this number.
    ///   - isAlone: Whether no transaction is open on the connection.
    fileprivate func history(
      _ request: HistoryRequest, of table: PostgresHistoryTable, through place: Int64, isOpen: Bool, isAlone: Bool
    ) throws -> HistoryExtract {
      let end = min(place, request.through ?? .max)
      var range = PostgresParameters()
      range.append(request.after)
      range.append(end)
      var statements = [try Self.entries(request, of: table, range), PostgresStatement(table.ends, range)]
      // Another transaction may delete records between the two statements, so they use one snapshot.
      if isAlone {
        statements.insert(PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), at: 0)
        statements.append(PostgresStatement("COMMIT"))
      }
      let results = try connection.run(statements)
      guard results.count == statements.count else { return HistoryExtract() }
      let (entries, ends) = isAlone ? (results[1], results[2]) : (results[0], results[1])
      var extract = HistoryExtract()
      extract.entries = (0..<entries.rowCount).map { HistoryEntry(entries, row: $0) }
      if request.takesLast { extract.entries.reverse() }
      extract.first = ends.integer(0, 0)
      extract.last = place
      extract.isComplete = ends.integer(0, 1) != 1
      extract.isOpen = isOpen
      return extract
    }

    private static func entries(
      _ request: HistoryRequest, of table: PostgresHistoryTable, _ range: PostgresParameters
    ) throws -> PostgresStatement {
      var parameters = range
      parameters.append(request.since ?? -.infinity)
      parameters.append(request.until ?? .infinity)
      parameters.append(request.limit.map { Int64($0) } ?? .max)
      let test: PostgresHistoryTable.AuthorTest
      switch request.author {
      case nil: test = .any
      case .some(.none): test = .none
      case .named(let author):
        try parameters.append(StoredText.form(of: author))
        test = .named
      }
      return PostgresStatement(table.select(test, isReversed: request.takesLast), parameters)
    }
  }

  extension HistoryEntry {
    fileprivate init(_ result: PostgresResult, row: Int) {
      var time = 0.0
      if case .real(let seconds)? = try? result.value(row, 1) { time = seconds }
      self.init(
        number: result.integer(row, 0) ?? 0, time: time, author: result.text(row, 2),
        program: result.text(row, 3) ?? "",
        process: result.text(row, 4) ?? "", changes: result.text(row, 5) ?? "", mark: nil)
    }
  }
#endif
