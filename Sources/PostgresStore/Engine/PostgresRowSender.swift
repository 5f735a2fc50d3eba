#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// Sends the rows of an insertion. If the server cannot insert one of them, the whole transaction fails.
  ///
  /// Few rows are sent as one statement after the last row is written. Many rows are copied (COPY): the server receives
  /// rows while the program writes others. If all values are of Foundation's and Swift's types and unencrypted, and
  /// statements have no time limit, rows are sent as they are written, in long statements. Otherwise the values may
  /// come from code of the model that is slow or reads earlier rows. So that the server does not wait for this code,
  /// rows are copied in parts: each part is a statement of its own, sent when all its rows are written.
  ///
  /// Used only by the owner of the transaction.
  final class PostgresRowSender {
    private let transaction: PostgresTransaction
    private let table: TableMapping
    private let batch: PostgresBatch
    private let notes = OriginalNotes()
    /// The statement that copied the last rows.
    private var part: PostgresCopy?
    /// Whether the rows of ``part`` have a column with originals (the exact values, where columns have stored forms).
    private var partHasOriginals = false
    /// Whether a statement stays open while further rows are written, until it takes no more rows (``PostgresCopy``).
    ///
    /// Determined at the first call of `look()`, because most insertions have few rows. If the time of each statement
    /// is limited, no statement stays open while the program writes rows.
    private lazy var isStreaming =
      transaction.owned?.connection.limitsTime == false && transaction.engine.cipher == nil
      && table.entity.writesOnlyKnownTypes
    /// The error of a part that was not sent.
    private var failure: (any Error)?

    /// The number of rows from which copying is faster, although it needs round trips of its own.
    private static let leastCopied = 1_000
    /// The number of remaining rows from which copying is faster, if earlier rows were copied.
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
      // A change notification lists up to `PostgresNews.limit` rows by key, so that many rows stay in the batch.
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

    /// Copies the rows in the batch if they are the first rows, if rows are sent as they are written, if the batch has
    /// the maximum size of a part, or if it has the minimum size and the server has completed the previous part.
    private func look() throws {
      let size = max(1, batch.byteCount)
      let step = max(1, batch.rowCount * Self.step / size)
      do {
        if isTime(for: size) { try sendRows(isLast: !isStreaming) }
      } catch {
        failure = error
        throw error
      }
      batch.nextLook = batch.rowCount + step
    }

    private func isTime(for size: Int) -> Bool {
      guard let part, !isStreaming, size < Self.partSizes.upperBound else { return true }
      return size >= Self.partSizes.lowerBound && part.hasEnded()
    }

    private func sendRest() throws {
      if let failure = batch.failure { throw failure }
      transaction.noteInsertions(batch, into: table, without: [])
      if part?.takesMore == true || batch.rowCount >= (part == nil ? Self.leastCopied : Self.leastCopiedLast) {
        try sendRows(isLast: true)
      } else if batch.rowCount > 0 {
        try waitForPart()
        try transaction.insertFew(batch, notes, into: table)
      }
      try waitForPart()
    }

    /// Copies the rows in the batch with the open statement. If none is open, first ends the previous part, runs the
    /// queued statements, and opens a statement.
    private func sendRows(isLast: Bool) throws {
      // The error of a value is thrown before the rows are sent, so that the server does not begin to read them.
      if let failure = batch.failure { throw failure }
      var open = part.flatMap { $0.takesMore ? $0 : nil }
      let hasOriginals = try transaction.append(notes, to: batch, of: table, always: open != nil && partHasOriginals)
      if hasOriginals != partHasOriginals { open = nil }
      let name = table.entity.inheritance.map { _ in StoredText.form(of: table.entity.name) }
      try explaining(transaction.usable().connection) {
        let copy = try open ?? beginPart(hasOriginals)
        try copy.send(isLast: isLast) { try batch.copyRows(appending: name, isFirst: open == nil, $0) }
      }
      batch.didSend()
    }

    private func beginPart(_ hasOriginals: Bool) throws -> PostgresCopy {
      try part?.end()
      if transaction.isWaitingToSend { try transaction.run([]) }
      let copy = try transaction.usable().connection.beginCopy(
        transaction.batches.copy(into: table, hasOriginals: hasOriginals))
      (part, partHasOriginals) = (copy, hasOriginals)
      return copy
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
      guard let part, let connection = transaction.owned?.connection else { return failure ?? error }
      var cause = failure ?? error
      do { try explaining(connection) { try part.abort() } } catch { cause = error }
      // Some of the rows have been inserted. The transaction must not be committed.
      if connection.transactionStatus == .inTransaction { try? connection.execute("SELECT 1 / 0") }
      return cause
    }
  }

  extension EntityLayout {
    /// Whether writing a row runs no code of the model: each value has one of Foundation's or Swift's own types.
    fileprivate var writesOnlyKnownTypes: Bool {
      modelType._$isGenerated
        && properties.allSatisfy { property in
          switch property.kind {
          case .attribute:
            property.outOfRowValue == nil && property.composite == nil
              && KnownTypes.isBasic(property.valueType)
          case .toOne, .toMany: true
          case .transformable: false
          }
        }
    }
  }
#endif
