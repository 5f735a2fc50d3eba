#if PostgreSQL
  import CPostgreSQL
  import PersistenceSupport

  /// The rows of a statement that copies them to the client (`COPY (…) TO STDOUT (FORMAT binary)`), as they come. Confined to the owner of
  /// the connection.
  ///
  /// A row is a message of the server: the number of its columns, and each value behind the number of its bytes. libpq hands the bytes over
  /// as they came, where a row of a query has a result of its own, which takes three times as long to make and to let go of.
  ///
  /// Unsafe: the bytes are libpq's memory, which this object frees, and the places of values in them are kept in memory of its own. Both are
  /// lent by ``row`` until the next call. Each number of bytes is compared with what is left of the message.
  final class PostgresCopiedRows {
    private struct Message {
      let bytes: UnsafeMutablePointer<CChar>
      let count: Int
    }

    private let handle: PostgresHandle
    private let columnCount: Int
    private let values: UnsafeMutablePointer<PostgresRow.CopiedValue>
    private var message: Message?
    /// Messages that were received before the reader asked for them. The next one is at the end.
    private var kept: [Message] = []
    /// Where the next row begins in the message.
    private var place = 0
    private var hasHeader = false
    /// Whether no more messages come.
    private(set) var isDone = false

    /// - Parameter columnCount: The number of columns.
    init(_ handle: PostgresHandle, columnCount: Int) {
      self.handle = handle
      self.columnCount = columnCount
      values = .allocate(capacity: columnCount)
      values.initialize(repeating: PostgresRow.CopiedValue(), count: columnCount)
    }

    deinit {
      forget()
      values.deallocate()
    }

    /// The row that ``advance()`` has moved to.
    var row: PostgresRow { PostgresRow(copied: values, columnCount: columnCount) }

    /// Whether there were no rows.
    var isEmpty: Bool { isDone && kept.isEmpty && message == nil }

    // MARK: Messages

    /// Waits for the first message, so that a statement that fails before it says so now.
    func waitForFirst() throws {
      if kept.isEmpty, let first = try receive() { kept = [first] }
    }

    /// Reads all messages that are left, and keeps them.
    func keepRest() throws {
      var rest: [Message] = []
      defer { kept = rest.reversed() + kept }
      while let next = try receive() { rest.append(next) }
    }

    /// Frees all rows that are here.
    func forget() {
      for message in kept { PQfreemem(message.bytes) }
      if let message { PQfreemem(message.bytes) }
      (kept, message, place) = ([], nil, 0)
    }

    /// Reads messages away that are here already.
    ///
    /// - Returns: Whether no more come.
    func skip(atMost count: Int) -> Bool {
      for _ in 0..<count where !isDone {
        switch try? handle.copiedData() {
        case .bytes(let bytes, _)?: PQfreemem(bytes)
        case .notYet?: return false
        case .end?, nil: isDone = true
        }
      }
      return isDone
    }

    /// Reads away what comes.
    func skipAll() {
      while let next = try? receive() { PQfreemem(next.bytes) }
    }

    private func receive() throws -> Message? {
      guard !isDone else { return nil }
      // Nothing follows what cannot be received, either.
      isDone = true
      guard let (bytes, count) = try handle.nextCopiedData() else { return nil }
      isDone = false
      return Message(bytes: bytes, count: count)
    }

    // MARK: Rows

    /// Moves to the next row; false after the last one, when the copy has ended.
    func advance() throws -> Bool {
      while true {
        if let message, place < message.count {
          if try readHeader(of: message), try readRow(of: message) { return true }
          continue
        }
        guard let next = try kept.popLast() ?? receive() else { return false }
        if let message { PQfreemem(message.bytes) }
        (message, place) = (next, 0)
      }
    }

    /// What comes before the first row: eleven bytes that say what this is, a word of flags, and an extension behind the number of its
    /// bytes, which has none so far.
    ///
    /// - Returns: Whether there is more in the message.
    private func readHeader(of message: Message) throws -> Bool {
      guard !hasHeader else { return true }
      hasHeader = true
      let fixedCount = 19
      guard message.count >= fixedCount else { throw damage() }
      let extensionCount = Int(number(in: message, at: fixedCount - 4, Int32.self))
      guard 0...message.count - fixedCount ~= extensionCount else { throw damage() }
      place = fixedCount + extensionCount
      return place < message.count
    }

    /// - Returns: False behind the last row, where the number of columns is -1. No row follows, and then the server says so, too.
    private func readRow(of message: Message) throws -> Bool {
      guard place + 2 <= message.count else { throw damage() }
      let count = Int(number(in: message, at: place, Int16.self))
      place += 2
      guard count >= 0 else {
        place = message.count
        return false
      }
      guard count == columnCount else { throw damage() }
      for column in 0..<columnCount {
        guard place + 4 <= message.count else { throw damage() }
        let count = Int(number(in: message, at: place, Int32.self))
        place += 4
        guard count <= message.count - place else { throw damage() }
        values[column] = PostgresRow.CopiedValue(start: UnsafeRawPointer(message.bytes + place), count: count)
        if count > 0 { place += count }
      }
      return true
    }

    @inline(__always)
    private func number<Number: FixedWidthInteger & BitwiseCopyable>(
      in message: Message, at place: Int, _ type: Number.Type
    ) -> Number {
      Number(bigEndian: UnsafeRawPointer(message.bytes).loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    /// What comes behind is not known, so the connection is closed, unless it is another reader's by now.
    private func damage() -> SwiftDataError {
      if !isDone { handle.close() }
      isDone = true
      return SwiftDataError(
        .storeFailure, "PostgreSQL has copied rows in a form that is not the one of its version 14 and later.")
    }
  }
#endif
