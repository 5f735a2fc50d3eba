#if PostgreSQL
  import PersistenceSupport

  /// The text of a statement that comes again and again, always with parameters of the same types. What a server keeps of it is found by
  /// the object, without reading the text.
  package final class StatementText: Sendable {
    package let sql: String

    package init(_ sql: String) {
      self.sql = sql
    }
  }

  /// A statement and what is bound to it. An object, since it goes through several lists on its way to the server.
  package final class PostgresStatement: Sendable {
    package let sql: String
    package let parameters: PostgresParameters
    /// The text, where it is one that comes again.
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

  /// A connection to a server, one session of it. Not Sendable: one owner uses it at a time.
  ///
  /// After an error the connection is as it was, unless ``isOpen`` says otherwise: a statement that failed outside of a transaction
  /// has changed nothing, and inside of one the transaction is to be rolled back.
  package final class PostgresConnection {
    /// Where the session stands.
    package enum TransactionStatus: Sendable {
      case idle
      /// A statement runs.
      case active
      case inTransaction
      /// A statement has failed; only a rollback is possible.
      case failed
      /// The connection is lost.
      case unknown
    }

    /// The oldest version whose decimals have infinity (``PostgresDialect``).
    package static let oldestVersion = 14

    private let handle: PostgresHandle
    private let log: SlowStatementLog?
    private var prepared: PreparedStatements
    /// What ``serverRun`` and ``process`` have found, and whether the server has been asked.
    private var known: (run: String?, process: Int64?, hasAsked: Bool) = (nil, nil, false)
    /// How often statements were sent and waited for.
    package private(set) var roundTrips = 0
    /// The statement whose rows are not all read.
    ///
    /// Unsafe, since a weak reference takes longer than the rest of it: rows take it back when they are done (``forget(_:)``), at their end at the
    /// latest.
    private unowned(unsafe) var rows: PostgresRows?
    /// The statement that copies rows, until another one is sent.
    private var copy: PostgresCopy?

    /// Connects, and checks that the server has what stores need.
    ///
    /// - Throws: `SwiftDataError.storeUnreachable`, or `.storeFailure` for a server that is too old or has another encoding.
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

    /// Connects with the password of the moment; with the next one when the server refuses it, which may have changed meanwhile.
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

    /// Sets what differs from the server's defaults, in one round trip or none.
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

    /// What is another one after a crash of the server, and on another server: after it the numbers of transactions may be given again.
    /// Nil where the server does not say. It is asked the first time, while the connection is in no transaction: a program that only
    /// reads need not know.
    package var serverRun: String? {
      if !known.hasAsked, isOpen, transactionStatus == .idle {
        // What fails is no PostgreSQL itself, but something like it, or lost, as the next statement finds.
        noteRun(try? run(PostgresStatement(Self.runStatement)))
      }
      return known.run
    }

    /// Runs a statement outside of a transaction, and asks in the same round trip what ``serverRun`` would ask for.
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

    /// The number of the server's process, also when the connection is lost; nil until ``serverRun`` has asked for it, which it comes
    /// with. libpq knows a number too, but behind a pooler that is one that the pooler has made up.
    package var process: Int64? { known.process }

    /// The start of the server, of its statistics, which a crash ends, and the number of its promotions; and its process.
    private static let runStatement = """
      SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), \
      extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), \
      CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END), \
      pg_backend_pid()
      """

    /// Waits for some time until a notification comes on a channel that is listened to, or another thread ends the wait.
    ///
    /// - Returns: Whether a notification has come.
    func waitForNotification(or wake: WakePipe, for time: Duration) throws -> Bool {
      try handle.waitForNotification(or: wake, for: time)
    }

    /// The database and its host, without user and password.
    package var location: String { handle.location }

    /// Whether the connection can be used, as far as is known. A server that has gone is noticed by the next statement.
    package var isOpen: Bool { handle.isOpen }

    /// Whether the connection was lost, and not given up because an answer took too long.
    var isLost: Bool { !handle.isOpen && !handle.hasTimedOut }

    /// Whether the server still has its end, as far as it has said. Costs one call of the system, and no round trip.
    package var isAlive: Bool {
      handle.lookForEnd()
      return handle.isOpen
    }

    package var transactionStatus: TransactionStatus { handle.transactionStatus }

    package var serverVersion: Int { handle.serverVersion }

    /// Ends the session. What is not committed is lost. Every later call throws.
    package func close() {
      handle.close()
    }

    /// What can ask the server from another thread to give up the statement that runs; nil after ``close()``.
    package func makeCanceller() -> PostgresCanceller? { handle.makeCanceller() }

    /// Runs statements that are given up when the task is cancelled.
    ///
    /// A cancelled task may ask for something that is short, to clean up. One that goes on and on with it is stopped as well.
    ///
    /// - Throws: `CancellationError`, or what the body throws.
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
      // The server may have answered before it got the request to stop.
      if handle.wasAskedToCancel || time > .milliseconds(200) { throw CancellationError() }
    }

    /// Runs a migration: answers may take any time, whatever the settings say, and the server keeps no statement, since it would have
    /// taken it apart for tables that change.
    func migrating<Value>(_ body: () throws -> Value) rethrows -> Value {
      let (timeout, kept) = (handle.answerTimeout, prepared)
      handle.answerTimeout = nil
      prepared = PreparedStatements(isEnabled: false)
      defer { (handle.answerTimeout, prepared) = (timeout, kept) }
      return try body()
    }

    /// Runs something whose answers may take no longer than a time, nor than the settings say.
    func answering<Value>(within time: Duration, _ body: () throws -> Value) rethrows -> Value {
      let timeout = handle.answerTimeout
      handle.answerTimeout = min(time, timeout ?? time)
      defer { handle.answerTimeout = timeout }
      return try body()
    }

    // MARK: Statements

    /// Runs statements without parameters, in one transaction if none is open. Rows are thrown away.
    package func execute(_ sql: String) throws {
      keepRows()
      roundTrips += 1
      try handle.send(sql)
      try finish(sql)
    }

    /// Runs a statement and reads all of its result.
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

    /// Runs a statement whose rows are read as they come.
    ///
    /// - Parameters:
    ///   - isWhole: Whether they come all at once, which is faster and for few rows.
    ///   - watchesTask: Whether the statement is given up when the task is cancelled (``watchingCancellation(_:)``).
    /// - Returns: The rows. What is not read of them when the connection runs another statement is read and kept before.
    package func rows(
      of statement: PostgresStatement, isWhole: Bool = false, watchesTask: Bool = false
    ) throws -> PostgresRows {
      try rows(of: statement, areCopied: false, watchesTask: watchesTask) {
        try send(statement)
        if !isWhole { try handle.beginRows() }
      }
    }

    /// Runs a statement without parameters and has the server copy its rows to the client, as they come: many are read so in half of the
    /// time.
    ///
    /// A copy does not say the types of its columns, so they are asked for before it, in the same round trip.
    package func copiedRows(of statement: PostgresStatement, watchesTask: Bool = false) throws -> PostgresRows {
      try rows(of: statement, areCopied: true, watchesTask: watchesTask) {
        roundTrips += 1
        try handle.send(
          "SELECT * FROM (\(statement.sql)) AS _osd_q LIMIT 0; COPY (\(statement.sql)) TO STDOUT (FORMAT binary)")
      }
    }

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

    /// Notes that the server sends no more rows of a statement.
    func forget(_ rows: PostgresRows) {
      if self.rows === rows { self.rows = nil }
    }

    /// Looks at the time that a statement took whose rows were read as they came.
    ///
    /// - Parameter watchesTask: Whether it would have been given up when the task is cancelled.
    func didEnd(_ sql: String, since start: ContinuousClock.Instant, watchesTask: Bool) throws {
      note(start, sql)
      if watchesTask { try checkSearches(since: start) }
    }

    /// Notes why a statement failed whose rows are read as they come.
    func didFail(_ error: PostgresError) { prepared.didFail(error) }

    /// Reads the remaining rows of a statement, or waits for the end of one that copies rows, so that the next one can be sent.
    func keepRows() {
      rows?.keepRest()
      guard let copy else { return }
      copy.settle()
      self.copy = nil
    }

    /// Runs several statements in one round trip, in one transaction if none is open.
    ///
    /// After one that fails, the server skips the others, also a commit at their end: nothing of a transaction that was begun here is kept.
    ///
    /// - Parameter undoes: Whether a transaction that was begun here is ended where one fails.
    /// - Returns: Their results.
    /// - Throws: The error of the first that failed.
    @discardableResult
    package func run(_ statements: [PostgresStatement], undoes: Bool = true) throws -> [PostgresResult] {
      keepRows()
      let wasInTransaction = transactionStatus == .inTransaction
      let (results, error) = try attempt(statements)
      guard let error else { return results }
      if undoes, !wasInTransaction, transactionStatus == .failed { try execute("ROLLBACK") }
      throw error
    }

    /// The same, with the results of those before the first that failed, or before the connection was lost.
    ///
    /// - Parameter early: The statement whose result the server sends before it goes on.
    func attempt(
      _ statements: [PostgresStatement], early: Int? = nil
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      keepRows()
      // The time of each is not known: they run while others are on their way.
      let start = log.map { _ in ContinuousClock.now }
      defer { for statement in statements { note(start, statement.sql) } }
      return try pipelined(statements, early: early)
    }

    private func note(_ start: ContinuousClock.Instant?, _ sql: String) {
      if let start { log?.note(start.duration(to: .now), store: location) { sql } }
    }

    /// Copies rows into a table, and does not wait for the end of that: the next statement does.
    ///
    /// - Parameters:
    ///   - sql: The statement, `COPY … FROM STDIN`.
    ///   - data: Calls a function with the data, in parts.
    /// - Returns: What knows when the statement has ended, and how.
    /// - Throws: The error of the server, or of `data`: then the connection is closed.
    func copy(_ sql: String, _ data: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws -> PostgresCopy {
      keepRows()
      // The server says when it is ready for the data.
      roundTrips += 2
      let copy = try PostgresCopy(handle, sql: sql, log: log, data)
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

    /// Lets the server forget what it keeps, if it is of no use any more.
    private func letGoOfStale() throws {
      guard prepared.isStale, transactionStatus == .idle else { return }
      prepared.forget()
      try execute("DEALLOCATE ALL")
    }

    private func pipelined(
      _ statements: [PostgresStatement], early: Int?
    ) throws -> (results: [PostgresResult], error: (any Error)?) {
      try letGoOfStale()
      // The server keeps a statement from the pipeline on in which it comes the second time.
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
        // Some of them may be on their way, and their results would be taken for those of the next statements.
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
    /// - Returns: The error of the first statement that failed.
    /// - Throws: When the connection is lost.
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
        // A lost connection has no results any more, and would have none of the synchronisation either.
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
    /// What the result of a statement that failed is thrown as.
    func error(of result: PostgresResult, sql: String?) -> any Error {
      let error = result.error(sql: sql)
      return isCancellation(error) ? CancellationError() : error.storeError(location)
    }
  }
#endif
