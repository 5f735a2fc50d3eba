#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The transaction that changes a store in PostgreSQL.
  ///
  /// Other transactions may commit while it runs. It reads committed data (READ COMMITTED): a save locks the rows that
  /// it changes before it compares them with what its context has read.
  ///
  /// An error aborts it on the server. Only a rollback is possible afterwards, complete or to an earlier savepoint.
  final class PostgresTransaction: StoreTransaction {
    let engine: PostgresStoreEngine
    /// The session of the transaction; nil after its end.
    var owned: PostgresSession?
    /// The statements that begin the transaction; empty once sent. The lock of ``PostgresSchemaMark`` may fail.
    var opening: [PostgresStatement]
    /// Statements that are sent in one round trip with the next statement, since nothing waits for their results. They
    /// can fail only if ``isWaiting``.
    var prelude: [Queued] = []
    /// Whether a queued statement needs explicit BEGIN and COMMIT.
    var needsBeginning = false
    private(set) var savepointDepth = 0
    /// Whether statements whose results are not needed wait for the next needed result, at the latest for the commit.
    var isWaiting = false
    private let isRetry: Bool
    /// The transaction's additions to the store's history.
    let history = PostgresHistoryAdditions()
    /// Whether the transaction may have written a reference to a missing row, or deleted a referenced row.
    var mayBreakReferences = false
    /// The effects of foreign key actions; nil if no deletion needs them.
    var watch: PostgresReferenceWatch?
    /// Deletions that compare rows, until the deleting call ends.
    var deletions: [Deletion] = []
    /// Whether the server plans statements with arrays once.
    private var plansOnce: Bool
    /// The thread that last used the transaction, as known to the engine.
    private var thread: ThreadIdentity?
    /// The transaction ID, returned by the first pipeline in which the server assigns one.
    var number: String?
    /// A number that no other transaction has, even if the server reuses the transaction ID after a crash.
    lazy var save = Int64.random(in: .min ... .max)
    /// Whether the only statement of the transaction found its row changed and wrote nothing.
    var hasMissed = false
    /// The change notifications for other processes; nil if none are sent.
    var news: PostgresNews?
    /// The maximum number of statements in one pipeline.
    static let longestPipeline = 1_000

    /// A statement that is queued until the next one is sent.
    struct Queued {
      var statement: PostgresStatement
      /// Whether column 0 of its result is the transaction ID. Such a statement also locks the schema mark.
      var readsNumber = false
      /// The text to use as the only statement; nil for none. Its result lacks the rows that it does not find.
      var textAlone: StatementText?
      /// Receives the result.
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

    /// By default the server plans each execution of a statement with arrays, which takes five times as long as running
    /// it: a custom plan seems cheaper to the server, although it is always the same.
    private static let planningOnce = PostgresStatement(
      StatementText("SET LOCAL plan_cache_mode = force_generic_plan"))

    /// Makes the server plan the following statements once.
    func planOnce() {
      guard !plansOnce else { return }
      plansOnce = true
      prelude.append(Queued(statement: Self.planningOnce))
      needsBeginning = true
    }

    /// The savepoint that represents a transaction within a migration.
    static let nestedName = "osd_stage"
    static let nestedBeginning = "SAVEPOINT \(nestedName)"

    /// Whether statements are queued.
    var isWaitingToSend: Bool { !opening.isEmpty || !prelude.isEmpty }

    deinit { rollBack() }

    // MARK: Statements

    /// The session for reading, with the transaction begun.
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

    /// The session while the transaction is open.
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

    /// The session, if nothing of the transaction was sent to the server.
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

    /// Like ``run(_:)``, but after an error also returns the results before it.
    ///
    /// - Parameter planningOnce: Whether the server plans statements with arrays once.
    func attempt(
      _ statements: [PostgresStatement], planningOnce: Bool = true
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      if planningOnce, statements.contains(where: \.parameters.haveArrays) { planOnce() }
      let asksForNumber = number == nil && !statements.isEmpty && !readsNumber
      var (results, error) = try pipeline(asksForNumber ? statements + [Self.numberStatement] : statements)
      // After an error of another statement, the ID was not read.
      if asksForNumber, error == nil { number = results.popLast()?.text(0, 0) }
      return (results, error)
    }

    static let numberStatement = PostgresStatement(
      StatementText("SELECT pg_current_xact_id_if_assigned()::text"))

    /// Whether a queued statement reads the transaction ID.
    var readsNumber: Bool { prelude.contains(where: \.readsNumber) }

    /// Runs statements after the queued ones.
    ///
    /// - Parameter early: The statement whose result the server sends before it continues.
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

    /// Runs a read in the transaction. A lost connection is reported as the loss of the transaction.
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

    /// The error of a transaction that was lost with its connection: nothing of it is saved, and the save is repeated.
    func lost(by error: any Error) -> SwiftDataError {
      let known = (error as? SwiftDataError)?.underlyingError ?? error
      let cause = known as? PostgresError ?? PostgresError(sqlState: nil, message: "\(known)")
      return SwiftDataError(
        .storeUnreachable,
        "The connection to the store at \(engine.location) was lost during a transaction (\(cause.message)). Nothing was saved; "
          + "save again.", underlying: cause.asLoss)
    }

    /// The error of a save that is repeated, and then checks before it writes.
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
      // The transaction ID takes precedence as the early result: an unacknowledged commit needs it.
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
      }
      return (Array(results.dropFirst(beginning + queued.count)), failure)
    }

    /// Queues a statement to run in one round trip with the next one.
    ///
    /// - Parameters:
    ///   - readsNumber: Whether result column 0 is the transaction ID. The statement then locks the schema mark itself.
    ///   - textAlone: The text to use as the only statement of the transaction; nil if there is none.
    ///   - didRun: Receives its result.
    func queue(
      _ statement: PostgresStatement, readsNumber: Bool = false, textAlone: StatementText? = nil,
      didRun: ((PostgresResult) -> Void)? = nil
    ) throws {
      _ = try usable()
      if statement.parameters.haveArrays { planOnce() }
      prelude.append(
        Queued(statement: statement, readsNumber: readsNumber, textAlone: textAlone, didRun: didRun))
    }

    /// Runs statements whose results are not needed; queues them if the transaction queues its statements.
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

    /// Runs a single-row statement for each of some keys.
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

    // Savepoints are named by their depth, so that the same few statements serve any number of savepoints.

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
      // Settings made since the savepoint are rolled back.
      plansOnce = engine.isMigrating
      history.didRollBack(to: savepoint)
    }

    // While statements are queued, no row is rejected before the commit.
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
