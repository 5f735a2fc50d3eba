import Foundation

/// Clients of a database that work at the same time, each on a thread of its own.
public enum Clients {
  /// Prepares all clients, and measures the time from when all are ready until all are done.
  ///
  /// - Parameter prepare: Prepares the client with a number, on its thread, and returns its work.
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

  /// The last error of several threads.
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
