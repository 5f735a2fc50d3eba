#if PostgreSQL
  import CPostgreSQL

  /// Asks the server from any thread to give up what a connection is doing.
  ///
  /// Unchecked because it wraps a pointer: what it points to never changes, libpq allows its use on any thread, and it lives as long
  /// as the canceller.
  package final class PostgresCanceller: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
      self.pointer = pointer
    }

    deinit { PQfreeCancel(pointer) }

    /// Asks; false if the server could not be asked. Whether it has given up, the statement's result says.
    @discardableResult
    package func cancel() -> Bool {
      var message = [CChar](repeating: 0, count: 256)
      return PQcancel(pointer, &message, Int32(message.count)) == 1
    }
  }
#endif
