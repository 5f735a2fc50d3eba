#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceSupport

  /// Resolves host names with a timeout, which libpq does not have. Thread-safe.
  ///
  /// The system's look-up cannot be cancelled, so it has its own thread. Concurrent calls for a name share one look-up.
  package final class NameLookup: Sendable, Hashable {
    /// The system's look-up.
    package static let system = NameLookup(resolve: addresses)

    /// A running or finished look-up.
    private final class Search: Sendable {
      let result = Lock<Result<[String], any Error>?>(nil)
      /// Signalled when the look-up has ended. Each thread that wakes up signals it again for the next waiting thread.
      let isDone = DispatchSemaphore(value: 0)
    }

    private let searches = Lock<[String: Search]>([:])
    private let resolve: @Sendable (String) throws -> [String]

    /// - Parameter resolve: Returns the numeric addresses of a host. The call may take any time.
    package init(resolve: @escaping @Sendable (String) throws -> [String]) {
      self.resolve = resolve
    }

    /// Returns the numeric addresses of a host.
    ///
    /// - Throws: `PostgresError` if the name is unknown, or if the look-up has not ended by the deadline.
    func addresses(of host: String, until deadline: ContinuousClock.Instant) throws -> [String] {
      let search = search(for: host)
      let rest = max(0, ContinuousClock.now.duration(to: deadline) / .milliseconds(1))
      guard search.isDone.wait(timeout: .now() + .milliseconds(Int(rest))) == .success else {
        throw PostgresError(sqlState: nil, message: "looking up the name of the host '\(host)' took too long")
      }
      search.isDone.signal()
      return try search.result.withLock { $0 }?.get() ?? []
    }

    private func search(for host: String) -> Search {
      let (search, isNew) = searches.withLock { searches -> (Search, Bool) in
        if let running = searches[host] { return (running, false) }
        let new = Search()
        searches[host] = new
        return (new, true)
      }
      if isNew { Thread.detachNewThread { [self] in run(search, for: host) } }
      return search
    }

    private func run(_ search: Search, for host: String) {
      let result = Result { try resolve(host) }
      search.result.withLock { $0 = result }
      // The next call starts a new look-up, since the address may have changed.
      searches.withLock { $0[host] = nil }
      search.isDone.signal()
    }

    package static func == (lhs: NameLookup, rhs: NameLookup) -> Bool { lhs === rhs }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    // MARK: The system

    @Sendable
    private static func addresses(of host: String) throws -> [String] {
      var hints = addrinfo()
      hints.ai_family = AF_UNSPEC
      // Without a protocol, `getaddrinfo` would return each address once per socket type.
      hints.ai_protocol = Int32(IPPROTO_TCP)
      var list: UnsafeMutablePointer<addrinfo>?
      let code = getaddrinfo(host, nil, &hints, &list)
      guard code == 0 else {
        throw PostgresError(
          sqlState: nil, message: "the name of the host '\(host)' was not found: \(String(cString: gai_strerror(code)))"
        )
      }
      defer { freeaddrinfo(list) }
      var addresses: [String] = []
      var entry = list
      while let current = entry {
        if let address = address(of: current.pointee), !addresses.contains(address) { addresses.append(address) }
        entry = current.pointee.ai_next
      }
      return addresses
    }

    private static func address(of entry: addrinfo) -> String? {
      var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let code = getnameinfo(
        entry.ai_addr, entry.ai_addrlen, &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
      guard code == 0 else { return nil }
      return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
#endif
