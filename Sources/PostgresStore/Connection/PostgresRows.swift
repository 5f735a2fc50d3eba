#if PostgreSQL
  import PersistenceSupport

  /// The rows of one statement, read as they arrive. Used only by the owner of the connection.
  ///
  /// If another statement is run on the connection, the rest of the rows is first stored in memory (``keepRest()``).
  package final class PostgresRows {
    private let connection: PostgresConnection
    private let handle: PostgresHandle
    private let sql: String
    /// Whether the statement may be cancelled. In a transaction, cancelling would undo earlier statements too.
    private let mayCancel: Bool
    /// Whether to cancel the statement on the server when the task is cancelled.
    private let watchesTask: Bool
    /// Whether the server sends the rows by `COPY`. If so, an empty result with the column types precedes the rows.
    private let areCopied: Bool
    @exclusivity(unchecked) private var copied: PostgresCopiedRows?
    @exclusivity(unchecked) private var copiedTypes: [PostgresType?] = []
    /// The time at which the statement was sent; nil if its duration is not measured.
    private let start: ContinuousClock.Instant?
    /// Whether the server has sent everything. Rows that were received may still be unread.
    @exclusivity(unchecked) private(set) var isDone = false
    /// The first result, if it was received before the reader needed it.
    @exclusivity(unchecked) private var first: PostgresResult?
    /// The unread rows, if they were stored so that the connection could run another statement.
    @exclusivity(unchecked) private var rest: PostgresResult?
    /// The error that the reader gets after the received rows.
    @exclusivity(unchecked) private var failure: (any Error)?
    /// The result that was returned last.
    @exclusivity(unchecked) private var current: PostgresResult?

    init(
      _ connection: PostgresConnection, _ handle: PostgresHandle, sql: String, areCopied: Bool, mayCancel: Bool,
      watchesTask: Bool, start: ContinuousClock.Instant?
    ) {
      self.connection = connection
      self.areCopied = areCopied
      self.start = start
      self.handle = handle
      self.sql = sql
      self.mayCancel = mayCancel
      self.watchesTask = watchesTask
    }

    /// Creates the rows of a result that was received as a whole.
    convenience init(_ connection: PostgresConnection, _ handle: PostgresHandle, received result: PostgresResult) {
      self.init(
        connection, handle, sql: "", areCopied: false, mayCancel: false, watchesTask: false, start: nil)
      isDone = true
      rest = result.rowCount > 0 ? result : nil
    }

    // Without this, the next statement on the connection would receive the unread rows of this one.
    deinit { close() }

    /// Returns a result that begins with the next row. It is valid until the next call. Nil after the last row.
    ///
    /// - Throws: The server's error for the statement, possibly after some of its rows.
    package func next() throws -> PostgresResult? {
      if !isDone, first == nil {
        current = try receive(inPlaceOf: current)
        return current
      }
      current = first ?? rest
      if first != nil { first = nil } else { rest = nil }
      if current == nil { try throwFailure() }
      return current
    }

    private func throwFailure() throws {
      guard let failure else { return }
      self.failure = nil
      throw failure
    }

    /// Returns the next row or rows for a reader; nil after the last one. They are valid until the next call.
    ///
    /// - Throws: The errors of ``next()``.
    package func nextRows() throws -> PostgresRow? {
      guard areCopied else { return try next()?.rows }
      if copied == nil { try waitForFirst() }
      if let copied, try advance(copied) { return copied.row }
      try throwFailure()
      return nil
    }

    /// The column types of the rows that were returned last, with nil for a type that stores do not use.
    var columnTypes: [PostgresType?] { areCopied ? copiedTypes : current?.columnTypes ?? [] }

    /// Waits for the first row, or for the end of a statement without rows. Throws if the statement fails earlier.
    package func waitForFirst() throws {
      guard !isDone, first == nil, current == nil, copied == nil else { return }
      guard areCopied else {
        first = try receive(inPlaceOf: nil)
        return
      }
      try beginCopy()
      guard let copied else { return }
      try endingWhereItFails { try watching { try copied.waitForFirst() } }
      if copied.isEmpty { try endCopy() }
    }

    // MARK: Copies

    /// Receives the column types, and waits until the server is ready to send the rows.
    private func beginCopy() throws {
      guard copied == nil, let types = try nextOfCopy() else { return }
      copiedTypes = types.columnTypes
      guard let start = try nextOfCopy() else { return }
      guard start.status == .copyingOut else { return try finish() }
      copied = PostgresCopiedRows(handle, columnCount: copiedTypes.count)
    }

    private func advance(_ copied: PostgresCopiedRows) throws -> Bool {
      // Stored rows are read without the connection, which another thread may already use.
      guard !isDone else { return try copied.advance() }
      let isThere = try endingWhereItFails { try watching { try copied.advance() } }
      if !isThere { try endCopy() }
      return isThere
    }

    private func keepCopies() throws {
      try beginCopy()
      try watching { try copied?.keepRest() }
      try endCopy()
    }

    private func closeCopy() {
      if copied == nil {
        if mayCancel, !handle.hasResult { handle.cancel() }
        try? beginCopy()
      }
      if let copied, !copied.skip(atMost: 1_000) {
        if mayCancel { handle.cancel() }
        copied.skipAll()
      }
      try? finish()
    }

    /// Receives the result of the statement, which follows its rows.
    private func endCopy() throws {
      guard let result = try nextOfCopy() else { return }
      let isEnd = result.status != .copyingOut
      try finish()
      guard isEnd else {
        throw PostgresError(sqlState: nil, message: "a copy of rows has no end").storeError(handle.location)
      }
    }

    private func nextOfCopy() throws -> PostgresResult? {
      guard !isDone else { return nil }
      let result = try endingWhereItFails { try nextResult(inPlaceOf: nil) }
      guard let result else {
        try finish()
        return nil
      }
      if result.status == .failed { throw failure(of: result) }
      return result
    }

    // MARK: Results

    /// Receives and stores the remaining rows, so that the connection is free. If the statement fails, its error
    /// is thrown only after the reader has read these rows.
    package func keepRest() {
      guard !isDone else { return }
      do {
        guard !areCopied else { return try keepCopies() }
        var scratch: PostgresResult?
        while let row = try receive(inPlaceOf: scratch) {
          // If all rows are in one result, that result is stored.
          guard !isDone else {
            rest = row
            return
          }
          scratch = row
          if rest == nil { rest = row.emptyCopy() }
          guard rest?.append(rowOf: row) == true else {
            throw SwiftDataError(.storeFailure, "There is no memory for the rows of a statement.")
          }
        }
      } catch {
        failure = error
        try? finish()
      }
    }

    /// Receives the next row or rows.
    ///
    /// - Parameter old: The result that was returned last. Its object is reused for the new result.
    private func receive(inPlaceOf old: PostgresResult?) throws -> PostgresResult? {
      guard let result = try endingWhereItFails({ try nextResult(inPlaceOf: old) }) else {
        try finish()
        return nil
      }
      switch result.status {
      case .oneRow: return result
      case .failed: throw failure(of: result)
      default:
        try finish()
        return result.rowCount > 0 ? result : nil
      }
    }

    private func failure(of result: PostgresResult) -> any Error {
      let (error, cause) = (handle.error(of: result, sql: sql), result.error(sql: nil))
      try? finish()
      connection.didFail(cause)
      return error
    }

    private func nextResult(inPlaceOf old: PostgresResult?) throws -> PostgresResult? {
      try watching {
        guard let old else { return try handle.nextResult() }
        return try handle.nextResult(inPlaceOf: old) ? old : nil
      }
    }

    private func watching<Value>(_ body: () throws -> Value) rethrows -> Value {
      let outer = handle.watchesTask
      handle.watchesTask = watchesTask || outer
      defer { handle.watchesTask = outer }
      return try body()
    }

    /// If the body throws, there are no more rows: the connection is lost or closed, or the server broke the protocol.
    private func endingWhereItFails<Value>(_ body: () throws -> Value) throws -> Value {
      do {
        return try body()
      } catch {
        end()
        throw error
      }
    }

    /// Discards the unread rows.
    package func close() {
      (first, rest, failure) = (nil, nil, nil)
      copied?.forget()
      guard !isDone else { return }
      guard !areCopied else { return closeCopy() }
      // A small result has usually arrived completely. Reading it is faster: cancelling needs another connection.
      var patience = 1_000
      while !isDone, patience > 0, handle.hasResult {
        _ = try? receive(inPlaceOf: current)
        patience -= 1
      }
      guard !isDone else { return }
      // After a cancel request the server stops sooner. The rows that it has already sent are read and discarded.
      if mayCancel { handle.cancel() }
      try? finish()
    }

    private func finish() throws {
      guard !isDone else { return }
      end()
      // Errors are ignored: either cancelling the statement caused them, or the next statement also fails with them.
      while let result = try? handle.nextResult() {
        // On an open connection, libpq would return this status again and again.
        if result.status == .copyingOut { handle.close() }
      }
      if let start { try connection.didEnd(sql, since: start, watchesTask: watchesTask) }
    }

    private func end() {
      isDone = true
      connection.forget(self)
    }
  }
#endif
