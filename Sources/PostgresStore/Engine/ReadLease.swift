#if PostgreSQL
  import PersistenceSupport

  /// A session that reads outside of a transaction, until it is given back.
  ///
  /// Unchecked because it has mutable state and no lock: only the thread that reads uses it, and finds it in ``LentReads``.
  final class ReadLease: @unchecked Sendable {
    let session: PostgresSession
    let pool: PostgresPool
    /// Whether rows have been handed over, after which the read is not to run again.
    var hasHandedOver = false
    private var isGivenBack = false

    init(_ session: PostgresSession, of pool: PostgresPool) {
      self.session = session
      self.pool = pool
    }

    /// Whether the session was lost before anything was handed over.
    var isLostBefore: Bool { !hasHandedOver && !isGivenBack && session.connection.isLost }

    /// Gives the session back, unless that was done before.
    func giveBack() {
      guard !isGivenBack else { return }
      isGivenBack = true
      pool.giveBack(session)
    }

    /// Keeps the rows that are not read yet, and gives the session back.
    fileprivate func letGo() {
      guard !isGivenBack else { return }
      session.connection.keepRows()
      giveBack()
    }
  }

  /// The reads whose rows are lent to code that may read and save, by their threads. Thread-safe.
  ///
  /// A thread that needs a session gives back the one of its read first. If threads held two, all sessions could be held by threads that
  /// wait for a second one.
  final class LentReads: Sendable {
    private let reads = Lock<[(thread: ThreadIdentity, lease: ReadLease)]>([])

    /// Whether the calling thread is within a read.
    var isReadingHere: Bool {
      let current = ThreadIdentity.current
      return reads.withLock { $0.contains { $0.thread == current } }
    }

    /// Runs the code that rows are lent to.
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

    /// Gives the sessions back that reads of the calling thread have. Their rows are kept.
    func letGo() {
      let current = ThreadIdentity.current
      let leases = reads.withLock { $0.compactMap { $0.thread == current ? $0.lease : nil } }
      for lease in leases { lease.letGo() }
    }
  }
#endif
