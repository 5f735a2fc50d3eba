import Foundation

/// Runs several clients of a database at the same time, each on a thread of its own.
public enum Clients {
  /// Prepares all clients, and measures the time from when the last client is ready until the last client has finished.
  ///
  /// - Parameter prepare: Called with the number of each client, on the client's thread. It prepares the client, for
  /// example opens its connection, and returns the work to measure.
  public static func run(
    _ count: Int, _ stopwatch: Stopwatch, prepare: @escaping @Sendable (Int) throws -> () throws -> Void
  ) throws {
    let (ready, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let start = DispatchSemaphore(value: 0)
    let failure = Failure()
    for client in 0..<count {
      Thread.detachNewThread {
        defer { done.signal() }
        let work = failure.noting { try prepare(client) }
        ready.signal()
        start.wait()
        failure.noting { try work?() }
      }
    }
    for _ in 0..<count { ready.wait() }
    stopwatch.measure {
      for _ in 0..<count { start.signal() }
      for _ in 0..<count { done.wait() }
    }
    try failure.rethrow()
  }

  /// Stores the last error that one of the threads threw.
  private final class Failure: @unchecked Sendable {
    private let lock = NSLock()
    private var error: (any Error)?

    @discardableResult
    func noting<Value>(_ body: () throws -> Value) -> Value? {
      do {
        return try body()
      } catch {
        lock.withLock { self.error = error }
        return nil
      }
    }

    func rethrow() throws {
      if let error = lock.withLock({ error }) { throw error }
    }
  }
}
