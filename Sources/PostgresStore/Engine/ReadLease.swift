#if PostgreSQL
  import PersistenceSupport

  /// A session that reads outside a transaction, until it is returned.
  ///
  /// Unchecked because it has mutable state and no lock: only the reading thread uses it, by ``LentReads``.
  final class ReadLease: @unchecked Sendable {
    let session: PostgresSession
    let pool: PostgresPool
    /// Whether rows have been passed on, after which the read must not be repeated.
    var hasHandedOver = false
    private var isGivenBack = false

    init(_ session: PostgresSession, of pool: PostgresPool) {
      self.session = session
      self.pool = pool
    }

    /// Whether the session was lost before any rows were passed on.
    var isLostBefore: Bool { !hasHandedOver && !isGivenBack && session.connection.isLost }

    /// Returns the session, unless it has been returned already.
    func giveBack() {
      guard !isGivenBack else { return }
      isGivenBack = true
      pool.giveBack(session)
    }

    /// Keeps the unread rows, and returns the session.
    fileprivate func letGo() {
      guard !isGivenBack else { return }
      session.connection.keepRows()
      giveBack()
    }
  }

  /// The reads whose rows are lent to code that may read and save, by thread. Thread-safe.
  ///
  /// A thread that needs a session first returns the session of its read. If threads held two sessions, all sessions
  /// could be held by threads that wait for a second one.
  final class LentReads: Sendable {
    private let reads = Lock<[(thread: ThreadIdentity, lease: ReadLease)]>([])

    /// Whether the calling thread is within a read.
    var isReadingHere: Bool {
      let current = ThreadIdentity.current
      return reads.withLock { $0.contains { $0.thread == current } }
    }

    /// Runs the code that uses the lent rows.
    func lending(_ lease: ReadLease, _ body: () throws -> Void) rethrows {
      let thread = ThreadIdentity.current
      reads.withLock { $0.append((thread, lease)) }
      defer {
        reads.withLock { reads in
          if let index = reads.lastIndex(where: { $0.lease === lease }) { reads.remove(at: index) }
        }
      }
      try body()
    }

    /// Returns the sessions of the current thread's reads. Their rows are kept.
    func letGo() {
      let current = ThreadIdentity.current
      let leases = reads.withLock { $0.compactMap { $0.thread == current ? $0.lease : nil } }
      for lease in leases { lease.letGo() }
    }
  }
#endif
