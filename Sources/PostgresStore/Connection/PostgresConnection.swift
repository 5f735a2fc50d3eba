#if PostgreSQL
  import PersistenceSupport

  /// The text of a statement that is run repeatedly, always with the same parameter types. The connection finds the
  /// prepared statement by the identity of this object, without hashing the text.
  package final class StatementText: Sendable {
    package let sql: String

    package init(_ sql: String) {
      self.sql = sql
    }
  }

  /// A statement and its parameters. It is a class so that passing it between lists does not copy it.
  package final class PostgresStatement: Sendable {
    package let sql: String
    package let parameters: PostgresParameters
    /// The text object; nil if the statement is not run repeatedly.
    let text: StatementText?

    package init(_ sql: String, _ parameters: PostgresParameters = PostgresParameters()) {
      self.sql = sql
      self.parameters = parameters
      text = nil
    }

    package init(_ text: StatementText, _ parameters: PostgresParameters = PostgresParameters()) {
      sql = text.sql
      self.parameters = parameters
      self.text = text
    }
  }

  /// A connection to a server, which is one session. Not Sendable: only one owner uses it at a time.
  ///
  /// After an error the connection can still be used, unless ``isOpen`` is false. A statement that failed outside a
  /// transaction has changed nothing; inside a transaction, the caller must roll back.
  package final class PostgresConnection {
    /// The transaction status of the session.
    package enum TransactionStatus: Sendable {
      case idle
      /// A statement is running.
      case active
      case inTransaction
      /// A statement has failed; only a rollback is possible.
      case failed
      /// The connection is lost.
      case unknown
    }

    /// The oldest server version whose `numeric` type has an infinity, which stores use for a decimal not-a-number.
    package static let oldestVersion = 14

    private let handle: PostgresHandle
    private let log: SlowStatementLog?
    private var prepared: PreparedStatements
    /// The values of ``serverRun`` and ``process``, and whether they have been queried.
    private var known: (run: String?, process: Int64?, hasAsked: Bool) = (nil, nil, false)
    /// The number of round trips to the server.
    package private(set) var roundTrips = 0
    /// The last statement whose rows have not all been read.
    ///
    /// `unowned(unsafe)` because a weak reference would take longer than all other work here. The rows set this
    /// property to nil when they have all been read, or at the latest when they are deinitialised (``forget(_:)``).
    private unowned(unsafe) var rows: PostgresRows?
    /// The running `COPY` into a table; nil as soon as another statement is sent.
    private var copy: PostgresCopy?

    /// Connects, and checks that stores support the server's version and encoding.
    ///
    /// - Throws: `SwiftDataError.storeUnreachable`, or `.storeFailure` if the server is too old or not in UTF-8.
    package init(_ settings: PostgresSettings) throws {
      log = settings.slowStatementLog
      prepared = PreparedStatements(isEnabled: settings.keepsStatements && !settings.isPooled)
      handle = try Self.connect(settings)
      guard handle.serverVersion >= Self.oldestVersion * 10_000 else {
        throw SwiftDataError(
          .storeFailure,
          "The server of the store at \(handle.location) is PostgreSQL \(handle.serverVersion / 10_000). "
            + "Stores need version \(Self.oldestVersion) or later.")
      }
      let encoding = handle.setting("server_encoding") ?? "unknown"
      guard encoding == "UTF8" else {
        throw SwiftDataError(
          .storeFailure,
          "The database of the store at \(handle.location) has the encoding \(encoding). Texts need UTF8: make the database "
            + "with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.")
      }
      try prepare(settings)
    }

    /// Connects with the current password. If the server rejects it, asks for the password again and tries once more.
    private static func connect(_ settings: PostgresSettings) throws -> PostgresHandle {
      let deadline = ContinuousClock.now + settings.connectTimeout
      guard let source = settings.passwordSource else { return try PostgresHandle.connect(settings, until: deadline) }
      var settings = settings
      settings.password = try source.password()
      do {
        return try PostgresHandle.connect(settings, until: deadline)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.isPassword == true {
        settings.password = try source.password()
        return try PostgresHandle.connect(settings, until: deadline)
      }
    }

    /// Sends the settings that differ from the server's defaults, in at most one round trip.
    private func prepare(_ settings: PostgresSettings) throws {
      var preparation = settings.preparation
      if handle.setting("standard_conforming_strings") == "off" {
        guard !settings.isPooled else {
          throw SwiftDataError(
            .storeFailure,
            "The server of the store at \(handle.location) has standard_conforming_strings = off, which a pooler of transactions "
              + "cannot change. Switch it on for the user or the database.")
        }
        preparation += (preparation.isEmpty ? "" : "; ") + "SET standard_conforming_strings = on"
      }
      if !preparation.isEmpty { try execute(preparation) }
    }

    /// Identifies the current run of the server, which ends with a restart, a crash or a failover. Afterwards the
    /// server may assign the same transaction IDs again. Nil if the server does not provide the information. The first
    /// use outside a transaction queries the server: before a save, for a ``PostgresHorizon``, or in the listener.
    package var serverRun: String? {
      if !known.hasAsked, isOpen, transactionStatus == .idle {
        // The query fails if the server only imitates PostgreSQL. It also fails if the connection is lost, and then the
        // next statement fails too.
        noteRun(try? run(PostgresStatement(Self.runStatement)))
      }
      return known.run
    }

    /// Runs a statement outside a transaction. If ``serverRun`` is not known yet, it is queried in the same round trip.
    func runAskingForServerRun(_ statement: PostgresStatement) throws -> PostgresResult {
      guard !known.hasAsked else { return try run(statement) }
      if let results = try? run([statement, PostgresStatement(Self.runStatement)]), results.count == 2 {
        noteRun(results[1])
        return results[0]
      }
      if isOpen { noteRun(nil) }
      return try run(statement)
    }

    private func noteRun(_ result: PostgresResult?) { known = (result?.text(0, 0), result?.integer(0, 1), true) }

    /// The ID of the server's process for this connection, also after the connection is lost; nil until ``serverRun``
    /// has been queried. libpq has a process ID too, but behind a pooler that ID is invented by the pooler.
    package var process: Int64? { known.process }

    /// Selects the text that identifies the server run, and the process ID. The text has the server's start time, the
    /// time of the last statistics reset (a crash causes one), and the timeline.
    private static let runStatement = """
      SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), \
      extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), \
      CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END), \
      pg_backend_pid()
      """

    /// Waits until a notification arrives, another thread ends the wait through the pipe, or the time is over.
    ///
    /// - Returns: Whether a notification has arrived.
    func waitForNotification(or wake: WakePipe, for time: Duration) throws -> Bool {
      try handle.waitForNotification(or: wake, for: time)
    }

    /// The database and its host, without user and password.
    package var location: String { handle.location }

    /// Whether the connection can be used, as far as is known. Only the next statement detects a lost connection.
    package var isOpen: Bool { handle.isOpen }

    /// Whether the connection was lost. False if the client closed it because an answer took too long.
    var isLost: Bool { !handle.isOpen && !handle.hasTimedOut }

    /// Checks whether the server has closed the connection, as far as is known. Takes a system call and no round trip.
    package var isAlive: Bool {
      handle.lookForEnd()
      return handle.isOpen
    }

    package var transactionStatus: TransactionStatus { handle.transactionStatus }

    package var serverVersion: Int { handle.serverVersion }

    /// Ends the session. Uncommitted changes are lost. Every later call throws.
    package func close() {
      handle.close()
    }

    /// Returns an object that can cancel the running statement from another thread; nil after ``close()``.
    package func makeCanceller() -> PostgresCanceller? { handle.makeCanceller() }

    /// Runs statements that are cancelled together with the current task.
    ///
    /// A task that is already cancelled may still run short statements to clean up, for at most 200 ms in total.
    ///
    /// - Throws: `CancellationError`, or the error of the body.
    package func watchingCancellation<Value>(_ body: () throws -> Value) throws -> Value {
      let (outer, start) = (handle.watchesTask, ContinuousClock.now)
      handle.watchesTask = true
      defer { handle.watchesTask = outer }
      let value = try body()
      try checkSearches(since: start)
      return value
    }

    private func checkSearches(since start: ContinuousClock.Instant) throws {
      guard Task.isCancelled, let task = withUnsafeCurrentTask(body: { $0?.hashValue }) else {
        handle.cancelledSearches = nil
        return
      }
      let before = handle.cancelledSearches.flatMap { $0.task == task ? $0.time : nil } ?? .zero
      let time = before + start.duration(to: .now)
      handle.cancelledSearches = (task, time)
      // The statement may have succeeded because the server answered before the cancel request arrived.
      if handle.wasAskedToCancel || time > .milliseconds(200) { throw CancellationError() }
    }

    /// Runs a migration: answers have no time limit, and no statement is prepared on the server, since the migration
    /// changes the tables.
    func migrating<Value>(_ body: () throws -> Value) rethrows -> Value {
      let (timeout, kept) = (handle.answerTimeout, prepared)
      handle.answerTimeout = nil
      prepared = PreparedStatements(isEnabled: false)
      defer { (handle.answerTimeout, prepared) = (timeout, kept) }
      return try body()
    }

    /// Whether the settings limit the time of each statement.
    var limitsTime: Bool { handle.answerTimeout != nil }

    /// Runs a body in which the server must answer each request within a time limit. If the settings have a shorter
    /// limit, that limit applies.
    func answering<Value>(within time: Duration, _ body: () throws -> Value) rethrows -> Value {
      let timeout = handle.answerTimeout
      handle.answerTimeout = min(time, timeout ?? time)
      defer { handle.answerTimeout = timeout }
      return try body()
    }

    // MARK: Statements

    /// Runs statements without parameters, in one transaction if none is open. Result rows are discarded.
    package func execute(_ sql: String) throws {
      keepRows()
      roundTrips += 1
      try handle.send(sql)
      try finish(sql)
    }

    /// Runs a statement and reads its complete result.
    @discardableResult
    package func run(_ statement: PostgresStatement) throws -> PostgresResult {
      keepRows()
      let start = log.map { _ in ContinuousClock.now }
      defer { note(start, statement.sql) }
      try send(statement)
      guard let result = try finish(statement.sql) else {
        throw PostgresError(sqlState: nil, message: "a statement has no result").storeError(location)
      }
      return result
    }

    /// Runs a statement and reads its rows as they arrive.
    ///
    /// - Parameters:
    ///   - isWhole: Whether all rows are received at once, which is faster if there are few.
    ///   - watchesTask: Whether the statement is cancelled with the task (``watchingCancellation(_:)``).
    /// - Returns: The rows. Before it runs another statement, the connection keeps all unread rows in memory.
    package func rows(
      of statement: PostgresStatement, isWhole: Bool = false, watchesTask: Bool = false
    ) throws -> PostgresRows {
      try rows(of: statement, areCopied: false, watchesTask: watchesTask) {
        try send(statement)
        if !isWhole { try handle.beginRows() }
      }
    }

    /// Runs a statement without parameters through `COPY … TO STDOUT` and reads its rows as they arrive. For many rows
    /// this takes half the time.
    ///
    /// The output of COPY does not contain the column types, so they are queried first, in the same round trip.
    package func copiedRows(of statement: PostgresStatement, watchesTask: Bool = false) throws -> PostgresRows {
      try rows(of: statement, areCopied: true, watchesTask: watchesTask) {
        roundTrips += 1
        try handle.send(
          "SELECT * FROM (\(statement.sql)) AS _osd_q LIMIT 0; COPY (\(statement.sql)) TO STDOUT (FORMAT binary)")
      }
    }

    /// The rows of a result that was received as a whole.
    func rows(in result: PostgresResult) -> PostgresRows { PostgresRows(self, handle, received: result) }

    private func rows(
      of statement: PostgresStatement, areCopied: Bool, watchesTask: Bool, _ send: () throws -> Void
    ) throws -> PostgresRows {
      keepRows()
      let isAlone = transactionStatus == .idle
      let start = log != nil || watchesTask ? ContinuousClock.now : nil
      try send()
      let rows = PostgresRows(
        self, handle, sql: statement.sql, areCopied: areCopied, mayCancel: isAlone, watchesTask: watchesTask,
        start: start)
      self.rows = rows
      return rows
    }

    /// Called when the server sends no more rows of a statement. The next statement then need not store its rows first.
    func forget(_ rows: PostgresRows) {
      if self.rows === rows { self.rows = nil }
    }

    /// Logs a slow statement whose rows were read as they arrived. Throws if the statement's task is cancelled.
    ///
    /// - Parameter watchesTask: Whether the statement is cancelled with the task.
    func didEnd(_ sql: String, since start: ContinuousClock.Instant, watchesTask: Bool) throws {
      note(start, sql)
      if watchesTask { try checkSearches(since: start) }
    }

    /// Called with the error of a statement whose rows are read as they arrive: its prepared statement may be outdated.
    func didFail(_ error: PostgresError) { prepared.didFail(error) }

    /// Stores a statement's unread rows in memory, or waits for a copy to end, so that the next statement can be sent.
    func keepRows() {
      rows?.keepRest()
      guard let copy else { return }
      copy.settle()
      self.copy = nil
    }

    /// Runs several statements in one round trip, in one transaction if none is open. After a failure the server skips
    /// the other statements. If a `COMMIT` is among them, it is skipped too, so that nothing is committed.
    ///
    /// - Parameter undoes: Whether a transaction that these statements have begun is rolled back after a failure.
    /// - Returns: The results of the statements.
    /// - Throws: The error of the first failed statement.
    @discardableResult
    package func run(_ statements: [PostgresStatement], undoes: Bool = true) throws -> [PostgresResult] {
      keepRows()
      let wasInTransaction = transactionStatus == .inTransaction
      let (results, error) = try attempt(statements)
      guard let error else { return results }
      if undoes, !wasInTransaction, transactionStatus == .failed { try execute("ROLLBACK") }
      throw error
    }

    /// Like ``run(_:undoes:)``, but never rolls back, and also returns the results that preceded an error.
    ///
    /// - Parameter early: The index of the statement whose result the server sends before it runs the next one.
    func attempt(
      _ statements: [PostgresStatement], early: Int? = nil
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      keepRows()
      // The log gets the time of the whole round trip for each statement: the client cannot measure them one by one.
      let start = log.map { _ in ContinuousClock.now }
      defer { for statement in statements { note(start, statement.sql) } }
      return try pipelined(statements, early: early)
    }

    private func note(_ start: ContinuousClock.Instant?, _ sql: String) {
      if let start { log?.note(start.duration(to: .now), store: location) { sql } }
    }

    /// Begins to copy rows into a table. The next statement on the connection waits until the copy has ended.
    ///
    /// - Parameter sql: The statement, `COPY … FROM STDIN`.
    /// - Returns: An object that sends the rows, and reports whether the statement has ended or failed.
    /// - Throws: The error of the server.
    func beginCopy(_ sql: String) throws -> PostgresCopy {
      keepRows()
      // One round trip until the server is ready for the data, and one for the data.
      roundTrips += 2
      let copy = try PostgresCopy(handle, sql: sql, log: log)
      self.copy = copy
      return copy
    }

    /// Sends a statement outside of a pipeline.
    private func send(_ statement: PostgresStatement) throws {
      try letGoOfStale()
      let use = prepared.use(statement)
      roundTrips += 1
      switch use {
      case .text: try handle.send(statement)
      case .prepared(let name): try handle.send(statement, keptAs: name)
      case .prepare(let name):
        do {
          try handle.prepare(statement, as: name)
          try finish(statement.sql)
        } catch {
          prepared.didNotPrepare(statement)
          throw error
        }
        try handle.send(statement, keptAs: name)
      }
    }

    /// If the prepared statements are outdated, makes the server drop them.
    private func letGoOfStale() throws {
      guard prepared.isStale, transactionStatus == .idle else { return }
      prepared.forget()
      try execute("DEALLOCATE ALL")
    }

    private func pipelined(
      _ statements: [PostgresStatement], early: Int?
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      try letGoOfStale()
      // A statement is prepared when it is run for the second time, in the same pipeline as that second run.
      let uses = statements.map { prepared.use($0) }
      roundTrips += 1
      try handle.enterPipeline()
      defer { handle.exitPipeline() }
      do {
        for (index, (statement, use)) in zip(statements, uses).enumerated() {
          switch use {
          case .text: try handle.send(statement)
          case .prepared(let name): try handle.send(statement, keptAs: name)
          case .prepare(let name):
            try handle.prepare(statement, as: name)
            try handle.send(statement, keptAs: name)
          }
          if index == early { try handle.requestAnswers() }
        }
        try handle.synchronize()
      } catch {
        // The server may already run some statements. Their results would be mistaken for those of the next statements.
        handle.close()
        throw error
      }
      var results: [PostgresResult] = []
      do {
        let failure = try receive(zip(statements, uses), &results)
        return (results, failure)
      } catch {
        return (results, error)
      }
    }

    /// Reads the results of a pipeline.
    ///
    /// - Returns: The error of the first failed statement; nil if all succeeded.
    /// - Throws: If the connection is lost.
    private func receive(
      _ statements: some Sequence<(PostgresStatement, PreparedStatements.Use)>, _ results: inout [PostgresResult]
    ) throws -> (any Error)? {
      var failure: (any Error)?
      for (statement, use) in statements {
        if case .prepare = use {
          while let result = try handle.nextResult() {
            if result.status == .failed { failure = failure ?? error(of: result, sql: statement.sql) }
          }
          if failure != nil { prepared.didNotPrepare(statement) }
        }
        while let result = try handle.nextResult() {
          if result.status == .failed { failure = failure ?? error(of: result, sql: statement.sql) }
          if failure == nil { results.append(result) }
        }
        // If the connection is lost, neither results nor the end of the pipeline follow.
        if !handle.isOpen { throw failure ?? lost() }
      }
      while let result = try handle.nextResult(), result.status != .synchronized {
        if result.status == .failed { failure = failure ?? error(of: result, sql: nil) }
      }
      return failure
    }

    // MARK: Results

    /// Reads the remaining results of a statement, and returns the last one.
    @discardableResult
    private func finish(_ sql: String) throws -> PostgresResult? {
      var last: PostgresResult?
      var failure: (any Error)?
      while let result = try handle.nextResult() {
        if result.status == .failed { failure = failure ?? error(of: result, sql: sql) }
        last = result
      }
      if let failure { throw failure }
      return last
    }

    private func error(of result: PostgresResult, sql: String?) -> any Error {
      prepared.didFail(result.error(sql: nil))
      return handle.error(of: result, sql: sql)
    }

    private func lost() -> SwiftDataError {
      PostgresError(sqlState: nil, message: "the connection was lost").storeError(location)
    }
  }

  extension PostgresHandle {
    /// The error for a failed statement's result.
    func error(of result: PostgresResult, sql: String?) -> any Error {
      let error = result.error(sql: sql)
      return isCancellation(error) ? CancellationError() : error.storeError(location)
    }
  }
#endif
