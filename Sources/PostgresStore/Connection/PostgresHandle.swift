#if PostgreSQL
  import CPostgreSQL
  import Foundation
  import PersistenceSupport

  /// A connection of libpq, whose pointer only this file uses. Used only by the owner of the ``PostgresConnection``.
  ///
  /// libpq never blocks here: this class polls the socket with a deadline. ``close()`` or the deinitialiser frees the
  /// pointer, which is nil afterwards.
  final class PostgresHandle {
    // Read for each row, so exclusivity is not checked. No access runs code that accesses the property again.
    @exclusivity(unchecked) private var pointer: OpaquePointer?
    /// The database and its host, for messages.
    private(set) var location = "PostgreSQL"
    var answerTimeout: Duration?
    /// Whether the connection was closed because an answer took too long.
    private(set) var hasTimedOut = false
    /// Whether cancelling the task ends a wait and also cancels the statement on the server.
    @exclusivity(unchecked) var watchesTask = false
    /// Whether the rows of the last statement arrived one by one.
    private var hasRowMode = false
    /// An upper bound of the number of COPY bytes in libpq's buffer that the socket has not accepted yet.
    private var unsentCount = 0
    /// The times of the first and last request to cancel the running statement; nil if there was none.
    private var request: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
    /// Whether the server has not reacted to the cancel requests in time.
    private var isAbandoned = false
    private let cancelRequests = CancelRequests()
    /// Whether a cancel request may still be on its way.
    private var mayBeAsked = false
    /// The cancelled task that ran the last statements, and the time they took; nil if that task was not cancelled.
    var cancelledSearches: (task: Int, time: Duration)?

    /// Connects.
    ///
    /// - Throws: `SwiftDataError.storeUnreachable`, or another error of the server.
    init(
      connecting parameters: [(name: String, value: String)], answerTimeout: Duration?,
      until deadline: ContinuousClock.Instant
    ) throws {
      self.answerTimeout = answerTimeout
      pointer = Self.start(parameters)
      guard let pointer else {
        throw SwiftDataError(.storeFailure, "There is no memory for a connection to PostgreSQL.")
      }
      // Without a receiver, libpq would print the server's notices.
      PQsetNoticeReceiver(pointer, { _, _ in }, nil)
      // In the verbose form, the error message contains the error code. libpq has no other way to read the code here.
      PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
      do {
        try connect(pointer, until: deadline)
      } catch {
        close()
        throw error
      }
      PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
      PQsetnonblocking(pointer, 1)
    }

    deinit { PQfinish(pointer) }

    /// Closes the connection. Uncommitted changes are lost.
    func close() {
      PQfinish(pointer)
      pointer = nil
    }

    /// Starts to connect. libpq copies the names and values before this returns.
    private static func start(_ parameters: [(name: String, value: String)]) -> OpaquePointer? {
      let names = parameters.map { strdup($0.name) }
      let values = parameters.map { strdup($0.value) }
      defer { for text in names + values { free(text) } }
      let keywords = names.map { UnsafePointer($0) } + [nil]
      return PQconnectStartParams(keywords, values.map { UnsafePointer($0) } + [nil], 1)
    }

    private func connect(_ pointer: OpaquePointer, until deadline: ContinuousClock.Instant) throws {
      var status = PGRES_POLLING_WRITING
      while status != PGRES_POLLING_OK {
        guard PQstatus(pointer) != CONNECTION_BAD, status != PGRES_POLLING_FAILED else { throw refusal(pointer) }
        let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
        guard try wait(for: Int16(events), until: deadline) else {
          throw PostgresError(sqlState: nil, message: "connecting took too long").storeError(place(pointer))
        }
        status = PQconnectPoll(pointer)
      }
      location = place(pointer)
    }

    /// The error for a connection that could not be opened.
    private func refusal(_ pointer: OpaquePointer) -> SwiftDataError {
      let (code, message) = Self.codeAndWords(of: String(cString: PQerrorMessage(pointer)))
      let known = code ?? (PQconnectionNeedsPassword(pointer) == 1 ? "28P01" : nil)
      return PostgresError(sqlState: known, message: message).storeError(place(pointer))
    }

    /// Splits a verbose message, which is `FATAL:  28P01: …` and a line with the position in the server's source.
    static func codeAndWords(of message: String) -> (code: String?, words: String) {
      let lines = message.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
      let text = lines.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
      guard let range = text.firstRange(of: #/:  [0-9A-Z]{5}: /#) else { return (nil, text) }
      let code = text[range].dropFirst(3).prefix(5)
      return (String(code), text.replacingCharacters(in: range, with: ": "))
    }

    private func place(_ pointer: OpaquePointer) -> String {
      let parts = [PQdb(pointer), PQhost(pointer)].map { $0.map { String(cString: $0) } ?? "" }
      return parts[1].isEmpty ? "'\(parts[0])'" : "'\(parts[0])' on \(parts[1])"
    }

    // MARK: State

    var isOpen: Bool { pointer.map { PQstatus($0) == CONNECTION_OK } ?? false }

    /// Detects whether the server has closed the idle connection, without waiting.
    func lookForEnd() {
      // The server sends a message before it closes the connection, so several reads may be necessary.
      for _ in 0..<4 {
        guard let pointer, isOpen else { return }
        var descriptor = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 0) > 0, PQconsumeInput(pointer) == 1 else { return }
      }
    }

    var transactionStatus: PostgresConnection.TransactionStatus {
      switch pointer.map({ PQtransactionStatus($0) }) {
      case PQTRANS_IDLE?: .idle
      case PQTRANS_ACTIVE?: .active
      case PQTRANS_INTRANS?: .inTransaction
      case PQTRANS_INERROR?: .failed
      default: .unknown
      }
    }

    /// The server's version as a number: 150018 for 15.18.
    var serverVersion: Int { pointer.map { Int(PQserverVersion($0)) } ?? 0 }

    /// A parameter that the server reports, such as `server_encoding`.
    func setting(_ name: String) -> String? {
      guard let pointer, let value = PQparameterStatus(pointer, name) else { return nil }
      return String(cString: value)
    }

    func makeCanceller() -> PostgresCanceller? {
      pointer.flatMap { PQgetCancel($0) }.map { PostgresCanceller($0) }
    }

    // MARK: Sending

    /// Sends statements without parameters.
    func send(_ sql: String) throws {
      let pointer = try usable()
      (request, hasRowMode) = (nil, false)
      try check(PQsendQuery(pointer, sql), pointer)
    }

    /// Prepares a statement on the server under a name.
    func prepare(_ statement: PostgresStatement, as name: String) throws {
      let pointer = try usable()
      request = nil
      let types = statement.parameters.types.map { Oid($0.rawValue) }
      try check(PQsendPrepare(pointer, name, statement.sql, Int32(truncatingIfNeeded: types.count), types), pointer)
    }

    /// Sends a statement, or the name of a prepared one. Parameters and results are binary; libpq copies the
    /// parameters.
    func send(_ statement: PostgresStatement, keptAs name: String? = nil) throws {
      let pointer = try usable()
      (request, hasRowMode) = (nil, false)
      let count = Int32(truncatingIfNeeded: statement.parameters.count)
      let code = statement.parameters.withBindings { values, lengths, formats in
        if let name {
          // A short string is passed to C without allocating memory.
          return name.withCString { PQsendQueryPrepared(pointer, $0, count, values, lengths, formats, 1) }
        }
        let types = statement.parameters.types.map { Oid($0.rawValue) }
        return PQsendQueryParams(pointer, statement.sql, count, types, values, lengths, formats, 1)
      }
      try check(code, pointer)
    }

    /// Sends data of a COPY to a table.
    ///
    /// - Parameter waits: Whether the method waits until all data is sent. Otherwise it waits only when libpq's buffer
    ///   may have more than ``mostUnsent`` bytes.
    func sendCopy(_ bytes: UnsafeRawBufferPointer, waits: Bool) throws {
      let pointer = try live()
      // The server joins the slices. A slice is smaller than the maximum size of a message.
      var rest = bytes[...]
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.mostUnsent))
        rest = rest.dropFirst(slice.count)
        let start = slice.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(pointer, start, Int32(slice.count)) == 1 else { throw failure(pointer) }
        unsentCount += slice.count
        if waits || unsentCount > Self.mostUnsent {
          try flush(pointer)
          continue
        }
        let result = PQflush(pointer)
        guard result >= 0 else { throw failure(pointer) }
        if result == 0 { unsentCount = 0 }
      }
    }

    /// The number of bytes that may be in libpq's buffer before a sender waits.
    private static let mostUnsent = 1 << 20

    /// Ends the data of a COPY to a table.
    ///
    /// - Parameter reason: The reason for which the server is to reject the data; nil if the data is complete.
    func endCopy(failing reason: String? = nil) throws {
      let pointer = try live()
      guard PQputCopyEnd(pointer, reason) == 1 else { throw failure(pointer) }
      try flush(pointer)
    }

    private func flush(_ pointer: OpaquePointer) throws {
      let deadline = answerTimeout.map { ContinuousClock.now + $0 }
      // Without waiting here, libpq would collect all unsent data in memory.
      while PQflush(pointer) == 1 {
        guard try wait(for: Int16(POLLIN | POLLOUT), until: deadline) else {
          throw PostgresError(sqlState: nil, message: "the server gave no answer in time").storeError(location)
        }
        guard PQconsumeInput(pointer) == 1 else { throw failure(pointer) }
      }
      unsentCount = 0
    }

    /// Makes libpq return rows one by one for the statement that was just sent.
    func beginRows() throws {
      let pointer = try live()
      try check(PQsetSingleRowMode(pointer), pointer)
      hasRowMode = true
    }

    func enterPipeline() throws {
      let pointer = try live()
      // If the last statement returned its rows one by one, the first statement of the pipeline would do so too: libpq
      // only leaves that mode when a statement is sent outside a pipeline. A call with a null statement suffices.
      if hasRowMode { PQsendQuery(pointer, nil) }
      hasRowMode = false
      try check(PQenterPipelineMode(pointer), pointer)
    }

    /// Ends a pipeline whose results have all been read; does nothing on a lost connection.
    func exitPipeline() {
      if let pointer { PQexitPipelineMode(pointer) }
    }

    func synchronize() throws {
      let pointer = try live()
      try check(PQpipelineSync(pointer), pointer)
    }

    /// Makes the server send the results of a pipeline so far, before it runs the next statement.
    func requestAnswers() throws {
      let pointer = try live()
      try check(PQsendFlushRequest(pointer), pointer)
    }

    private func live() throws -> OpaquePointer {
      guard let pointer else {
        throw PostgresError(sqlState: nil, message: "the connection is closed").storeError(location)
      }
      return pointer
    }

    private func check(_ code: Int32, _ pointer: OpaquePointer) throws {
      guard code == 1 else { throw failure(pointer) }
    }

    private func failure(_ pointer: OpaquePointer) -> SwiftDataError {
      let message = String(cString: PQerrorMessage(pointer)).trimmingCharacters(in: .whitespacesAndNewlines)
      return PostgresError(sqlState: nil, message: message).storeError(location)
    }

    // MARK: Receiving

    /// Waits for the next result; nil after the last one of a statement.
    ///
    /// - Throws: If the connection is lost or the answer takes too long. The connection is then closed.
    func nextResult() throws -> PostgresResult? { try nextPointer().map { PostgresResult($0) } }

    /// Reads the next result into an existing object, whose old result is freed. Returns false after the last result.
    func nextResult(inPlaceOf old: PostgresResult) throws -> Bool {
      guard let new = try nextPointer() else { return false }
      old.replace(by: new)
      return true
    }

    private func nextPointer() throws -> OpaquePointer? {
      let pointer = try live()
      // Most rows arrive together with an earlier row, so they are available without reading the socket.
      guard PQisBusy(pointer) == 1 else { return PQgetResult(pointer) }
      // If the server is faster than the reader, the next row is already in the socket, and polling is unnecessary.
      if hasRowMode, PQconsumeInput(pointer) == 1, PQisBusy(pointer) == 0 { return PQgetResult(pointer) }
      try closingWhereItFails { try receive(pointer, until: answerTimeout.map { ContinuousClock.now + $0 }) }
      return PQgetResult(pointer)
    }

    private func closingWhereItFails(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch {
        close()
        throw error
      }
    }

    /// What libpq returns while the server copies data to the client.
    enum CopiedData {
      /// A message. The caller owns its bytes and frees them (`PQfreemem`).
      case bytes(UnsafeMutablePointer<CChar>, count: Int)
      /// The copy has ended. The next result contains the status of the statement.
      case end
      /// No message has arrived yet.
      case notYet
    }

    /// The next message of a copy, without waiting.
    ///
    /// - Throws: If no data can be received. The connection is then closed.
    func copiedData() throws -> CopiedData {
      let pointer = try live()
      var bytes: UnsafeMutablePointer<CChar>?
      var count = PQgetCopyData(pointer, &bytes, 1)
      if count == 0 {
        guard PQconsumeInput(pointer) == 1 else {
          // The next result contains the reason why the connection was lost.
          guard PQstatus(pointer) == CONNECTION_OK else { return .end }
          throw closing(pointer)
        }
        count = PQgetCopyData(pointer, &bytes, 1)
      }
      if let bytes, count > 0 { return .bytes(bytes, count: Int(count)) }
      // The code -2 means that there is no memory.
      guard count > -2 else { throw closing(pointer) }
      return count == 0 ? .notYet : .end
    }

    private func closing(_ pointer: OpaquePointer) -> SwiftDataError {
      defer { close() }
      return failure(pointer)
    }

    /// Waits for the next message of a copy; returns nil after the last one. The caller owns the bytes and frees them.
    ///
    /// - Throws: If no data can be received in time, or the task is cancelled. The connection is then closed.
    func nextCopiedData() throws -> (bytes: UnsafeMutablePointer<CChar>, count: Int)? {
      // The deadline is lazy: most messages have already arrived, so that no wait and no deadline is needed.
      lazy var deadline = answerTimeout.map { ContinuousClock.now + $0 }
      while true {
        switch try copiedData() {
        case .bytes(let bytes, let count): return (bytes, count)
        case .end: return nil
        case .notYet: try closingWhereItFails { try waitForAnswer(Int16(POLLIN), until: deadline) }
        }
      }
    }

    /// Whether the next result is available without waiting.
    var hasResult: Bool {
      guard let pointer else { return false }
      return PQisBusy(pointer) == 0 || (PQconsumeInput(pointer) == 1 && PQisBusy(pointer) == 0)
    }

    private func receive(_ pointer: OpaquePointer, until deadline: ContinuousClock.Instant?) throws {
      // The server may stop reading until the client reads its answers, so this sends and receives alternately.
      var isSending = PQflush(pointer) == 1
      while PQisBusy(pointer) == 1 {
        try waitForAnswer(Int16(isSending ? POLLIN | POLLOUT : POLLIN), until: deadline)
        // If reading fails, libpq creates a result from what it has received, such as why the connection was closed.
        guard PQconsumeInput(pointer) == 1 else { return }
        if isSending { isSending = PQflush(pointer) == 1 }
      }
    }

    private func waitForAnswer(_ events: Int16, until deadline: ContinuousClock.Instant?) throws {
      guard try wait(for: events, until: deadline) else {
        hasTimedOut = true
        throw lateness
      }
    }

    private var lateness: any Error {
      guard !isAbandoned else { return CancellationError() }
      return PostgresError(sqlState: nil, message: "the server gave no answer in time").storeError(location)
    }

    /// Returns true if a statement failed because it was cancelled together with its task.
    func isCancellation(_ error: PostgresError) -> Bool { wasAskedToCancel && error.sqlState == "57014" }

    /// Whether the server was asked to cancel the last statement, which may have ended before the request arrived.
    var wasAskedToCancel: Bool { request != nil }

    // MARK: Notifications

    /// Returns true if a notification of another session has arrived since the last call.
    private func takeNotifications() -> Bool {
      guard let pointer, PQconsumeInput(pointer) == 1 else { return false }
      var isTold = false
      while let notification = PQnotifies(pointer) {
        if notification.pointee.be_pid != PQbackendPID(pointer) { isTold = true }
        PQfreemem(notification)
      }
      return isTold
    }

    /// Waits until a notification arrives, another thread ends the wait through the pipe, or the time is over.
    ///
    /// - Returns: Whether a notification has arrived.
    func waitForNotification(or wake: WakePipe, for time: Duration) throws -> Bool {
      if takeNotifications() { return true }
      let pointer = try live()
      var entries = [
        pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard isOpen else { throw failure(pointer) }
      if time > .zero { poll(&entries, 2, Int32(clamping: time.milliseconds)) }
      wake.drain()
      let isTold = takeNotifications()
      guard isOpen else { throw failure(pointer) }
      return isTold
    }

    // MARK: Waiting

    /// Waits for the socket; returns false after the deadline, or if the server does not react to cancel requests.
    private func wait(for events: Int16, until deadline: ContinuousClock.Instant?) throws -> Bool {
      while true {
        var descriptor = pollfd(fd: PQsocket(pointer), events: events, revents: 0)
        guard descriptor.fd >= 0 else { return true }
        let rest = deadline.map { ContinuousClock.now.duration(to: $0) }
        if let rest, rest <= .zero { return false }
        let slice: Int64 = watchesTask ? 50 : 60_000
        let time = min(slice, rest?.milliseconds ?? slice)
        let count = poll(&descriptor, 1, Int32(truncatingIfNeeded: time))
        if count > 0 || (count < 0 && errno != EINTR) { return true }
        askToCancel()
        if isAbandoned { return false }
      }
    }

    /// How long the server is asked to cancel a statement, before the connection is closed.
    private static let patience: Duration = .seconds(30)
    /// The timeout of a cancel request.
    private static let longestRequest: Duration = .seconds(5)

    /// If the task is cancelled, asks the server to cancel the statement. Both the request and the server's reaction
    /// have a time limit, since no answer arrives after a network failure.
    ///
    /// The request is repeated, because the server ignores it if it has not begun the statement yet.
    private func askToCancel() {
      guard watchesTask, Task.isCancelled else { return }
      let now = ContinuousClock.now
      if let request, request.last.duration(to: now) < .milliseconds(500) { return }
      let first = request?.first ?? now
      request = (first, now)
      let isHeard = !cancelRequests.isUnderWay || first.duration(to: now) < Self.longestRequest
      isAbandoned = !isHeard || first.duration(to: now) >= Self.patience
      if !isAbandoned { cancel() }
    }

    /// Asks the server to cancel the running statement. The caller must still wait for the statement's result.
    func cancel() {
      guard let canceller = makeCanceller() else { return }
      mayBeAsked = true
      cancelRequests.send(canceller)
    }

    /// Returns the pointer for a new statement. A cancel request that is still on its way could cancel that statement,
    /// so this waits until the request has ended. If that takes too long, the connection is closed.
    private func usable() throws -> OpaquePointer {
      if mayBeAsked, !cancelRequests.wait(for: Self.longestRequest) { close() }
      mayBeAsked = false
      return try live()
    }
  }
#endif
