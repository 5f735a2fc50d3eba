import Foundation
import PersistenceCore

/// Repeats work until a test stops it. The work runs on a thread of its own, because a task would occupy one of the few
/// threads on which all other tests run.
package final class RepeatedWork: Sendable {
  private let isStopped = Flag()
  private let outcome = Lock<Result<Void, any Error>?>(nil)

  /// - Parameter work: The work; its argument is the number of previous runs.
  package init(_ work: @escaping @Sendable (Int) throws -> Void) {
    Thread.detachNewThread { [self] in
      let result = Result {
        var count = 0
        while !isStopped.isRaised {
          try work(count)
          count += 1
        }
      }
      outcome.withLock { $0 = result }
    }
  }

  /// Stops the work after its current run, and waits for its end.
  ///
  /// - Throws: The error that ended the work.
  package func stop() async throws {
    isStopped.raise()
    _ = await eventually { outcome.withLock { $0 != nil } }
    guard let result = outcome.withLock({ $0 }) else { throw Failure() }
    try result.get()
  }
}
