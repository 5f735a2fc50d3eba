import Dispatch
import PersistenceContext
import PersistenceSupport

/// What has a context and runs the code that uses it.
public protocol ModelExecutor: Executor {
  /// The context. It is not Sendable: only code that runs on the executor may use it.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time, as an actor needs.
///
/// The context of a ``DefaultSerialModelExecutor`` ends where its jobs run. One that is written by hand lets go of its
/// context itself: in its `deinit`, on whatever thread that is, unless it sees to it that its jobs have the last reference.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

extension ModelExecutor {
  /// The executor as one that an actor can run on.
  var unownedSerialExecutor: UnownedSerialExecutor {
    // A cast to a class is quick; a cast to a protocol would be made with every call of an actor.
    if let executor = self as? DefaultSerialModelExecutor { return executor.asUnownedSerialExecutor() }
    if let executor = self as? any SerialExecutor { return executor.asUnownedSerialExecutor() }
    return JobQueueExecutor.shared.asUnownedSerialExecutor()
  }
}

extension JobQueueExecutor {
  /// Runs the actors whose executors are not serial, all of them in one queue.
  fileprivate static let shared = JobQueueExecutor(JobQueue(label: "SwiftData.shared", target: nil))
}
