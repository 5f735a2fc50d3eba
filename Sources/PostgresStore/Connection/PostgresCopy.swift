#if PostgreSQL
  import PersistenceSupport

  /// A statement that copies rows into a table. While the program continues, the server processes the rows that it has
  /// received. Used only by the owner of the connection.
  ///
  /// Before another statement runs, the connection ends this copy and waits for its result (``settle()``).
  final class PostgresCopy {
    private let handle: PostgresHandle
    private let sql: String
    private let log: SlowStatementLog?
    private let start = ContinuousClock.now
    /// The last time at which the server was known to be busy with the statement.
    private var lastLook: ContinuousClock.Instant?
    /// Whether the server expects more rows.
    private var isOpen = true
    private var byteCount = 0
    private var isDone = false
    private var failure: (any Error)?

    /// Begins the statement and waits until the server is ready for rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, `COPY … FROM STDIN`.
    ///   - log: Receives the statement after its end, if it was slow.
    /// - Throws: The error of the server.
    init(_ handle: PostgresHandle, sql: String, log: SlowStatementLog?) throws {
      (self.handle, self.sql, self.log) = (handle, sql, log)
      do {
        try handle.send(sql)
        try waitForReadiness()
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

    /// Whether to send more rows in this statement. A statement is kept short: a long one may exceed the server's time
    /// limit, and the server reports an error only at the end.
    var takesMore: Bool { isOpen && byteCount < Self.mostBytes && start.duration(to: .now) < Self.mostTime }

    private static let mostBytes = 4 << 20
    private static let mostTime = Duration.milliseconds(250)

    /// Sends rows.
    ///
    /// - Parameters:
    ///   - isLast: Whether the statement ends with these rows. Otherwise the method need not wait until they are sent.
    ///   - data: Calls a function with the data, in parts.
    /// - Throws: The error of the connection, or of `data`. Both close the connection.
    func send(isLast: Bool, _ data: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
      do {
        // With `isLast`, each part is sent before the next one is produced: producing it may take any time, and the
        // server limits the time of each statement.
        try data {
          byteCount += $0.count
          try handle.sendCopy($0, waits: isLast)
        }
        if isLast { try endRows() }
      } catch {
        throw lose(by: error)
      }
    }

    private func endRows() throws {
      isOpen = false
      try handle.endCopy()
      look()
    }

    /// Closes the connection: otherwise the server would wait for the rest of the data.
    private func lose(by error: any Error) -> any Error {
      (failure, isOpen, isDone) = (error, false, true)
      handle.close()
      note(until: ContinuousClock.now)
      return error
    }

    /// Makes the server reject the rows of an open statement, which aborts the transaction. Waits for its end.
    ///
    /// - Throws: The error of a statement that had already failed, for example because the server rejected a row; or
    ///   the error of a lost connection.
    func abort() throws {
      guard isOpen else { return try end() }
      isOpen = false
      withoutCancellation {
        do { try handle.endCopy(failing: Self.abortion) } catch { _ = lose(by: error) }
      }
      settle()
      let known = ((failure as? SwiftDataError)?.underlyingError as? PostgresError)?.message
      if let failure, known?.contains(Self.abortion) != true { throw failure }
    }

    /// The reason for aborting the statement, which the server repeats in its error message.
    private static let abortion = "a row cannot be written"

    /// Whether the server has ended the statement, as far as is known without waiting.
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
      withoutCancellation {
        if isOpen { do { try endRows() } catch { _ = lose(by: error) } }
        guard !isDone else { return }
        finish()
        note(until: ContinuousClock.now)
      }
    }

    private func withoutCancellation(_ body: () -> Void) {
      let outer = handle.watchesTask
      handle.watchesTask = false
      defer { handle.watchesTask = outer }
      body()
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
      guard let log, let end else { return }
      log.note(start.duration(to: end), store: handle.location) { sql }
    }
  }
#endif
