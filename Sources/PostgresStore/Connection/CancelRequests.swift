#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceSupport

  /// Sends requests to cancel a connection's statement, one at a time, each on a thread of its own: if the network is
  /// down, libpq waits for the end of a request until the system gives up. Thread-safe.
  final class CancelRequests: Sendable {
    private struct State {
      var isUnderWay = false
      /// Signalled at the end of the request; nil while no thread waits for it.
      var waiter: DispatchSemaphore?
    }

    private let state = Lock(State())

    /// Whether a request is still running in libpq.
    var isUnderWay: Bool { state.withLock { $0.isUnderWay } }

    /// Sends a request, unless one is running.
    func send(_ canceller: PostgresCanceller) {
      let isFirst = state.withLock { state in
        defer { state.isUnderWay = true }
        return !state.isUnderWay
      }
      guard isFirst else { return }
      Thread.detachNewThread { [self] in
        canceller.cancel()
        let waiter = state.withLock { state in
          defer { state = State() }
          return state.waiter
        }
        waiter?.signal()
      }
    }

    /// Waits until no request is running: a late request would cancel the connection's next statement.
    ///
    /// - Returns: Whether the request ended in time.
    func wait(for time: Duration) -> Bool {
      let ended = DispatchSemaphore(value: 0)
      let isUnderWay = state.withLock { state in
        if state.isUnderWay { state.waiter = ended }
        return state.isUnderWay
      }
      return !isUnderWay || ended.wait(timeout: .now() + .milliseconds(Int(clamping: time.milliseconds))) == .success
    }
  }
#endif
