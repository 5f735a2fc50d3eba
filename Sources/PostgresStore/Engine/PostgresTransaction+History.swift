#if PostgreSQL
  import PersistenceHistory
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// What a transaction adds to the store's history. Used only on the thread of the transaction.
  final class PostgresHistoryAdditions {
    /// Whether the values of deleted rows are stored.
    fileprivate(set) var keepsValues = false
    /// The savepoint depth at which the session reserved the number of the next record; nil if none is reserved. The
    /// values of deleted rows are stored under this number.
    fileprivate var depthOfNumber: Int?
    fileprivate var hasNumber: Bool { depthOfNumber != nil }
    /// The approximate size of the additions in bytes.
    fileprivate(set) var bytes = 0
    /// The number of the last added record; nil if there is none.
    fileprivate(set) var number: Int64?
    /// The record number up to which the history is complete after the commit, as far as the transaction knows.
    fileprivate(set) var place: Int64 = 0
    /// Whether the last record's statement returned ``place``, and whether ``place`` must be queried after the commit.
    fileprivate(set) var hasLooked = false
    fileprivate(set) var mustAsk = false
    /// Whether the store's oldest record exceeds the age limit.
    fileprivate(set) var isFirstTooOld = false
    fileprivate(set) var hasCommitted = false

    /// - Parameter column: The index of the column with the number of the record.
    fileprivate func didAppend(_ result: PostgresResult, column: Int, hasLooked: Bool, behind known: Int64) {
      let number = result.integer(0, column) ?? 0
      let isNext = number - 1 <= known
      self.number = number
      self.hasLooked = hasLooked
      mustAsk = !hasLooked && !isNext
      place = max(place, hasLooked ? result.integer(0, 1) ?? known : isNext ? number : known)
    }

    /// Called when a savepoint is released. A number reserved since the savepoint then belongs to the outer level.
    func didRelease(_ savepoint: Int) { depthOfNumber = depthOfNumber.map { min($0, savepoint - 1) } }

    /// Called after a rollback to a savepoint. A number reserved since the savepoint is not used: its lock is released.
    func didRollBack(to savepoint: Int) {
      if let depth = depthOfNumber, depth >= savepoint { depthOfNumber = nil }
    }
  }

  extension PostgresTransaction: HistoryStoreTransaction {
    /// The record is only sent with the next statement or the commit, so that the save does not wait for the server to
    /// return the record's number.
    func append(_ record: HistoryRecord, by editor: EditingState?) throws -> Int64 {
      let (history, statements) = (history, engine.historyStatements)
      let known = engine.historyProgress
      let kind = PostgresHistoryStatements.Appending(isTaken: history.hasNumber, looks: known.looks > 0)
      let statement = try statements.append(record, kind, behind: known.place)
      // Otherwise the server plans each execution, because it estimates that a plan for these values is cheaper.
      if kind.looks { planOnce() }
      history.depthOfNumber = nil
      history.bytes += HistoryLimits.size(of: record, changes: statement.parameters.bytes.count)
      try queue(statement, addedBy: kind) { result, column in
        history.didAppend(result, column: column, hasLooked: kind.looks, behind: known.place)
      }
      if let age = engine.historyLimits?.age, engine.takeTurnToLookAtAge() {
        try queue(statements.askingAge(age)) { history.isFirstTooOld = $0.integer(0, 0) == 1 }
      }
      return 0
    }

    private func queue(
      _ statement: PostgresStatement, addedBy kind: PostgresHistoryStatements.Appending,
      _ didAppend: @escaping (PostgresResult, Int) -> Void
    ) throws {
      // Only the plain statement can be merged with another one.
      guard !kind.isTaken, !kind.looks else { return try queue(statement) { didAppend($0, 0) } }
      try queue(Queued(statement: statement, didAppend: didAppend))
    }

    /// A token for the number up to which the history was complete at the commit. That is the save's own number, unless
    /// saves with lower numbers were still running. If so, the history after the token contains those saves, and this
    /// one again.
    var ownToken: (any HistoryToken)? {
      guard history.hasCommitted, history.number != nil, history.place > 0 else { return nil }
      return DefaultHistoryToken(history.place, of: engine.identifier)
    }

    func historyDidCommit(_ session: PostgresSession) {
      guard let number = history.number else { return }
      if history.mustAsk, let place = try? engine.historyStatements.place(on: session.connection).complete {
        history.place = max(history.place, min(number, place))
      }
      history.hasCommitted = true
      engine.didAppend(history, number: number, session)
    }

    func deleteHistory(_ numbers: [Int64]) throws {
      guard !numbers.isEmpty else { return }
      try run(engine.historyStatements.deleting(numbers))
    }

    func prepareTombstones() throws { history.keepsValues = true }

    /// Stores the values of rows, by table name, before they are deleted.
    func keepValues(of rows: [String: [Int64]]) throws {
      guard history.keepsValues else { return }
      let statements = engine.historyStatements
      let keeping = rows.sorted { $0.key < $1.key }.compactMap { statements.keeping($0.value, of: $0.key) }
      guard !keeping.isEmpty else { return }
      if !history.hasNumber { try queue(statements.taking) }
      history.depthOfNumber = history.depthOfNumber ?? savepointDepth
      for statement in keeping { try queue(statement) }
    }

    // MARK: Data of records

    func entityNames(of keys: [Int64], in root: EntityLayout) throws -> [Int64: String] {
      let table = try table(root)
      guard root.inheritance != nil, !keys.isEmpty else { return [:] }
      let (key, entity) = (dialect.quoted(DatabaseMapping.keyColumn), dialect.quoted(DatabaseMapping.entityColumn))
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      let sql = "SELECT \(key), \(entity) FROM \(dialect.table(table.name)) WHERE \(key) = ANY ($1::int8[])"
      guard let result = try run([PostgresStatement(sql, parameters)]).last else { return [:] }
      let names = Dictionary(root.family.map { (StoredText.form(of: $0.name), $0.name) }) { first, _ in first }
      var found: [Int64: String] = [:]
      for row in 0..<result.rowCount {
        if let key = result.integer(row, 0) { found[key] = result.text(row, 1).flatMap { names[$0] } }
      }
      return found
    }

    func keys(of entity: EntityLayout, referringAt position: Int, to keys: [Int64]) throws -> [Int64] {
      let table = try table(entity)
      guard !keys.isEmpty, let column = table.columns(of: position).first else { return [] }
      return try self.keys(
        PostgresRowStatements(dialect: dialect).keys(referringBy: column.name, in: table.name), keys)
    }
  }
#endif
