import PersistenceCore
import SwiftData

/// The error of a transaction that the server aborted because of a concurrent transaction.
package struct RemoteConflict: Error {
  /// The server's error, as PostgreSQL reports it with the codes 40001, 40P01 and 23505.
  package static var error: SwiftDataError {
    SwiftDataError(
      .storeFailure, "The test's server aborted the transaction because of a concurrent one. Try again.",
      underlying: RemoteConflict())
  }
}
