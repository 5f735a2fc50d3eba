#if PostgreSQL
  import PersistenceSupport

  /// Rows that are copied into a table by one statement. All of them are sent when there is such an object; the server works on them while
  /// the program goes on. Confined to the owner of the connection.
  ///
  /// Another statement may run on the connection: the end of this one is waited for before (``settle()``).
  final class PostgresCopy {
    private let handle: PostgresHandle
    private let sql: String
    private let log: SlowStatementLog?
    private let start: ContinuousClock.Instant?
    /// When the server was known to be busy with it.
    private var lastLook: ContinuousClock.Instant?
    private var isDone = false
    private var failure: (any Error)?

    /// Sends the rows.
    ///
    /// - Parameters:
    ///   - sql: The statement, `COPY … FROM STDIN`.
    ///   - log: Gets the statement when it has ended, if that takes long.
    ///   - data: Calls a function with the data, in parts.
    /// - Throws: The error of the server, or of `data`: then the connection is closed.
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

    /// Before the data the server says that it waits for it.
    private func waitForReadiness() throws {
      let answer = try handle.nextResult()
      guard answer?.status != .copying else { return }
      let failure = answer.map { handle.error(of: $0, sql: sql) }
      while try handle.nextResult() != nil {}
      throw failure ?? PostgresError(sqlState: nil, message: "a table takes no data").storeError(handle.location)
    }

    private func send(_ data: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
      do {
        // Each part goes out before the next one: what the program does after it may take any time, and the server has a limit for each
        // statement.
        try data { try handle.sendCopy($0) }
        try handle.sendCopy(nil)
      } catch {
        // The server waits for the rest.
        handle.close()
        throw error
      }
    }

    /// Whether the server has ended the statement, as far as can be said without waiting for it.
    func hasEnded() -> Bool {
      guard !isDone else { return true }
      guard handle.hasResult else {
        look()
        return false
      }
      finish()
      // When it has ended is not known. It was not before that.
      note(until: lastLook)
      return true
    }

    /// Waits for the end of the statement. What fails is thrown by ``end()``.
    ///
    /// It is not given up when the task is cancelled: it may be waited for by a read that is, and is part of a save, which is not.
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
    /// - Throws: What the server says of it, each time.
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
