import Foundation
import PersistenceCore

/// Work that is repeated until it is stopped, on a thread of its own: a task would keep one of the few threads on which
/// all other tests run.
package final class RepeatedWork: Sendable {
  private let isStopped = Flag()
  private let outcome = Lock<Result<Void, any Error>?>(nil)

  /// - Parameter work: What is repeated, with the number of times that it has run.
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

  /// Waits until the work has ended.
  ///
  /// - Throws: What the work threw, which ended it.
  package func stop() async throws {
    isStopped.raise()
    _ = await eventually { outcome.withLock { $0 != nil } }
    guard let result = outcome.withLock({ $0 }) else { throw Failure() }
    try result.get()
  }
}
