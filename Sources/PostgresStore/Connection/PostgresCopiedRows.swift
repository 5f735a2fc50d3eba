#if PostgreSQL
  import CPostgreSQL
  import PersistenceSupport

  /// The rows of a statement that the server copies to the client (`COPY (…) TO STDOUT (FORMAT binary)`), read as they
  /// arrive. Used only by the owner of the connection.
  ///
  /// Each row is a message: the number of columns, then the size and the bytes of each value. libpq returns the message
  /// as received. Without COPY, libpq creates and frees a result object for each row, which takes three times as long.
  ///
  /// Unsafe: this object frees the messages, which are libpq's memory, and the array with the addresses of the values.
  /// The row that ``row`` returns is therefore valid only until the next call of ``advance()``. Each size is checked
  /// against the rest of the message.
  final class PostgresCopiedRows {
    private struct Message {
      let bytes: UnsafeMutablePointer<CChar>
      let count: Int
    }

    private let handle: PostgresHandle
    private let columnCount: Int
    private let values: UnsafeMutablePointer<PostgresRow.CopiedValue>
    private var message: Message?
    /// Messages that were received before the reader needed them. The last message in the array is read next.
    private var kept: [Message] = []
    /// The offset of the next row in the current message.
    private var place = 0
    private var hasHeader = false
    /// Whether no further messages will arrive.
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

    /// The current row, after ``advance()`` has returned true.
    var row: PostgresRow { PostgresRow(copied: values, columnCount: columnCount) }

    /// Whether the copy has ended, and no message is left to read.
    var isEmpty: Bool { isDone && kept.isEmpty && message == nil }

    // MARK: Messages

    /// Waits for the first message. If the statement fails before the server sends a row, its error is thrown here.
    func waitForFirst() throws {
      if kept.isEmpty, let first = try receive() { kept = [first] }
    }

    /// Receives all remaining messages and stores them.
    func keepRest() throws {
      var rest: [Message] = []
      defer { kept = rest.reversed() + kept }
      while let next = try receive() { rest.append(next) }
    }

    /// Frees all received messages.
    func forget() {
      for message in kept { PQfreemem(message.bytes) }
      if let message { PQfreemem(message.bytes) }
      (kept, message, place) = ([], nil, 0)
    }

    /// Receives and discards a number of messages, without waiting for the server.
    ///
    /// - Returns: Whether no further messages will arrive.
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

    /// Discards all further messages.
    func skipAll() {
      while let next = try? receive() { PQfreemem(next.bytes) }
    }

    private func receive() throws -> Message? {
      guard !isDone else { return nil }
      // If receiving throws, no further message can be received, so the flag is set first.
      isDone = true
      guard let (bytes, count) = try handle.nextCopiedData() else { return nil }
      isDone = false
      return Message(bytes: bytes, count: count)
    }

    // MARK: Rows

    /// Moves to the next row; returns false after the last one.
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

    /// Skips the header before the first row: a signature of eleven bytes, a word of flags, and the size and bytes of
    /// an extension, which is empty in all server versions so far.
    ///
    /// - Returns: Whether the message contains more after the header.
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

    /// - Returns: False at the end marker after the last row, which has -1 as the number of columns.
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

    /// Closes the connection, because its next bytes cannot be interpreted, unless all messages were already received.
    private func damage() -> SwiftDataError {
      if !isDone { handle.close() }
      isDone = true
      return SwiftDataError(
        .storeFailure, "PostgreSQL has copied rows in a form that is not the one of its version 14 and later.")
    }
  }
#endif
