#if PostgreSQL
  import PersistenceSupport

  /// A session of a pool, which a thread uses to read outside a transaction.
  ///
  /// `@unchecked` because it has mutable state without a lock: only the reading thread uses it (``LentReads``).
  final class ReadLease: @unchecked Sendable {
    let session: PostgresSession
    let pool: PostgresPool
    /// Whether rows were passed to the caller, so that the read must not be repeated.
    var hasHandedOver = false
    private var isGivenBack = false

    init(_ session: PostgresSession, of pool: PostgresPool) {
      self.session = session
      self.pool = pool
    }

    /// Whether the connection was lost before rows were passed to the caller.
    var isLostBefore: Bool { !hasHandedOver && !isGivenBack && session.connection.isLost }

    /// Returns the session to the pool, unless that has been done already.
    func giveBack() {
      guard !isGivenBack else { return }
      isGivenBack = true
      pool.giveBack(session)
    }

    /// Stores the unread rows in memory, and returns the session to the pool.
    fileprivate func letGo() {
      guard !isGivenBack else { return }
      session.connection.keepRows()
      giveBack()
    }
  }

  /// The reads whose rows are being passed to a closure, by thread. The closure may read and save. Thread-safe.
  ///
  /// If the closure needs a session, the thread first returns the session of its read to the pool. If threads kept it,
  /// each session of the pool could be in use by a thread that waits for a second one.
  final class LentReads: Sendable {
    private let reads = Lock<[(thread: ThreadIdentity, lease: ReadLease)]>([])

    /// Whether the calling thread is passing the rows of a read to a closure.
    var isReadingHere: Bool {
      let current = ThreadIdentity.current
      return reads.withLock { $0.contains { $0.thread == current } }
    }

    /// Runs a closure that uses the rows of a read.
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

    /// Returns the sessions of all reads of the current thread to the pool. The unread rows are stored in memory first.
    func letGo() {
      let current = ThreadIdentity.current
      let leases = reads.withLock { $0.compactMap { $0.thread == current ? $0.lease : nil } }
      for lease in leases { lease.letGo() }
    }
  }
#endif
