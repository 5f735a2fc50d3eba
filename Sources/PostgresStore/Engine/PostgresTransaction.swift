#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// A transaction that changes a store in PostgreSQL.
  ///
  /// Other transactions may commit while it runs. Its isolation level is READ COMMITTED: a save locks the rows that it
  /// changes, and then compares them with the values that its context has read.
  ///
  /// After an error, the server only accepts a rollback of the transaction, or a rollback to an earlier savepoint.
  final class PostgresTransaction: StoreTransaction {
    let engine: PostgresStoreEngine
    /// The session of the transaction; nil when the transaction has ended.
    var owned: PostgresSession?
    /// The statements that begin the transaction; empty when they were sent. One locks the ``PostgresSchemaMark``,
    /// which fails if another program has migrated the store.
    var opening: [PostgresStatement]
    /// Queued statements, whose results no caller waits for. They are sent in one round trip with the next statement.
    /// They can only fail if ``isWaiting``.
    var prelude: [Queued] = []
    /// Whether a queued statement needs BEGIN and COMMIT around it.
    var needsBeginning = false
    private(set) var savepointDepth = 0
    /// Whether statements without a needed result are queued until a result is needed, or until the commit.
    var isWaiting = false
    private let isRetry: Bool
    /// What the transaction adds to the store's history.
    let history = PostgresHistoryAdditions()
    /// Whether the transaction may have written a reference to a missing row, or deleted a referenced row.
    var mayBreakReferences = false
    /// Collects the deleted rows, and the rows that foreign key actions change; nil while no caller needs them.
    var watch: PostgresReferenceWatch?
    /// The owners that no row references any more, by reference. They are locked: no transaction can add a reference.
    var releasedOwners: [PostgresReferences.Reference: Set<Int64>] = [:]
    /// The deletions that are sent together at the end of ``deletingWithReferences(_:)``.
    var deletions: [Deletion] = []
    /// Whether the server has been told to use one generic plan for each statement with arrays.
    private var plansOnce: Bool
    /// The thread that last used the transaction; the engine has recorded it.
    private var thread: ThreadIdentity?
    /// The transaction ID; nil until a statement has returned it.
    var number: String?
    /// A random number that identifies the transaction, even if its transaction ID is assigned again after a crash.
    lazy var save = Int64.random(in: .min ... .max)
    /// Whether the only statement of the transaction found that its row had changed, and wrote nothing.
    var hasMissed = false
    /// The changes of which other processes are notified; nil if the store sends no notifications.
    var news: PostgresNews?
    /// The maximum number of statements in one pipeline.
    static let longestPipeline = 1_000

    struct Queued {
      var statement: PostgresStatement
      /// Whether column 0 of the result is the transaction ID. Such a statement also locks the ``PostgresSchemaMark``.
      var readsNumber = false
      /// For a change of one row: returns the text of a statement that also writes some additions, as the only one of
      /// the transaction (``mergeSingleRow(_:)``).
      var textAlone: ((SingleRowAdditions) -> StatementText)?
      /// For a record of the history: receives the result, and the index of the column with the record's number.
      var didAppend: ((PostgresResult, Int) -> Void)?
      var didRun: ((PostgresResult) -> Void)?
    }

    init(engine: PostgresStoreEngine, session: PostgresSession, isRetry: Bool) {
      self.engine = engine
      self.isRetry = isRetry
      owned = session
      opening =
        engine.isMigrating
        ? [PostgresStatement(Self.nestedBeginning)]
        : [Self.beginning, engine.mark.use] + engine.transactionPreparation.map { PostgresStatement($0) }
      plansOnce = engine.isMigrating
      news = engine.news.map { _ in PostgresNews() }
    }

    private static let beginning = PostgresStatement(StatementText("BEGIN ISOLATION LEVEL READ COMMITTED"))
    static let commitment = PostgresStatement(StatementText("COMMIT"))

    /// By default the server plans a statement with arrays at each execution, which takes five times as long as running
    /// it. The server expects the custom plan for the given arrays to be cheaper, but always gets the same plan.
    private static let planningOnce = PostgresStatement(
      StatementText("SET LOCAL plan_cache_mode = force_generic_plan"))

    /// Makes the server use one generic plan for each of the following statements.
    func planOnce() {
      guard !plansOnce else { return }
      plansOnce = true
      prelude.append(Queued(statement: Self.planningOnce))
      needsBeginning = true
    }

    /// The savepoint that serves as the transaction within the transaction of a migration.
    static let nestedName = "osd_stage"
    static let nestedBeginning = "SAVEPOINT \(nestedName)"

    /// Whether statements are queued.
    var isWaitingToSend: Bool { !opening.isEmpty || !prelude.isEmpty }

    deinit { rollBack() }

    // MARK: Statements

    /// Returns the session for a read in the transaction. First sends queued statements, which begin the transaction.
    func session(of engine: PostgresStoreEngine) throws -> PostgresSession {
      guard engine === self.engine else {
        throw SwiftDataError(
          .storeFailure, "A fetch from the store at \(engine.location) was given a transaction of another store.")
      }
      if isWaitingToSend {
        planOnce()
        try run([])
      }
      return try usable()
    }

    /// The session; throws if the transaction has ended, has failed or is lost.
    func usable() throws -> PostgresSession {
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
      case .idle where isWaitingToSend: return owned
      case .failed:
        throw SwiftDataError(
          .storeFailure,
          "PostgreSQL has aborted the transaction on the store at \(engine.location) after an earlier error. Roll it back."
        )
      case .idle, .unknown:
        throw lost(by: PostgresError(sqlState: nil, message: "the connection was lost"))
      }
    }

    /// The session; nil if any statement of the transaction was already sent to the server.
    var unbegunSession: PostgresSession? {
      owned.flatMap { $0.connection.transactionStatus == .idle && isWaitingToSend ? $0 : nil }
    }

    /// Runs statements in one round trip.
    @discardableResult
    func run(_ statements: [PostgresStatement]) throws -> [PostgresResult] {
      let (results, error) = try attempt(statements)
      if let error { throw error }
      return results
    }

    /// Like ``run(_:)``, but if a statement fails, returns the results of the statements before it too.
    ///
    /// - Parameter planningOnce: Whether the server uses generic plans for statements with arrays from now on.
    func attempt(
      _ statements: [PostgresStatement], planningOnce: Bool = true
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      if planningOnce, statements.contains(where: \.parameters.haveArrays) { planOnce() }
      let asksForNumber = number == nil && !statements.isEmpty && !readsNumber
      var (results, error) = try pipeline(asksForNumber ? statements + [Self.numberStatement] : statements)
      // If a statement failed, the last result is not that of the statement that reads the ID.
      if asksForNumber, error == nil { number = results.popLast()?.text(0, 0) }
      return (results, error)
    }

    static let numberStatement = PostgresStatement(
      StatementText("SELECT pg_current_xact_id_if_assigned()::text"))

    var readsNumber: Bool { prelude.contains(where: \.readsNumber) }

    /// Runs the queued statements, and then the given ones, in one round trip.
    ///
    /// - Parameter early: The index of the statement whose result the server sends before it runs the next one.
    func pipeline(
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

    /// Runs a read in the transaction. If the connection is lost, the error says that the transaction is lost.
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

    /// The error of a transaction whose connection was lost: nothing was saved, and the save is repeated.
    func lost(by error: any Error) -> SwiftDataError {
      let known = (error as? SwiftDataError)?.underlyingError ?? error
      let cause = known as? PostgresError ?? PostgresError(sqlState: nil, message: "\(known)")
      return SwiftDataError(
        .storeUnreachable,
        "The connection to the store at \(engine.location) was lost during a transaction (\(cause.message)). Nothing was saved; "
          + "save again.", underlying: cause.asLoss)
    }

    /// The error of a save that did not check before it wrote. The save is repeated, and then checks.
    func race(_ message: String) -> SwiftDataError {
      SwiftDataError(
        .conflictingChanges, "\(message).", underlying: PostgresError(sqlState: nil, message: message).asRace)
    }

    func pipeline(
      _ statements: [PostgresStatement], early: Int?, on connection: PostgresConnection
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      let (beginning, queued) = (opening.count, prelude)
      var rest = opening + queued.map(\.statement) + statements
      (opening, prelude) = ([], [])
      // A result with the transaction ID is sent early: the ID is needed if the commit is then not acknowledged.
      var place = early.map { $0 + beginning + queued.count }
      if number == nil { place = queued.firstIndex(where: \.readsNumber).map { $0 + beginning } ?? place }
      var results: [PostgresResult] = []
      var failure: (any Error)?
      while !rest.isEmpty, failure == nil {
        let part = rest.count > Self.longestPipeline ? Array(rest.prefix(Self.longestPipeline)) : rest
        rest.removeFirst(part.count)
        let (new, error) = try connection.attempt(part, early: place)
        results += new
        place = place.flatMap { $0 < part.count ? nil : $0 - part.count }
        failure = error.map { isWaiting ? engine.asRace(engine.explained($0)) : engine.explained($0) }
      }
      for (queued, result) in zip(queued, results.dropFirst(beginning)) {
        if number == nil, queued.readsNumber { number = result.text(0, 0) }
        queued.didRun?(result)
        queued.didAppend?(result, 0)
      }
      return (Array(results.dropFirst(beginning + queued.count)), failure)
    }

    /// Queues a statement, which is sent in one round trip with the next one.
    ///
    /// - Parameters:
    ///   - readsNumber: Whether column 0 of the result is the transaction ID. The statement then locks the schema mark.
    ///   - didRun: Receives the result.
    func queue(
      _ statement: PostgresStatement, readsNumber: Bool = false, didRun: ((PostgresResult) -> Void)? = nil
    ) throws {
      try queue(Queued(statement: statement, readsNumber: readsNumber, didRun: didRun))
    }

    func queue(_ queued: Queued) throws {
      _ = try usable()
      if queued.statement.parameters.haveArrays { planOnce() }
      prelude.append(queued)
    }

    /// Runs statements whose results are not needed. If ``isWaiting``, queues them instead.
    func send(_ statements: [PostgresStatement]) throws {
      guard isWaiting else {
        try run(statements)
        return
      }
      for statement in statements { try queue(statement) }
    }

    @discardableResult
    func run(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) throws -> PostgresResult? {
      try run([PostgresStatement(sql, parameters)]).last
    }

    /// Runs a statement with a list of keys.
    @discardableResult
    func run(_ sql: String, keys: [Int64]) throws -> PostgresResult? {
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      return try run(sql, parameters)
    }

    /// Runs a statement once for each of some keys.
    func runEach(_ sql: String, _ keys: [Int64]) throws {
      try run(
        keys.map { key in
          var parameters = PostgresParameters()
          parameters.append(key)
          return PostgresStatement(sql, parameters)
        })
    }

    var dialect: PostgresDialect { engine.dialect }
    var rows: RowStatements { RowStatements(dialect: dialect) }
    var batches: PostgresRowStatements { PostgresRowStatements(dialect: dialect) }

    func table(_ entity: EntityLayout) throws -> TableMapping { try engine.database.table(for: entity) }

    func link(_ relationship: RelationshipLayout, _ entity: EntityLayout) throws -> LinkTableMapping {
      if let link = try table(entity).links[relationship.position] { return link }
      throw SwiftDataError(.storeFailure, "\(relationship.path) has no table of pairs.")
    }

    // MARK: Savepoints

    // A savepoint is named by its depth, so that a few prepared statements suffice for all savepoints.

    func savepoint() throws -> Int {
      _ = try usable()
      savepointDepth += 1
      prelude.append(Queued(statement: PostgresStatement("SAVEPOINT osd\(savepointDepth)")))
      needsBeginning = true
      return savepointDepth
    }

    func release(_ savepoint: Int) throws {
      _ = try usable()
      prelude.append(Queued(statement: PostgresStatement("RELEASE SAVEPOINT osd\(savepoint)")))
      savepointDepth = savepoint - 1
      history.didRelease(savepoint)
    }

    func rollBack(to savepoint: Int) throws {
      guard let owned, owned.connection.isOpen, savepoint <= savepointDepth else {
        throw SwiftDataError(.storeUnreachable, "The transaction on the store at \(engine.location) is gone.")
      }
      if isWaitingToSend { try run([]) }
      try owned.connection.execute("ROLLBACK TO SAVEPOINT osd\(savepoint); RELEASE SAVEPOINT osd\(savepoint)")
      savepointDepth = savepoint - 1
      // A setting that was made since the savepoint has been rolled back too.
      plansOnce = engine.isMigrating
      history.didRollBack(to: savepoint)
    }

    // While statements are queued, rejected rows are not reported to the caller; the commit fails.
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
  }
#endif
