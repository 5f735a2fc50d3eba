import PersistenceSupport

/// The one open transaction of an engine, and the thread that has it.
///
/// A save reads relationships while it writes, and says of no transaction that they are read in it. They are of the thread
/// that has one.
final class OpenStoreTransaction<Transaction: AnyObject>: @unchecked Sendable {
  // Unchecked: the reference is guarded by the lock, and handed out on the thread of the transaction alone.
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

  /// The transaction of the calling thread; nil if it has none.
  var here: Transaction? {
    lock.withLock { _ in thread == .current ? transaction : nil }
  }
}
