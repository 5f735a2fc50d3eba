/// The cause of an error of ``StoreTransaction/commit()`` after which nothing tells whether the store has committed: the
/// connection was lost while the commit was on its way.
///
/// An engine that can find out does so, and returns or throws accordingly. One that cannot throws
/// ``error(location:cause:)`` and keeps two promises. The transaction has ended, either way, when the next one begins.
/// The keys that it has reserved are never reserved again: a row with such a key is one that it has inserted.
package struct UnknownOutcome: Error {
  /// The loss of the connection.
  package let cause: any Error

  private init(cause: any Error) { self.cause = cause }

  /// The error of a commit whose outcome is unknown.
  ///
  /// - Parameters:
  ///   - location: The location of the store.
  ///   - cause: The loss of the connection.
  package static func error(location: String, cause: any Error) -> SwiftDataError {
    SwiftDataError(
      (cause as? SwiftDataError)?.kind ?? .storeUnreachable,
      "the connection to the store at \(location) was lost during a commit, and whether the store has committed is "
        + "unknown. The changes of a save are pending, and the next save finds out which of them the store has and writes "
        + "the others. A transaction is undone in memory: fetch to find out what has become of it.",
      underlying: UnknownOutcome(cause: cause))
  }

  /// Whether an error says that the outcome of a commit is unknown.
  package static func isCause(of error: any Error) -> Bool {
    (error as? SwiftDataError)?.underlyingError is UnknownOutcome
  }
}
