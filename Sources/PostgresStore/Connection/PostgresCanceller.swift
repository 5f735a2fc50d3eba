#if PostgreSQL
  import CPostgreSQL

  /// Asks the server, from any thread, to cancel the current statement of a connection.
  ///
  /// `@unchecked` because the class contains a pointer. The memory behind the pointer never changes and is freed with
  /// the canceller, and libpq allows every thread to use it.
  package final class PostgresCanceller: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
      self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    /// Sends the request; returns false if that failed. Only the statement's result shows whether it was cancelled.
    @discardableResult
    package func cancel() -> Bool {
      var message = [CChar](repeating: 0, count: 256)
      return PQcancel(pointer, &message, Int32(message.count)) == 1
    }
  }
#endif
