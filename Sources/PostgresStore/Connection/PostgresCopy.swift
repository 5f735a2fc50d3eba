#if PostgreSQL
  import PersistenceSupport

  /// Rows that one statement copies into a table. The initialiser sends all of them. The server processes them while
  /// the program continues. Confined to the owner of the connection.
  ///
  /// Before another statement runs, the connection waits for the end of this one (``settle()``).
  final class PostgresCopy {
    private let handle: PostgresHandle
    private let sql: String
    private let log: SlowStatementLog?
    private let start: ContinuousClock.Instant?
    /// The last time at which the server was known to be busy with the statement.
    private var lastLook: ContinuousClock.Instant?
    private var isDone = false
    private var failure: (any Error)?

    /// Sends the rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, `COPY … FROM STDIN`.
    ///   - log: Receives the statement after its end, if it was slow.
    ///   - data: Calls a function with the data, in parts.
    /// - Throws: The error of the server, or of `data`; for the latter, the connection is closed.
    init(
      _ handle: PostgresHandle, sql: String, log: SlowStatementLog?,
      _ data: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
      (self.handle, self.sql, self.log) = (handle, sql, log)
      start = log.map { _ in ContinuousClock.now }
      do {
        try handle.send(sql)
        try waitForReadiness()
        try send(data)
        look()
      } catch {
        note(until: ContinuousClock.now)
        throw error
      }
    }

    /// Waits until the server is ready to receive the data.
    private func waitForReadiness() throws {
      let answer = try handle.nextResult()
      guard answer?.status != .copying else { return }
      let failure = answer.map { handle.error(of: $0, sql: sql) }
      while try handle.nextResult() != nil {}
      throw failure ?? PostgresError(sqlState: nil, message: "a table takes no data").storeError(handle.location)
    }

    private func send(_ data: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
      do {
        // Each part is sent before the next one is produced: producing it may take any time, and the server limits the
        // time of each statement.
        try data { try handle.sendCopy($0) }
        try handle.sendCopy(nil)
      } catch {
        // Otherwise the server would wait for the rest of the data.
        handle.close()
        throw error
      }
    }

    /// Whether the server has ended the statement, as far as is known without waiting.
    func hasEnded() -> Bool {
      guard !isDone else { return true }
      guard handle.hasResult else {
        look()
        return false
      }
      finish()
      // The exact time of the end is unknown, but it is not before `lastLook`.
      note(until: lastLook)
      return true
    }

    /// Waits for the end of the statement. ``end()`` throws its error.
    ///
    /// The statement is part of a save: it is not cancelled with the task, even if a cancellable read waits for it.
    func settle() {
      guard !isDone else { return }
      let outer = handle.watchesTask
      handle.watchesTask = false
      defer { handle.watchesTask = outer }
      finish()
      note(until: ContinuousClock.now)
    }

    /// Waits for the end of the statement.
    ///
    /// - Throws: The server's error for the statement, on each call.
    func end() throws {
      settle()
      if let failure { throw failure }
    }

    private func finish() {
      isDone = true
      do {
        while let result = try handle.nextResult() {
          if result.status == .failed { failure = failure ?? handle.error(of: result, sql: sql) }
        }
      } catch {
        failure = failure ?? error
      }
    }

    private func look() {
      if log != nil { lastLook = ContinuousClock.now }
    }

    private func note(until end: ContinuousClock.Instant?) {
      guard let log, let start, let end else { return }
      log.note(start.duration(to: end), store: handle.location) { sql }
    }
  }
#endif
