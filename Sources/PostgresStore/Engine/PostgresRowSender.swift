#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Sends the rows of an insertion. If the server cannot insert one of them, the whole transaction fails.
  ///
  /// A few rows are sent in one statement, after the last one is written. Many rows are copied in parts: the program
  /// writes a part while the server inserts the previous one. Each part is a statement of its own, sent when its rows
  /// are complete, so the server never waits for code that computes a value. Such code may be slow, and may read
  /// earlier rows.
  ///
  /// Used only by the owner of the transaction.
  final class PostgresRowSender {
    private let transaction: PostgresTransaction
    private let table: TableMapping
    private let batch: PostgresBatch
    private let notes = OriginalNotes()
    /// The part that was copied last.
    private var part: PostgresCopy?
    /// The error of a part that could not be sent.
    private var failure: (any Error)?

    /// The number of rows from which copying is faster, although it needs round trips of its own.
    private static let leastCopied = 1_000
    /// The same for the last rows, if earlier rows were copied.
    private static let leastCopiedLast = 250
    /// The number of bytes to write before the sender checks again whether the server is ready for a part.
    private static let step = 32_768
    /// The minimum and maximum size of a part in bytes: each part takes a round trip, and memory until it is sent.
    private static let partSizes = 131_072...1_048_576

    init(_ batch: PostgresBatch, into table: TableMapping, of transaction: PostgresTransaction) {
      (self.batch, self.table, self.transaction) = (batch, table, transaction)
    }

    /// Inserts the rows that a closure writes.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: The error of the closure, or the error of the server if it came first. If some rows were already sent,
    ///   the transaction can no longer be committed.
    func send(_ body: (EngineStatement) throws -> Void) throws -> Bool {
      // Up to `PostgresNews.limit` rows are kept in memory, since a change notification lists that many by key.
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

    /// Copies the current rows if the server has inserted the previous part, or if the rows need too much memory.
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

    /// Copies the current rows, after the server has inserted the previous part and run the queued statements.
    private func sendPart() throws {
      // The error of a value is thrown before the copy begins: only closing the connection could end a running copy.
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

    /// The error of a failed insertion: the server's, if it has rejected rows that were sent, otherwise `error`.
    private func reason(for error: any Error) -> any Error {
      guard part != nil else { return failure ?? error }
      do {
        try waitForPart()
      } catch {
        return error
      }
      // Some of the rows are inserted, so an SQL error makes sure that the transaction cannot be committed.
      if let connection = transaction.owned?.connection, connection.transactionStatus == .inTransaction {
        try? connection.execute("SELECT 1 / 0")
      }
      return failure ?? error
    }
  }
#endif
