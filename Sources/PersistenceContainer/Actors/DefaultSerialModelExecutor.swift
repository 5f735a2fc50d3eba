import Dispatch
import PersistenceContext
import PersistenceSupport

/// The serial executor of a model actor. Apple's.
///
/// The executor of a container's main context runs its jobs on the main actor. Any other executor runs its jobs on a
/// queue of its own, regardless of the thread that creates the executor. Jobs run by priority, and in order of arrival
/// within one priority.
///
/// The executor may be created, sent and released on any thread.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // Unchecked: the context is not Sendable, and only jobs of this executor use it. The other properties are constant.

  /// The context of the actor. Use it only in code that runs on the executor.
  ///
  /// The deinit releases the context where the jobs run, even if another thread releases the last executor reference.
  public final var modelContext: ModelContext { owned.context }
  private let owned: OwnedContext
  private let target: Target

  private enum Target {
    case mainActor
    case queue(JobQueue)
    case executor(any SerialExecutor)
  }

  /// Creates an executor with a queue of its own, or on the main actor for the main context of a container. Apple's.
  ///
  /// - Parameter modelContext: The context that the jobs use. The executor retains it.
  public init(modelContext: ModelContext) {
    owned = OwnedContext(modelContext)
    target = modelContext.isMain ? .mainActor : .queue(JobQueue(label: "SwiftData.actor", target: nil))
    modelContext.noteExecutor(self)
  }

  /// Creates an executor whose jobs run on a dispatch queue of the program. Ours.
  ///
  /// Jobs run one at a time even on a concurrent queue.
  /// - Parameters:
  ///   - modelContext: The context that the jobs use. The executor retains it.
  ///   - queue: The queue that runs the jobs. On a serial queue, no job runs at the same time as the queue's other
  ///     work.
  public init(modelContext: ModelContext, queue: DispatchQueue) {
    owned = OwnedContext(modelContext)
    target = .queue(JobQueue(label: "SwiftData.actor", target: queue))
    modelContext.noteExecutor(self)
  }

  /// Creates an executor that forwards its jobs to another serial executor. Ours.
  ///
  /// - Parameters:
  ///   - modelContext: The context that the jobs use. The executor retains it.
  ///   - executor: Runs the jobs: a thread of the program, or the executor of another actor.
  public init(modelContext: ModelContext, executor: some SerialExecutor) {
    owned = OwnedContext(modelContext)
    target = .executor(executor)
    modelContext.noteExecutor(self)
  }

  /// The number of enqueued jobs; 0 if jobs are forwarded to another executor.
  package final var waitingJobCount: Int {
    if case .queue(let jobs) = target { jobs.waitingCount } else { 0 }
  }

  deinit {
    switch target {
    case .mainActor: owned.endOnMainActor(nil)
    case .queue(let jobs): owned.end(in: jobs)
    case .executor(let executor): owned.end(on: executor)
    }
  }

  /// Enqueues a job of the actor. Any thread may call it.
  ///
  /// - Parameter job: The job to run.
  public func enqueue(_ job: consuming ExecutorJob) {
    switch target {
    case .mainActor: MainActor.shared.enqueue(UnownedJob(job))
    case .queue(let jobs): jobs.enqueue(UnownedJob(job), on: self)
    case .executor(let executor): executor.enqueue(job)
    }
  }

  /// The executor that the concurrency runtime enqueues jobs on.
  ///
  /// - Returns: This executor, the main actor's, or the one that jobs are forwarded to.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    switch target {
    case .mainActor: MainActor.sharedUnownedExecutor
    case .queue: UnownedSerialExecutor(ordinary: self)
    case .executor(let executor): executor.asUnownedSerialExecutor()
    }
  }

  /// Traps unless the caller runs on the executor. `assumeIsolated` and `preconditionIsolated` call it.
  public func checkIsolated() {
    switch target {
    case .mainActor: MainActor.preconditionIsolated()
    case .queue(let jobs): jobs.checkIsolated()
    case .executor(let executor): executor.checkIsolated()
    }
  }

  /// Whether the caller runs on the executor.
  ///
  /// - Returns: True if the caller runs on the executor; nil if only ``checkIsolated()`` can determine it.
  public func isIsolatingCurrentContext() -> Bool? {
    switch target {
    case .mainActor: nil
    case .queue(let jobs): jobs.isRunningHere
    case .executor(let executor): executor.isIsolatingCurrentContext()
    }
  }
}
