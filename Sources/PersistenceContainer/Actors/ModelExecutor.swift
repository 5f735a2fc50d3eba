import Dispatch
import PersistenceContext
import PersistenceSupport

/// An executor that owns a model context and runs the code that uses it. Apple's.
public protocol ModelExecutor: Executor {
  /// The context. It is not Sendable: use it only in code that runs on the executor.
  var modelContext: ModelContext { get }
}

/// A model executor that runs one job at a time, as actors require. Apple's.
///
/// A ``DefaultSerialModelExecutor`` releases its context where its jobs run. An executor of the program releases the
/// context in its own `deinit`, on any thread, unless it arranges that a job holds the last reference.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

extension ModelExecutor {
  /// A serial executor for an actor: this one, or the shared queue if it is not serial.
  var unownedSerialExecutor: UnownedSerialExecutor {
    // Every call of an actor passes here. A cast to a class is much cheaper than a cast to a protocol.
    if let executor = self as? DefaultSerialModelExecutor { return executor.asUnownedSerialExecutor() }
    if let executor = self as? any SerialExecutor { return executor.asUnownedSerialExecutor() }
    return JobQueueExecutor.shared.asUnownedSerialExecutor()
  }
}

extension JobQueueExecutor {
  /// Runs all actors whose executors are not serial.
  fileprivate static let shared = JobQueueExecutor(JobQueue(label: "SwiftData.shared", target: nil))
}
