#if PostgreSQL
  import Foundation
  import PersistenceSupport
  import Waiting

  /// A proxy in front of a PostgreSQL server. It forwards the messages of the protocol, and can cut, delay or drop
  /// them. Thread-safe.
  package final class TestProxy: Sendable {
    /// A fault that the proxy causes once.
    package struct Fault: Sendable, Hashable, CustomStringConvertible {
      package enum Kind: String, CaseIterable, Sendable {
        /// Closes the connection before the message is forwarded.
        case cut
        /// Closes the connection after a part of the message is forwarded.
        case tear
        /// Stops forwarding on all connections, in both directions, and closes no connection. If a time is set, the
        /// proxy closes all connections after it, as an operating system does after a network timeout. Connections that
        /// begin later work.
        case silence
        /// Delays the message and all messages after it.
        case delay
      }

      package let kind: Kind
      /// True if the program sends the message; false if the server sends it.
      package let isRequest: Bool
      /// The index of the message at which the fault happens, counted from 0.
      package let number: Int
      package let milliseconds: UInt32

      package init(_ kind: Kind, isRequest: Bool, at number: Int, milliseconds: UInt32 = 0) {
        (self.kind, self.isRequest, self.number, self.milliseconds) = (kind, isRequest, number, milliseconds)
      }

      package static func cutRequest(_ number: Int) -> Fault { Fault(.cut, isRequest: true, at: number) }
      package static func cutAnswer(_ number: Int) -> Fault { Fault(.cut, isRequest: false, at: number) }
      package static func silence(_ number: Int) -> Fault { Fault(.silence, isRequest: true, at: number) }
      package static func delayAnswer(_ number: Int, milliseconds: UInt32) -> Fault {
        Fault(.delay, isRequest: false, at: number, milliseconds: milliseconds)
      }

      package var description: String { "\(kind) of \(isRequest ? "request" : "answer") \(number)" }
    }

    private struct State {
      var fault: Fault?
      var requests = 0
      var answers = 0
      var isSilent = false
      var descriptors: Set<Int32> = []
      var isStopped = false
      var refusesConnections = false
      var fallsSilentWithCut = false
      var replacement: (old: [UInt8], new: [UInt8])?
      /// A text. The response to the first request that contains it is dropped.
      var watched: [UInt8]?
      /// A text. Requests that contain it are not forwarded to the server.
      var swallowed: [UInt8]?
      var swallowedCount = 0
    }

    /// The folder of the proxy's socket. Programs use it as the host of their connection.
    package let folder: String
    private let server: String
    private let listener: Int32
    private let state = Lock(State())

    /// - Parameter server: The path of the server's socket.
    package init(to server: String) throws {
      self.server = server
      folder = "/tmp/osd-proxy-" + UUID().uuidString.prefix(8)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      listener = socket(AF_UNIX, TestNetwork.streamType, 0)
      let isBound = Self.withAddress(folder + "/.s.PGSQL.5432") {
        bind(listener, $0, $1) == 0 && listen(listener, 64) == 0
      }
      guard isBound else { throw NetworkFailure(code: errno) }
      Thread.detachNewThread { [self] in accept() }
    }

    package var url: String { "postgresql://osd@/postgres?host=\(folder)" }

    /// Sets the next fault. The proxy counts messages from this call on.
    package func arm(_ fault: Fault?) {
      state.withLock { ($0.fault, $0.requests, $0.answers, $0.isSilent) = (fault, 0, 0, false) }
    }

    /// True as long as the fault has not happened.
    package var isArmed: Bool { state.withLock { $0.fault != nil } }

    /// True if no connection forwards messages.
    package var isSilent: Bool { state.withLock { $0.isSilent } }

    /// The numbers of requests and of server messages since the last ``arm(_:)``.
    package var counts: (requests: Int, answers: Int) { state.withLock { ($0.requests, $0.answers) } }

    /// Replaces a text in the server's messages by another text of the same length.
    package func replace(_ old: String, with new: String) {
      state.withLock { $0.replacement = (Array(old.utf8), Array(new.utf8)) }
    }

    /// Closes the connection after the server has answered a request that contains the text, and before the answer
    /// reaches the program.
    package func cutsAnswer(after text: String) { state.withLock { $0.watched = Array(text.utf8) } }

    /// True as long as no request with the text of ``cutsAnswer(after:)`` has arrived.
    package var isWatching: Bool { state.withLock { $0.watched != nil } }

    /// Returns true if the message is the request whose answer is to be dropped.
    private func isWatched(_ message: [UInt8]) -> Bool {
      state.withLock { state in
        guard let text = state.watched, message.firstRange(of: text) != nil else { return false }
        state.watched = nil
        return true
      }
    }

    /// From this call on, drops all requests that contain the text. Neither the program nor the server gets an error.
    package func swallowsRequests(with text: String) { state.withLock { $0.swallowed = Array(text.utf8) } }

    /// The number of requests that were dropped because of ``swallowsRequests(with:)``.
    package var swallowedCount: Int { state.withLock { $0.swallowedCount } }

    private func isSwallowed(_ message: [UInt8]) -> Bool {
      state.withLock { state in
        guard let text = state.swallowed, message.firstRange(of: text) != nil else { return false }
        state.swallowedCount += 1
        return true
      }
    }

    private func replaced(_ message: [UInt8]) -> [UInt8] {
      guard let (old, new) = state.withLock({ $0.replacement }), let range = message.firstRange(of: old) else {
        return message
      }
      return message[..<range.lowerBound] + new + message[range.upperBound...]
    }

    /// True if the proxy closes new connections at once. In addition, the next fault that cuts one connection then cuts
    /// all connections.
    package var refusesConnections: Bool {
      get { state.withLock { $0.refusesConnections } }
      set { state.withLock { $0.refusesConnections = newValue } }
    }

    /// True if the next fault that cuts one connection silences all other connections until the next ``arm(_:)``.
    package var fallsSilentWithCut: Bool {
      get { state.withLock { $0.fallsSilentWithCut } }
      set { state.withLock { $0.fallsSilentWithCut = newValue } }
    }

    /// Cuts all connections. The lock is held meanwhile, because a descriptor that another thread closes may be reused
    /// for a socket of another proxy.
    package func cutAll() {
      state.withLock { state in
        for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
      }
    }

    package func stop() {
      state.withLock { state in
        // A second call does nothing: the listener is closed by then, and its descriptor may belong to another socket.
        guard !state.isStopped else { return }
        state.isStopped = true
        // The lock is held, so that the listener is shut down before the accepting thread reads the flag and closes it.
        shutdown(listener, Int32(SHUT_RDWR))
      }
      cutAll()
      try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Connections

    private static func withAddress<Value>(
      _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { bytes in
        bytes.copyBytes(from: Array(path.utf8.prefix(bytes.count - 1)))
      }
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
    }

    private func accept() {
      while !state.withLock({ $0.isStopped }) {
        let client = Foundation.accept(listener, nil, nil)
        guard client >= 0 else {
          // A client closed its connection before it was accepted, or all descriptors are in use for a moment. The loop
          // continues until the proxy is stopped, because the listener is open until then.
          letTimePass(.milliseconds(1))
          continue
        }
        guard !refusesConnections else {
          close(client)
          continue
        }
        let target = socket(AF_UNIX, TestNetwork.streamType, 0)
        guard Self.withAddress(server, { connect(target, $0, $1) }) == 0 else {
          close(client)
          close(target)
          continue
        }
        state.withLock { $0.descriptors.formUnion([client, target]) }
        let pair = Pair(client: client, server: target)
        Thread.detachNewThread { [self] in forward(pair, isRequest: true) }
        Thread.detachNewThread { [self] in forward(pair, isRequest: false) }
      }
      state.withLock { state in
        state.isStopped = true
        close(listener)
      }
    }

    /// The sockets to the program and to the server of one connection.
    private final class Pair: Sendable {
      let client: Int32
      let server: Int32
      private let rest = Lock(2)
      private let loss = Lock(false)

      init(client: Int32, server: Int32) {
        (self.client, self.server) = (client, server)
      }

      /// True if the next answer of the server is dropped.
      var losesAnswers: Bool {
        get { loss.withLock { $0 } }
        set { loss.withLock { $0 = newValue } }
      }

      func cut() {
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
      }

      /// Records that one direction of the connection has ended. Returns true if both have ended.
      func end() -> Bool {
        rest.withLock { rest in
          rest -= 1
          return rest == 0
        }
      }
    }

    private func forward(_ pair: Pair, isRequest: Bool) {
      let (source, target) = isRequest ? (pair.client, pair.server) : (pair.server, pair.client)
      var messages = Messages(startsUntyped: isRequest)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      reading: while true {
        let count = read(source, &buffer, buffer.count)
        guard count > 0 else { break }
        messages.append(buffer[..<count])
        while let message = messages.next() {
          if isRequest, isSwallowed(message) { continue }
          if isRequest, isWatched(message) { pair.losesAnswers = true }
          if !isRequest, pair.losesAnswers { break reading }
          switch verdict(isRequest: isRequest) {
          case .pass: guard send(isRequest ? message : replaced(message), to: target) else { break reading }
          case .tear:
            _ = send(Array(message.prefix(message.count / 2)), to: target)
            break reading
          case .cut: break reading
          case .swallow: break
          }
        }
      }
      pair.cut()
      guard pair.end() else { return }
      state.withLock { state in
        state.descriptors.subtract([pair.client, pair.server])
        close(pair.client)
        close(pair.server)
      }
    }

    private enum Verdict {
      case pass, cut, tear, swallow
    }

    private func verdict(isRequest: Bool) -> Verdict {
      let (verdict, delay) = state.withLock { state -> (Verdict, UInt32) in
        if state.isSilent { return (.swallow, 0) }
        let number = isRequest ? state.requests : state.answers
        if isRequest { state.requests += 1 } else { state.answers += 1 }
        guard let fault = state.fault, fault.isRequest == isRequest, fault.number == number else { return (.pass, 0) }
        state.fault = nil
        switch fault.kind {
        case .cut:
          state.isSilent = state.fallsSilentWithCut
          return (.cut, 0)
        case .tear: return (.tear, 0)
        case .delay: return (.pass, fault.milliseconds)
        case .silence:
          state.isSilent = true
          if fault.milliseconds > 0 { endSilence(after: fault.milliseconds) }
          return (.swallow, 0)
        }
      }
      // Simulates a slow network.
      letTimePass(.milliseconds(delay))
      if verdict == .cut, refusesConnections { cutAll() }
      return verdict
    }

    private func endSilence(after milliseconds: UInt32) {
      Thread.detachNewThread { [self] in
        // Simulates the timeout after which an operating system closes a silent connection.
        letTimePass(.milliseconds(milliseconds))
        let wasSilent = state.withLock { state in
          defer { state.isSilent = false }
          return state.isSilent
        }
        if wasSilent { cutAll() }
      }
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
      var start = 0
      while start < bytes.count {
        let count = bytes[start...].withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        start += count
      }
      return true
    }
  }

  /// Splits a byte stream of PostgreSQL's protocol into messages.
  private struct Messages {
    private var bytes: [UInt8] = []
    /// True if the next message has no type byte, as the first message that a program sends.
    private var isUntyped: Bool

    init(startsUntyped: Bool) {
      isUntyped = startsUntyped
    }

    mutating func append(_ new: ArraySlice<UInt8>) { bytes += new }

    /// Removes and returns the next complete message; nil if the bytes so far contain none.
    mutating func next() -> [UInt8]? {
      let head = isUntyped ? 0 : 1
      guard bytes.count >= head + 4 else { return nil }
      let length = bytes[head..<head + 4].reduce(0) { $0 << 8 | Int($1) } + head
      guard bytes.count >= length else { return nil }
      defer { bytes.removeFirst(length) }
      isUntyped = false
      return Array(bytes[..<length])
    }
  }
#endif
