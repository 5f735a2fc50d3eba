#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// The rows of an insertion of which the server refuses none, on their way there.
  ///
  /// Few wait for the last one, and are one statement. Many are copied into their table in parts, each one while the next is written, so that
  /// server and program work at once. Each part is a statement of its own, which has all of its rows from the start: the server never waits
  /// for code that makes a value. Such code may take any time, and read in the same transaction, which has the rows before then.
  ///
  /// Confined to the owner of the transaction, up to the end of the insertion.
  final class PostgresRowSender {
    private let transaction: PostgresTransaction
    private let table: TableMapping
    private let batch: PostgresBatch
    private let notes = OriginalNotes()
    /// The rows that were copied last.
    private var part: PostgresCopy?
    /// Why a part was not sent.
    private var failure: (any Error)?

    /// From so many rows on copying them is worth the round trips that it takes, outside of a pipeline.
    private static let leastCopied = 1_000
    /// The same for rows behind others that were copied.
    private static let leastCopiedLast = 250
    /// How many bytes are written until the next look whether the server is ready for a part.
    private static let step = 32_768
    /// The bytes of the smallest part, since each one takes a round trip, and of the greatest one, since memory holds it.
    private static let partSizes = 131_072...1_048_576

    init(_ batch: PostgresBatch, into table: TableMapping, of transaction: PostgresTransaction) {
      (self.batch, self.table, self.transaction) = (batch, table, transaction)
    }

    /// Inserts the rows that a closure writes.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: What the closure throws, or the error of the server, where that is the reason. If some rows were sent before, the
    ///   transaction cannot be committed then.
    func send(_ body: (EngineStatement) throws -> Void) throws -> Bool {
      // Fewer rows may be told to other processes one by one, and would have to be kept for that.
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

    /// Sends the rows that are there, if the server has done with those before them, or if there are too many.
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

    /// Copies the rows that are there, after those of the part before and what waits to be sent.
    private func sendPart() throws {
      // The server cannot be told later that there are no rows.
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

    /// Why an insertion ends: what became of rows that were sent is known before anything else fails because of it.
    private func reason(for error: any Error) -> any Error {
      guard part != nil else { return failure ?? error }
      do {
        try waitForPart()
      } catch {
        return error
      }
      // Some of the rows are there. Nobody is to commit them.
      if let connection = transaction.owned?.connection, connection.transactionStatus == .inTransaction {
        try? connection.execute("SELECT 1 / 0")
      }
      return failure ?? error
    }
  }
#endif
