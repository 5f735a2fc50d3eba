#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceSupport

  /// What a connection asks the server to give up, one request at a time, each on a thread of its own: libpq waits for the end of one
  /// as long as the system does, also where the network is gone. Thread-safe.
  final class CancelRequests: Sendable {
    private struct State {
      var isUnderWay = false
      /// Signalled at the end of the request; nil while no thread waits for that.
      var waiter: DispatchSemaphore?
    }

    private let state = Lock(State())

    /// Whether libpq has not come back from a request.
    var isUnderWay: Bool { state.withLock { $0.isUnderWay } }

    /// Sends a request, unless one is under way.
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

    /// Waits until no request is under way. One that reaches the server later would end another statement.
    ///
    /// - Returns: Whether that came about in time.
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
