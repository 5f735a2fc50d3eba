#if PostgreSQL
  import PersistenceSupport

  /// A `COPY` of rows into a table. The initialiser sends all rows. The server processes them while the program
  /// continues. Used only by the owner of the connection.
  ///
  /// Before the connection sends another statement, it waits until this one has ended (``settle()``).
  final class PostgresCopy {
    private let handle: PostgresHandle
    private let sql: String
    private let log: SlowStatementLog?
    private let start: ContinuousClock.Instant?
    /// The last time at which the client saw that the statement was still running.
    private var lastLook: ContinuousClock.Instant?
    private var isDone = false
    private var failure: (any Error)?

    /// Sends the rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, `COPY … FROM STDIN`.
    ///   - log: Receives the statement when it has ended, if it was slow.
    ///   - data: Passes the data to a function, in parts.
    /// - Throws: The error of the server, or of `data`. If `data` throws, the connection is closed.
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
        // Each part is sent before the next one is produced: producing a part may take any time, and the server limits
        // the time of the whole statement.
        try data { try handle.sendCopy($0) }
        try handle.sendCopy(nil)
      } catch {
        // If the connection stayed open, the server would wait for the rest of the data.
        handle.close()
        throw error
      }
    }

    /// Checks, without waiting, whether the server has ended the statement.
    func hasEnded() -> Bool {
      guard !isDone else { return true }
      guard handle.hasResult else {
        look()
        return false
      }
      finish()
      // The statement ended at an unknown time after `lastLook`, so its logged duration may be too short.
      note(until: lastLook)
      return true
    }

    /// Waits until the statement has ended. If it failed, ``end()`` throws its error.
    ///
    /// The statement is part of a save, so it is not cancelled with the task, even if a cancellable read waits for it.
    func settle() {
      guard !isDone else { return }
      let outer = handle.watchesTask
      handle.watchesTask = false
      defer { handle.watchesTask = outer }
      finish()
      note(until: ContinuousClock.now)
    }

    /// Waits until the statement has ended.
    ///
    /// - Throws: The statement's error, on each call.
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
