import PersistenceCore
import SwiftData

/// Why a server aborts a transaction that met a concurrent one.
package struct RemoteConflict: Error {
  /// What the server says, as PostgreSQL does with the codes 40001, 40P01 and 23505.
  package static var error: SwiftDataError {
    SwiftDataError(
      .storeFailure, "The test's server aborted the transaction because of a concurrent one. Try again.",
      underlying: RemoteConflict())
  }
}
