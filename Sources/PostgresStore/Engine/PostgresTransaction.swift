#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// The transaction that changes a store in PostgreSQL.
  ///
  /// Others may commit while it runs. It reads what is committed (READ COMMITTED): rows that a save changes are locked before they are
  /// compared with what a context has read.
  ///
  /// An error aborts it on the server. From then on only a rollback is possible, as a whole or to a savepoint from before.
  final class PostgresTransaction: StoreTransaction {
    let engine: PostgresStoreEngine
    /// The session of the transaction; nil when it has ended.
    private var owned: PostgresSession?
    /// What is sent before the next statement, in one round trip with it, since nothing waits for its result. Only the mark of the schema
    /// may fail, unless the transaction waits.
    private var prelude: [Queued]
    private(set) var savepointDepth = 0
    /// Whether statements without an answer are sent with those that have one, at the latest with the commit.
    private var isWaiting = false
    private let isRetry: Bool
    /// What the transaction adds to the history of the store.
    let history = PostgresHistoryAdditions()
    /// Whether a reference may have been written that leads nowhere, or a row deleted to which one leads.
    var mayBreakReferences = false
    /// What is deleted and changed by the rules of references; nil while nobody asks.
    var watch: PostgresReferenceWatch?
    /// Deletions that compare rows, up to the end of what deletes.
    var deletions: [Deletion] = []
    /// Whether the server plans statements over arrays once.
    private var plansOnce: Bool
    /// The thread that was last in the transaction, as the engine knows.
    private var thread: ThreadIdentity?
    /// The number of the transaction on the server, from the first pipeline on that has given it one. It comes with that.
    private(set) var number: String?
    /// A number that no other transaction has, not even one that gets the same number on the server after a crash.
    private let save = Int64.random(in: .min ... .max)
    /// What others are told; nil if they are told nothing.
    var news: PostgresNews?
    /// The most statements of one pipeline.
    private static let longestPipeline = 1_000

    /// A statement that waits for the next one.
    private struct Queued {
      let statement: PostgresStatement
      /// The column with the number of the transaction; nil if there is none.
      var numberColumn: Int?
      /// Gets the result.
      var didRun: ((PostgresResult) -> Void)?

      init(
        _ statement: PostgresStatement, numberColumn: Int? = nil, _ didRun: ((PostgresResult) -> Void)? = nil
      ) {
        self.statement = statement
        self.numberColumn = numberColumn
        self.didRun = didRun
      }
    }

    init(engine: PostgresStoreEngine, session: PostgresSession, isRetry: Bool) {
      self.engine = engine
      self.isRetry = isRetry
      owned = session
      let beginning =
        engine.isMigrating
        ? [PostgresStatement(Self.nestedBeginning)]
        : [Self.beginning, engine.mark.use]
      plansOnce = engine.isMigrating
      prelude = (beginning + engine.transactionPreparation.map { PostgresStatement($0) }).map { Queued($0) }
      news = engine.news.map { _ in PostgresNews() }
    }

    private static let beginning = PostgresStatement(StatementText("BEGIN ISOLATION LEVEL READ COMMITTED"))
    private static let commitment = PostgresStatement(StatementText("COMMIT"))

    /// Without it the server would plan each statement over arrays again, which takes five times as long as running it: with the values
    /// of an array at hand a plan looks cheaper, and never is another one.
    private static let planningOnce = PostgresStatement(
      StatementText("SET LOCAL plan_cache_mode = force_generic_plan"))

    /// Has the server plan once what comes from here on.
    func planOnce() {
      guard !plansOnce else { return }
      plansOnce = true
      prelude.append(Queued(Self.planningOnce))
    }

    /// The savepoint that a transaction within a migration is.
    private static let nestedName = "osd_stage"
    private static let nestedBeginning = "SAVEPOINT \(nestedName)"

    deinit { rollBack() }

    // MARK: Statements

    /// The session, with the transaction begun, for reading.
    func session(of engine: PostgresStoreEngine) throws -> PostgresSession {
      guard engine === self.engine else {
        throw SwiftDataError(
          .storeFailure, "A fetch from the store at \(engine.location) was given a transaction of another store.")
      }
      if !prelude.isEmpty {
        planOnce()
        try run([])
      }
      return try usable()
    }

    /// The session, while the transaction is open.
    private func usable() throws -> PostgresSession {
      guard let owned else {
        throw SwiftDataError(
          .storeFailure, "A transaction on the store at \(engine.location) was used after its end. Begin a new one.")
      }
      if thread != .current {
        thread = .current
        engine.adopt(self)
      }
      switch owned.connection.transactionStatus {
      case .inTransaction, .active: return owned
      case .idle where !prelude.isEmpty: return owned
      case .failed:
        throw SwiftDataError(
          .storeFailure,
          "PostgreSQL has aborted the transaction on the store at \(engine.location) after an earlier error. Roll it back."
        )
      case .idle, .unknown:
        throw lost(by: PostgresError(sqlState: nil, message: "the connection was lost"))
      }
    }

    /// Runs statements in one round trip.
    @discardableResult
    func run(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
      let (results, error) = try attempt(statements)
      if let error { throw error }
      return results
    }

    /// The same, with the results of those before the first that failed.
    private func attempt(_ statements: [PostgresStatement]) throws -> (results: [PostgresResult], error: (any Error)?) {
      if statements.contains(where: \.parameters.haveArrays) { planOnce() }
      let asksForNumber = number == nil && !statements.isEmpty && !readsNumber
      var (results, error) = try pipeline(asksForNumber ? statements + [Self.numberStatement] : statements)
      // The last statement was the last to fail.
      if asksForNumber, error == nil { number = results.popLast()?.text(0, 0) }
      return (results, error)
    }

    private static let numberStatement = PostgresStatement(
      StatementText("SELECT pg_current_xact_id_if_assigned()::text"))

    /// Whether a statement that waits reads the number of the transaction with what it does.
    private var readsNumber: Bool { prelude.contains { $0.numberColumn != nil } }

    /// Runs statements after those that wait to be sent.
    ///
    /// - Parameter early: The statement whose result the server sends before it goes on.
    private func pipeline(
      _ statements: [PostgresStatement], early: Int? = nil
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      let connection = try usable().connection
      do {
        let (results, error) = try pipeline(statements, early: early, on: connection)
        return (results, error.map { connection.isOpen ? $0 : lost(by: $0) })
      } catch {
        throw connection.isOpen ? error : lost(by: error)
      }
    }

    /// Reads in the transaction, which is lost with its connection there, too.
    func reading<Value>(of engine: PostgresStoreEngine, _ body: (PostgresSession) throws -> Value) throws -> Value {
      let session = try session(of: engine)
      do {
        return try body(session)
      } catch let error as SwiftDataError
        where !session.connection.isOpen && error.underlyingError is PostgresError && !engine.isRetryable(error)
      {
        throw lost(by: error)
      }
    }

    /// The error of a transaction that is lost with its connection: nothing of it is saved, and a save is run again.
    private func lost(by error: any Error) -> SwiftDataError {
      let known = (error as? SwiftDataError)?.underlyingError ?? error
      let cause = known as? PostgresError ?? PostgresError(sqlState: nil, message: "\(known)")
      return SwiftDataError(
        .storeUnreachable,
        "The connection to the store at \(engine.location) was lost during a transaction (\(cause.message)). Nothing was saved; "
          + "save again.", underlying: cause.asLoss)
    }

    private func pipeline(
      _ statements: [PostgresStatement], early: Int?, on connection: PostgresConnection
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      let queued = prelude
      prelude = []
      var rest = queued.map(\.statement) + statements
      // The number is worth most before the commit.
      var place = early.map { $0 + queued.count }
      if number == nil { place = queued.firstIndex { $0.numberColumn != nil } ?? place }
      var results: [PostgresResult] = []
      var failure: (any Error)?
      while !rest.isEmpty, failure == nil {
        let part = Array(rest.prefix(Self.longestPipeline))
        rest.removeFirst(part.count)
        let (new, error) = try connection.attempt(part, early: place)
        results += new
        place = place.flatMap { $0 < part.count ? nil : $0 - part.count }
        failure = error.map { isWaiting ? engine.asRace(engine.explained($0)) : engine.explained($0) }
      }
      for (queued, result) in zip(queued, results) {
        if number == nil, let column = queued.numberColumn { number = result.text(0, column) }
        queued.didRun?(result)
      }
      return (Array(results.dropFirst(queued.count)), failure)
    }

    /// Has a statement run in one round trip with the next one.
    ///
    /// - Parameter numberColumn: The column of its result with the number of the transaction; nil if there is none.
    func queue(
      _ statement: PostgresStatement, numberColumn: Int? = nil, didRun: ((PostgresResult) -> Void)? = nil
    ) throws {
      _ = try usable()
      if statement.parameters.haveArrays { planOnce() }
      prelude.append(Queued(statement, numberColumn: numberColumn, didRun))
    }

    /// Runs statements whose results nobody needs: later, if the transaction waits.
    private func send(_ statements: [PostgresStatement]) throws {
      guard isWaiting else {
        try run(statements)
        return
      }
      for statement in statements { try queue(statement) }
    }

    @discardableResult
    private func run(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) throws -> PostgresResult? {
      try run([PostgresStatement(sql, parameters)]).last
    }

    /// Runs a statement with a list of keys.
    @discardableResult
    private func run(_ sql: String, keys: [Int64]) throws -> PostgresResult? {
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      return try run(sql, parameters)
    }

    /// Runs a statement on one row for each of some keys.
    private func runEach(_ sql: String, _ keys: [Int64]) throws {
      try run(
        keys.map { key in
          var parameters = PostgresParameters()
          parameters.append(key)
          return PostgresStatement(sql, parameters)
        })
    }

    var dialect: PostgresDialect { engine.dialect }
    private var rows: RowStatements { RowStatements(dialect: dialect) }
    var batches: PostgresRowStatements { PostgresRowStatements(dialect: dialect) }
    private var originals: PostgresOriginals { PostgresOriginals(dialect: dialect) }

    func table(_ entity: EntityLayout) throws -> TableMapping { try engine.database.table(for: entity) }

    private func link(_ relationship: RelationshipLayout, _ entity: EntityLayout) throws -> LinkTableMapping {
      if let link = try table(entity).links[relationship.position] { return link }
      throw SwiftDataError(.storeFailure, "\(relationship.path) has no table of pairs.")
    }

    // MARK: Ends

    func prepareCommit() throws {
      do {
        _ = try usable()
        try run("SET CONSTRAINTS ALL IMMEDIATE")
      } catch {
        rollBack()
        throw error
      }
    }

    func commit() throws {
      if engine.isMigrating { return try commitNested() }
      let session: PostgresSession
      let ending: Ending
      do {
        session = try usable()
        ending = try makeEnding()
      } catch {
        rollBack()
        throw error
      }
      let (results, error) = run(ending)
      guard let error else {
        historyDidCommit(session)
        if tellsNews { engine.news?.didCommit() }
        if seesOwnWrites { engine.readers?.note(PostgresPosition(results.last?.text(0, 0))) }
        return end()
      }
      // An answer of the server says that nothing is committed. Without one nobody knows, nor where the answer is that it ends the
      // connection.
      let isEnd = ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.sqlState?.hasPrefix("57P") == true
      guard session.connection.isAlive, !isEnd else { return try findOut(session.connection, after: error) }
      // It may be a statement before the commit that failed.
      rollBack()
      throw error
    }

    /// The statements that end the transaction.
    private struct Ending {
      var statements: [PostgresStatement]
      /// The one that reads the number of the transaction, where no earlier pipeline has.
      var number: Int?
    }

    private func makeEnding() throws -> Ending {
      var ending = Ending(statements: try leavingNews())
      if number == nil, !readsNumber {
        ending.number = 0
        // News come with it.
        if ending.statements.isEmpty { ending.statements.append(Self.numberStatement) }
      }
      ending.statements.append(Self.commitment)
      // Where the commit is in the log, for reads from standbys.
      if seesOwnWrites {
        ending.statements.append(PostgresStatement("SELECT \(PostgresConnection.positionExpression)"))
      }
      return ending
    }

    private func run(_ ending: Ending) -> (results: [PostgresResult], error: (any Error)?) {
      do {
        let (results, error) = try pipeline(ending.statements, early: ending.number)
        if let index = ending.number, results.indices.contains(index) { number = results[index].text(0, 0) }
        return (results, error)
      } catch {
        return ([], error)
      }
    }

    private var seesOwnWrites: Bool { engine.readers?.seesOwnWrites == true }

    private var tellsNews: Bool { news?.isEmpty == false }

    /// The statement that leaves what others are told.
    private func leavingNews() throws -> [PostgresStatement] {
      guard let news, !news.isEmpty, let feed = engine.news else { return [] }
      return [try feed.table.insertion(news.text, origin: feed.origin, save: save)]
    }

    /// Finds out whether a commit whose answer is lost has come to the store.
    ///
    /// - Throws: An error if nothing has been saved, and `UnknownOutcome` if nobody can say.
    private func findOut(_ connection: PostgresConnection, after error: any Error) throws {
      let table = tellsNews ? engine.news?.table : nil
      let witness = try? table?.find(number, save: save)
      let entry = engine.noteUncertain(
        UncertainCommit(
          transaction: number, run: connection.serverRun,
          process: engine.transactionPreparation.isEmpty ? connection.process : nil, loss: .now, witness: witness))
      connection.close()
      // From here on the next transaction waits for the end of this one.
      end()
      switch engine.outcome(of: entry) {
      case .committed: if tellsNews { engine.news?.didCommit() }
      case .undone: throw lost(by: error)
      case .running, .unknown, nil: throw UnknownOutcome.error(location: engine.location, cause: error)
      }
    }

    /// Ends the part of a migration's transaction that this one is. It checks references as the whole one would.
    private func commitNested() throws {
      let ending = [
        "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED", "RELEASE SAVEPOINT \(Self.nestedName)",
      ]
      do {
        try run(ending.map { PostgresStatement($0) })
      } catch {
        rollBack()
        throw error
      }
      end()
    }

    func rollBack() {
      guard let owned else { return }
      if engine.isMigrating { return rollBackNested(owned.connection) }
      prelude = []
      if owned.connection.isOpen, owned.connection.transactionStatus != .idle {
        try? owned.connection.execute("ROLLBACK")
      }
      end()
    }

    private func rollBackNested(_ connection: PostgresConnection) {
      // What has not been sent need not be undone.
      let isBegun = prelude.first?.statement.sql != Self.nestedBeginning
      if isBegun, connection.isOpen, connection.transactionStatus != .idle {
        try? connection.execute("ROLLBACK TO SAVEPOINT \(Self.nestedName); RELEASE SAVEPOINT \(Self.nestedName)")
      }
      end()
    }

    private func end() {
      guard let session = owned else { return }
      owned = nil
      prelude = []
      engine.transactionDidEnd(ObjectIdentifier(self), session)
    }

    // MARK: Savepoints

    // Named by how deep they are, so that the same few statements serve however many there are.

    func savepoint() throws -> Int {
      _ = try usable()
      savepointDepth += 1
      prelude.append(Queued(PostgresStatement("SAVEPOINT osd\(savepointDepth)")))
      return savepointDepth
    }

    func release(_ savepoint: Int) throws {
      _ = try usable()
      prelude.append(Queued(PostgresStatement("RELEASE SAVEPOINT osd\(savepoint)")))
      savepointDepth = savepoint - 1
      history.didRelease(savepoint)
    }

    func rollBack(to savepoint: Int) throws {
      guard let owned, owned.connection.isOpen, savepoint <= savepointDepth else {
        throw SwiftDataError(.storeUnreachable, "The transaction on the store at \(engine.location) is gone.")
      }
      if !prelude.isEmpty { try run([]) }
      try owned.connection.execute("ROLLBACK TO SAVEPOINT osd\(savepoint); RELEASE SAVEPOINT osd\(savepoint)")
      savepointDepth = savepoint - 1
      // What was set since is undone.
      plansOnce = engine.isMigrating
      history.didRollBack(to: savepoint)
    }

    // While it waits, nothing is refused before the commit.
    var survivesConflicts: Bool { isWaiting }

    func beginWaiting() -> Bool {
      isWaiting = !isRetry && savepointDepth == 0 && engine.saveRetryLimit > 0 && engine.expectsNoConflict
      return isWaiting
    }

    func lock(_ keys: [Int64], of entity: EntityLayout) throws {
      guard !keys.isEmpty else { return }
      try run(batches.lock(table(entity)), keys: keys)
    }

    func reserveKeys(_ count: Int, for entity: EntityLayout) throws -> Int64 {
      throw SwiftDataError(.storeFailure, "Keys of the store at \(engine.location) come in blocks.")
    }

    // MARK: Rows

    @discardableResult
    func insert(into entity: EntityLayout, _ body: (EngineStatement) throws -> Void) throws -> [RefusedRow] {
      let table = try table(entity)
      let batch = PostgresBatch(batches.typesOfInsertion(table), cipher: engine.cipher)
      let notes = OriginalNotes()
      try body(
        batch.statement(originals: notes) { [self] row in conflict(of: row, in: batch, batches.insert(into: table)) })
      guard batch.rowCount > 0 else { return [] }
      if table.hasReferences { mayBreakReferences = true }
      guard entity.hasUniqueness, !isWaiting else {
        var statements = try storing(notes.take(), in: table) { table.column($0 - 2) }
        if batch.rowCount >= Self.leastCopied {
          try copy(batch, into: table)
        } else if isWaiting, batch.rowCount == 1 {
          // The number of the transaction comes with it.
          try queue(insertion(of: batch, into: table), numberColumn: 0)
        } else {
          statements.insert(try insertion(of: batch, into: table), at: 0)
        }
        if !statements.isEmpty { try send(statements) }
        noteInsertions(batch, into: table, without: [])
        return []
      }
      let text = engine.texts.text(table, .insertionsOfMissing) { batches.insertMissing(into: table) }
      let result = try run([PostgresStatement(text, try batch.parameters())]).last
      let refused = refusedRows(of: batch.integers(ofColumn: 0), written: result) {
        PostgresBatch.conflictCode(ofRow: $0)
      }
      let kept = notes.take().filter { note in !refused.contains { $0.index == note.row } }
      try run(storing(kept, in: table) { table.column($0 - 2) })
      noteInsertions(batch, into: table, without: refused)
      return refused
    }

    /// From so many rows on copying them is worth the round trips that it takes, outside of a pipeline.
    private static let leastCopied = 1_000

    /// Copies the rows of a batch into their table, after what waits to be sent.
    private func copy(_ batch: PostgresBatch, into table: TableMapping) throws {
      // The server cannot be told later that there are no rows.
      if let failure = batch.failure { throw failure }
      if !prelude.isEmpty { try run([]) }
      let connection = try usable().connection
      let name = table.entity.inheritance.map { _ in StoredText.form(of: table.entity.name) }
      do {
        try connection.copy(batches.copy(into: table)) { try batch.copyRows(appending: name, $0) }
      } catch {
        guard connection.isOpen else { throw lost(by: error) }
        throw isWaiting ? engine.asRace(engine.explained(error)) : engine.explained(error)
      }
    }

    /// The statement that inserts the rows of a batch. One row needs no arrays.
    private func insertion(of batch: PostgresBatch, into table: TableMapping) throws -> PostgresStatement {
      guard batch.rowCount == 1 else {
        let text = engine.texts.text(table, .insertions) { batches.insert(into: table) }
        return PostgresStatement(text, try batch.parameters())
      }
      let text = engine.texts.text(table, .insertion) {
        rows.insert(into: table) + " RETURNING pg_current_xact_id_if_assigned()::text"
      }
      return PostgresStatement(text, try batch.onlyRow())
    }

    /// The rows of a batch that are not among those which a statement returned.
    private func refusedRows(
      of keys: [Int64], written result: PostgresResult?, code: (Int) -> Int32
    ) -> [RefusedRow] {
      guard let result, result.rowCount < keys.count else { return [] }
      let written = Set((0..<result.rowCount).compactMap { result.integer($0, 0) })
      return keys.indices.filter { !written.contains(keys[$0]) }.map { RefusedRow(index: $0, code: code($0)) }
    }

    /// What the server says of a row that it did not insert. The transaction stays as it is.
    private func conflict(of row: Int, in batch: PostgresBatch, _ sql: String) -> SwiftDataError? {
      guard let parameters = try? batch.singleRows(), parameters.indices.contains(row) else { return nil }
      let statements = [PostgresStatement("SAVEPOINT osd_row"), PostgresStatement(sql, parameters[row])]
      let error = (try? attempt(statements))?.error
      try? owned?.connection.execute("ROLLBACK TO SAVEPOINT osd_row; RELEASE SAVEPOINT osd_row")
      return error.flatMap { engine.described($0) as? SwiftDataError }
    }

    func upsert(
      into entity: EntityLayout, count: Int, _ body: (Int, EngineStatement) throws -> Void
    ) throws -> [UpsertedRow] {
      let table = try table(entity)
      let sql = rows.upsert(into: table)
      let batch = PostgresBatch(batches.typesOfInsertion(table), cipher: engine.cipher)
      let notes = OriginalNotes()
      let statement = batch.statement(originals: notes) { _ in nil }
      var statements: [PostgresStatement] = []
      var originals: [[OriginalNotes.Note]] = []
      for index in 0..<count {
        batch.removeAll()
        notes.begin()
        try body(index, statement)
        statements.append(PostgresStatement(sql, try batch.onlyRow()))
        originals.append(notes.take())
      }
      if table.hasReferences { mayBreakReferences = true }
      let results: [PostgresResult]
      do {
        results = try run(statements)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.isUniqueness == true {
        // A row that another transaction may have inserted meanwhile: the save runs again, and finds it.
        let known = engine.described(error) as? SwiftDataError ?? error
        throw SwiftDataError(
          known.kind, known.explanation ?? "", underlying: (error.underlyingError as? PostgresError)?.asRace)
      }
      var written: [UpsertedRow] = []
      for result in results {
        guard let key = result.integer(0, 0) else { break }
        let name = entity.inheritance == nil ? nil : result.text(0, 1)
        written.append(UpsertedRow(key: key, entityName: name))
        if let name, name != entity.name { return written }
      }
      noteUpserts(written, into: table)
      var finals: [Int64: [OriginalNotes.Note]] = [:]
      for (row, notes) in zip(written, originals) {
        finals[row.key] = notes.map {
          OriginalNotes.Note(row: $0.row, key: row.key, parameter: $0.parameter, original: $0.original)
        }
      }
      if table.mayHaveOriginals { try run(self.originals.remove(ofTable: table.name), keys: written.map(\.key)) }
      try run(storing(finals.values.flatMap { $0 }, in: table) { table.column($0 - 2) })
      return written
    }

    func vacate(_ entity: EntityLayout, mask: UInt64, keys: [Int64]) throws {
      guard let sql = rows.vacate(try table(entity), mask: mask) else { return }
      try runEach(sql, keys)
    }

    func redirect(_ relationships: [(EntityLayout, RelationshipLayout)], _ keys: [RedirectedKey]) throws {
      noteAll(relationships.map { $0.0 })
      for (entity, relationship) in relationships {
        let sql = rows.redirect(try table(entity), at: relationship.position)
        try run(
          keys.map { key in
            var parameters = PostgresParameters()
            parameters.append(key.old)
            parameters.append(key.new)
            return PostgresStatement(sql, parameters)
          })
      }
    }

    @discardableResult
    func update(
      _ entity: EntityLayout, mask: UInt64, expecting expected: [[QueryValue]]?,
      _ body: (EngineStatement) throws -> Void
    ) throws -> [RefusedRow] {
      let table = try table(entity)
      let mask = mask & entity.storedMask
      let columns = table.columns(in: mask)
      let batch = PostgresBatch(batches.typesOfUpdate(table, mask: mask), cipher: engine.cipher)
      let notes = OriginalNotes()
      if let expected {
        try body(batch.statement(originals: notes) { _ in nil })
        try update(table, mask: mask, batch, expecting: expected, notes)
        return []
      }
      var conflict: SwiftDataError?
      try body(batch.statement(originals: notes) { _ in conflict })
      guard batch.rowCount > 0 else { return [] }
      if columns.contains(where: { $0.reference != nil }) { mayBreakReferences = true }
      let keys = batch.integers(ofColumn: columns.count)
      let plain = batches.update(table, mask: mask, mayRepeat: Set(keys).count < keys.count)
      let sql = originals.removing(
        with: plain, ofTable: table.name, columns: columns.filter(PostgresOriginals.mayHave).map(\.name))
      let statement = PostgresStatement(sql, try batch.parameters())
      guard mask & entity.uniqueMask != 0 else {
        let result = try run([statement]).last
        return try didUpdate(keys, result, notes, in: table, columns)
      }
      // Other statements follow, whatever comes of this one.
      let (results, error) = try attempt([
        PostgresStatement("SAVEPOINT osd_row"), statement, PostgresStatement("RELEASE SAVEPOINT osd_row"),
      ])
      guard let error else { return try didUpdate(keys, results.dropFirst().first, notes, in: table, columns) }
      // A transaction that waits is one of which nothing is refused: the save runs again.
      guard !isWaiting, ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.isUniqueness == true else {
        throw error
      }
      conflict = engine.described(error) as? SwiftDataError
      return try firstRefusal(keys, batch, sql)
    }

    /// Changes rows that have what is expected; else the commit fails.
    private func update(
      _ table: TableMapping, mask: UInt64, _ batch: PostgresBatch, expecting values: [[QueryValue]],
      _ notes: OriginalNotes
    ) throws {
      guard batch.rowCount > 0 else { return }
      let columns = table.columns(in: mask)
      guard values.count == columns.count, values.allSatisfy({ $0.count == batch.rowCount }) else {
        throw SwiftDataError(
          .storeFailure, "Rows of \(table.name) were to be compared by other columns than are written.")
      }
      if columns.contains(where: { $0.reference != nil }) { mayBreakReferences = true }
      let form = ComparisonForm(
        isDeletion: false, mask: mask, isSingle: batch.rowCount == 1,
        mayHaveOriginals: zip(columns, values).contains { column, values in
          values.contains { PostgresOriginals.mayHide(column, behind: $0) }
        })
      var parameters = try form.isSingle ? batch.onlyRow() : batch.parameters()
      for (column, values) in zip(columns, values) {
        if form.isSingle {
          let type = SQLParameterType.value(column.format, isUnsigned: column.isUnsigned)
          try parameters.append(values[0].storedValue, as: type)
        } else {
          try parameters.append(list: values.map(\.storedValue), of: column.format, isUnsigned: column.isUnsigned)
        }
      }
      let stored = try storing(notes.take(), in: table) { columns.indices.contains($0 - 1) ? columns[$0 - 1] : nil }
      try queue(comparison(form, of: table, parameters, count: batch.rowCount), numberColumn: 1)
      for statement in stored { try queue(statement) }
      noteUpdates(batch.integers(ofColumn: columns.count), of: table, columns)
    }

    /// The statement that compares rows while it writes them.
    func comparison(
      _ form: ComparisonForm, of table: TableMapping, _ parameters: PostgresParameters, count: Int
    ) -> PostgresStatement {
      var parameters = parameters
      if !form.isSingle { parameters.append(Int64(count)) }
      let text = engine.texts.text(table, .comparison(form)) { batches.compare(table, form) }
      return PostgresStatement(text, parameters)
    }

    /// Changes rows one by one up to the first that would have the unique values of another one, and undoes it all.
    private func firstRefusal(_ keys: [Int64], _ batch: PostgresBatch, _ sql: String) throws -> [RefusedRow] {
      let undo = "ROLLBACK TO SAVEPOINT osd_row"
      try owned?.connection.execute(undo)
      let (results, error) = try attempt(try batch.singleRows().map { PostgresStatement(sql, $0) })
      try owned?.connection.execute("\(undo); RELEASE SAVEPOINT osd_row")
      let missing = results.indices.filter { results[$0].rowCount == 0 }
      let refused = error == nil ? keys.count - 1 : results.count
      return missing.map { RefusedRow(index: $0, code: EngineStatement.missingRowCode) }
        + [RefusedRow(index: refused, code: PostgresBatch.conflictCode(ofRow: refused))]
    }

    private func didUpdate(
      _ keys: [Int64], _ result: PostgresResult?, _ notes: OriginalNotes, in table: TableMapping,
      _ columns: [ColumnMapping]
    ) throws -> [RefusedRow] {
      let missing = refusedRows(of: keys, written: result) { _ in EngineStatement.missingRowCode }
      noteUpdates(keys, of: table, columns)
      let kept = notes.take().filter { note in !missing.contains { $0.index == note.row } }
      try run(storing(kept, in: table) { columns.indices.contains($0 - 1) ? columns[$0 - 1] : nil })
      return missing
    }

    /// The statement that stores originals, if there are any.
    private func storing(
      _ notes: [OriginalNotes.Note], in table: TableMapping, column: (Int) -> ColumnMapping?
    ) throws -> [PostgresStatement] {
      guard !notes.isEmpty else { return [] }
      // Of several for one value the last counts, and a statement changes no row twice.
      var last: [String: (key: Int64, column: String, original: String)] = [:]
      for note in notes {
        guard let column = column(Int(note.parameter)) else { continue }
        last["\(note.key) \(column.name)"] = (note.key, column.name, note.original)
      }
      let all = Array(last.values)
      var parameters = PostgresParameters()
      parameters.append(keys: all.map(\.key))
      try parameters.append(list: all.map { .text($0.column) }, of: .text)
      try parameters.append(list: all.map { .blob(Data($0.original.utf8)) }, of: .blob)
      return [PostgresStatement(originals.store(ofTable: table.name), parameters)]
    }

    // MARK: Deletions

    @discardableResult
    func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int {
      guard !keys.isEmpty else { return 0 }
      let table = try table(entity)
      if watch != nil, engine.references.lead(to: table) {
        var parameters = PostgresParameters()
        parameters.append(keys: keys)
        try queue(PostgresStatement(batches.lockForDeletion(table), parameters))
      }
      let affected = try watch.map { _ in try engine.references.affected(by: table, keys) { try self.keys($0, $1) } }
      mayBreakReferences = true
      try keepValues(of: [table.name: keys].merging((affected?.deleted ?? [:]).mapValues { Array($0) }) { $0 + $1 })
      let sql = originals.removing(
        with: batches.delete(from: table), ofTable: table.name, columns: table.mayHaveOriginals ? nil : [])
      let result = try run(sql, keys: keys)
      noteDeletions(keys, from: table, affected)
      if let affected, let result {
        watch?.note(affected)
        watch?.deleted[table.name, default: []].formUnion((0..<result.rowCount).compactMap { result.integer($0, 0) })
        for (name, keys) in affected.deleted where !keys.isEmpty {
          try run(originals.remove(ofTable: name), keys: Array(keys))
        }
      }
      return result?.rowCount ?? 0
    }

    /// The keys that a statement with a list of keys reads.
    func keys(_ sql: String, _ keys: [Int64]) throws -> [Int64] {
      guard let result = try run(sql, keys: keys) else { return [] }
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }

    func delete(_ request: FetchRequest) throws -> [Int64] {
      let keys = try session(of: engine).keys(request)
      try delete(from: request.entity, keys: keys)
      return keys
    }

    /// Deletes every row of every table. Keys that were used stay used.
    func deleteEverything() throws {
      var statements: [String] = []
      for table in engine.database.tables {
        for link in table.links.values where link.isDefining { statements.append(rows.deleteAll(from: link.name)) }
      }
      for table in engine.database.tables where !table.isShared { statements.append(rows.deleteAll(from: table.name)) }
      statements.append(rows.deleteAll(from: OriginalStatements.tableName))
      try run(statements.map { PostgresStatement($0) } + engine.historyStatements.erasure)
      news?.noteEverything(in: engine.database)
    }

    // MARK: References

    func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
      watch = PostgresReferenceWatch()
      defer { watch = nil }
      try body()
      try sendDeletions()
      let watch = self.watch ?? PostgresReferenceWatch()
      return engine.database.tables.compactMap { table in
        guard !table.isShared else { return nil }
        var rows = AffectedRows(entity: table.entity)
        rows.deleted = watch.deleted[table.name] ?? []
        rows.changed = (watch.changed[table.name] ?? []).subtracting(rows.deleted)
        return rows.changed.isEmpty && rows.deleted.isEmpty ? nil : rows
      }
    }

    /// Lets the server check all references now, and goes back where one leads nowhere.
    func hasBrokenReferences() throws -> Bool {
      // The commit fails if there are any, and the next attempt finds them.
      guard mayBreakReferences, !isWaiting else { return false }
      let (_, error) = try attempt(
        [
          "SAVEPOINT osd_check", "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED",
          "RELEASE SAVEPOINT osd_check",
        ].map { PostgresStatement($0) })
      guard let error else {
        mayBreakReferences = false
        return false
      }
      guard ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.sqlState == "23503" else { throw error }
      try owned?.connection.execute("ROLLBACK TO SAVEPOINT osd_check; RELEASE SAVEPOINT osd_check")
      return true
    }

    func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws {
      noteAll(relationships.map { $0.0 })
      for (entity, relationship) in relationships {
        if case .links = relationship.storage {
          let link = try link(relationship, entity)
          try runEach(PairStatements(dialect: dialect).deleteAll(from: link, of: link.target), keys)
        } else if let sql = rows.clear(try table(entity), at: relationship.position) {
          try runEach(sql, keys)
        }
      }
    }

    func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws {
      noteAll(relationships.map { $0.0 })
      for (entity, relationship) in relationships {
        let link = try link(relationship, entity)
        try runEach(PairStatements(dialect: dialect).deleteAll(from: link, of: link.owner), keys)
      }
    }

    // MARK: Pairs

    func changePairs(
      of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]
    ) throws {
      let link = try link(relationship, entity)
      var statements: [PostgresStatement] = []
      if !removing.isEmpty {
        statements.append(PostgresStatement(batches.deletePairs(from: link), Self.lists(removing)))
      }
      if !adding.isEmpty {
        statements.append(PostgresStatement(batches.insertPairs(into: link), Self.lists(adding)))
        mayBreakReferences = true
      }
      if !statements.isEmpty { try send(statements) }
      notePairs(adding + removing, of: relationship, in: entity)
    }

    private static func lists(_ pairs: [RelatedPair]) -> PostgresParameters {
      var parameters = PostgresParameters()
      parameters.append(keys: pairs.map(\.owner))
      parameters.append(keys: pairs.map(\.target))
      return parameters
    }

    func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws {
      let link = try link(relationship, entity)
      guard !orders.isEmpty else { return }
      noteOrders(orders.map(\.owner), of: entity)
      var owners = PostgresParameters()
      owners.append(keys: orders.map(\.owner))
      let results = try run([
        PostgresStatement(batches.nextNumber(of: link)), PostgresStatement(batches.ranks(in: link), owners),
      ])
      guard results.count == 2, let end = results[0].integer(0, 0) else { return }
      var known: [Int64: [Int64: ListOrder.Position]] = [:]
      for row in 0..<results[1].rowCount {
        guard let owner = results[1].integer(row, 0), let target = results[1].integer(row, 1),
          let number = results[1].integer(row, 2), case .real(let rank) = try results[1].value(row, 3)
        else { continue }
        known[owner, default: [:]][target] = ListOrder.Position(key: number, rank: rank)
      }
      let last = Dictionary(orders.map { ($0.owner, $0) }) { $1 }
      let moves = last.values.flatMap { order in
        ListOrder.moves(order.targets.compactMap { known[order.owner]?[$0] }, end: end)
      }
      try setNumbers(moves, batches.setNumbers(link.owner.positionColumn, in: link.name))
    }

    func setPositions(
      _ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout
    ) throws {
      let table = try table(entity)
      guard let column = table.positionColumns[relationship.position] else { return }
      let owner = table.columns(of: relationship.position).first
      let returning = owner.map { " RETURNING \(dialect.quoted($0.name))" } ?? ""
      let owners = try setNumbers(positions, batches.setNumbers(column, in: table.name) + returning)
      notePositions(positions.map(\.key), of: table, owners, owner)
    }

    /// - Returns: What the statement returns, if it returns anything; nil while the transaction waits.
    @discardableResult
    private func setNumbers(_ positions: [ListOrder.Position], _ sql: String) throws -> [Int64]? {
      guard !positions.isEmpty else { return [] }
      let last = ListOrder.lastOfEachKey(positions)
      var parameters = PostgresParameters()
      try parameters.append(list: last.map { .real($0.rank) }, of: .real)
      parameters.append(keys: last.map(\.key))
      guard !isWaiting else {
        try send([PostgresStatement(sql, parameters)])
        return nil
      }
      guard let result = try run(sql, parameters) else { return [] }
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }
  }

  extension TableMapping {
    /// Whether a column refers to rows, and the database sees to it.
    fileprivate var hasReferences: Bool { columns.contains { $0.reference != nil } }

    /// Whether a value may differ from its stored form.
    var mayHaveOriginals: Bool {
      ([self] + subtables).contains { $0.columns.contains(where: PostgresOriginals.mayHave) }
    }

    fileprivate func column(_ index: Int) -> ColumnMapping? { columns.indices.contains(index) ? columns[index] : nil }
  }
#endif
