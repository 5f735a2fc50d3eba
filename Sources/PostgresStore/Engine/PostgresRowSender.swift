#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Sends the rows of an insertion that skips no row: if the server cannot insert a row, the transaction fails.
  ///
  /// Few rows are one statement, sent after the last row is written. Many rows are copied in parts. The server takes
  /// a part while the program writes the next one. Each part is a statement of its own, sent when all its rows are
  /// written: the server never waits for code that makes a value. Such code may be slow, and may read earlier rows.
  ///
  /// Confined to the owner of the transaction, up to the end of the insertion.
  final class PostgresRowSender {
    private let transaction: PostgresTransaction
    private let table: TableMapping
    private let batch: PostgresBatch
    private let notes = OriginalNotes()
    /// The part that was copied last.
    private var part: PostgresCopy?
    /// The error of a part that was not sent.
    private var failure: (any Error)?

    /// The number of rows from which copying is worth the extra round trips outside a pipeline.
    private static let leastCopied = 1_000
    /// The same number for the last rows, after earlier rows were copied.
    private static let leastCopiedLast = 250
    /// The number of bytes to write before checking again whether the server is ready for a part.
    private static let step = 32_768
    /// The smallest part in bytes, since each takes a round trip, and the largest one, since it is kept in memory.
    private static let partSizes = 131_072...1_048_576

    init(_ batch: PostgresBatch, into table: TableMapping, of transaction: PostgresTransaction) {
      (self.batch, self.table, self.transaction) = (batch, table, transaction)
    }

    /// Inserts the rows that a closure writes.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: The closure's error, or the server's error if that is the cause. If some rows were sent before, the
    ///   transaction can no longer be committed.
    func send(_ body: (EngineStatement) throws -> Void) throws -> Bool {
      // Change notifications list up to `PostgresNews.limit` rows individually, so that many rows must be kept.
      batch.nextLook = max(Self.leastCopied, PostgresNews.limit) + 1
      batch.look = { [self] in try look() }
      defer { batch.look = nil }
      do {
        try body(batch.statement(originals: notes) { _ in nil })
        let hasRows = batch.sentCount + batch.rowCount > 0
        if hasRows { try sendRest() }
        return hasRows
      } catch {
        throw reason(for: error)
      }
    }

    /// Sends the current rows if the server has completed the previous part, or if there are too many.
    private func look() throws {
      let size = max(1, batch.byteCount)
      let step = max(1, batch.rowCount * Self.step / size)
      do {
        if isTime(for: size) { try sendPart() }
      } catch {
        failure = error
        throw error
      }
      batch.nextLook = batch.rowCount + step
    }

    private func isTime(for size: Int) -> Bool {
      guard let part, size < Self.partSizes.upperBound else { return true }
      return size >= Self.partSizes.lowerBound && part.hasEnded()
    }

    private func sendRest() throws {
      if let failure = batch.failure { throw failure }
      transaction.noteInsertions(batch, into: table, without: [])
      if batch.rowCount >= (part == nil ? Self.leastCopied : Self.leastCopiedLast) {
        try sendPart()
      } else if batch.rowCount > 0 {
        try waitForPart()
        try transaction.insertFew(batch, notes, into: table)
      }
      try waitForPart()
    }

    /// Copies the current rows, after the previous part and the queued statements.
    private func sendPart() throws {
      // The error is thrown before the copy begins: a running copy cannot report it to the server.
      if let failure = batch.failure { throw failure }
      try waitForPart()
      let hasOriginals = try transaction.append(notes, to: batch, of: table)
      if transaction.isWaitingToSend { try transaction.run([]) }
      let connection = try transaction.usable().connection
      let name = table.entity.inheritance.map { _ in StoredText.form(of: table.entity.name) }
      part = try explaining(connection) {
        try connection.copy(transaction.batches.copy(into: table, hasOriginals: hasOriginals)) {
          try batch.copyRows(appending: name, $0)
        }
      }
      batch.didSend()
    }

    private func waitForPart() throws {
      guard let part, let connection = transaction.owned?.connection else { return }
      try explaining(connection) { try part.end() }
    }

    private func explaining<Value>(_ connection: PostgresConnection, _ body: () throws -> Value) throws -> Value {
      do {
        return try body()
      } catch {
        guard connection.isOpen else { throw transaction.lost(by: error) }
        let known = transaction.engine.explained(error)
        throw transaction.isWaiting ? transaction.engine.asRace(known) : known
      }
    }

    /// The error to throw for an insertion: the server's error for rows already sent takes precedence over `error`.
    private func reason(for error: any Error) -> any Error {
      guard part != nil else { return failure ?? error }
      do {
        try waitForPart()
      } catch {
        return error
      }
      // Some of the rows have been inserted. The transaction must not be committed.
      if let connection = transaction.owned?.connection, connection.transactionStatus == .inTransaction {
        try? connection.execute("SELECT 1 / 0")
      }
      return failure ?? error
    }
  }
#endif
