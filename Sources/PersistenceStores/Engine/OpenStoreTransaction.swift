import PersistenceSupport

/// The one open transaction of an engine, and its thread.
///
/// A save reads relationships while it writes, without passing its transaction. Such a read belongs to the transaction
/// of its thread.
final class OpenStoreTransaction<Transaction: AnyObject>: @unchecked Sendable {
  // Unchecked: the lock guards the reference, which is returned only on the thread of the transaction.
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
