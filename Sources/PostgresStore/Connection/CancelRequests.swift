#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceSupport

  /// Sends requests to cancel a connection's statement, one at a time. Each has its own thread, because if the network
  /// is down, `PQcancel` blocks until the operating system gives up. Thread-safe.
  final class CancelRequests: Sendable {
    private struct State {
      var isUnderWay = false
      /// Signalled when the request has ended; nil while no thread waits for that.
      var waiter: DispatchSemaphore?
    }

    private let state = Lock(State())

    /// Whether a request is being sent.
    var isUnderWay: Bool { state.withLock { $0.isUnderWay } }

    /// Sends a request; does nothing while another one is being sent.
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

    /// Waits until no request is being sent: a request that arrives late would cancel the connection's next statement.
    ///
    /// - Returns: False if the request is still being sent after the time.
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
