import PersistenceSupport

/// The one open transaction of an engine, and the thread that began it.
///
/// A save may read while it writes, without passing its transaction. Such a read finds the transaction by its thread.
final class OpenStoreTransaction<Transaction: AnyObject>: @unchecked Sendable {
  // Unchecked: the lock guards the reference, and only the thread that began the transaction gets it.
  private weak var transaction: Transaction?
  private var thread: ThreadIdentity?
  private let lock = Lock<Void>(())

  func begin(_ transaction: Transaction) {
    lock.withLock { _ in (self.transaction, thread) = (transaction, .current) }
  }

  func end(_ transaction: Transaction) {
    lock.withLock { _ in
      guard self.transaction === transaction else { return }
      (self.transaction, thread) = (nil, nil)
    }
  }

  /// The open transaction, if the calling thread began it; otherwise nil.
  var here: Transaction? {
    lock.withLock { _ in thread == .current ? transaction : nil }
  }
}
