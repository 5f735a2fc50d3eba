#if PostgreSQL
  import CPostgreSQL

  /// Asks the server, from any thread, to cancel the current statement of a connection.
  ///
  /// Unchecked because it wraps a pointer: the memory never changes and exists as long as the canceller, and libpq
  /// allows its use on any thread.
  package final class PostgresCanceller: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
      self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    /// Sends the request; false if it could not be sent. The statement's result shows whether it was cancelled.
    @discardableResult
    package func cancel() -> Bool {
      var message = [CChar](repeating: 0, count: 256)
      return PQcancel(pointer, &message, Int32(message.count)) == 1
    }
  }
#endif
