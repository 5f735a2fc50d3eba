import Dispatch
import PersistenceContext
import PersistenceSupport

/// Runs the jobs of an actor one at a time: those of the main context on the main actor, all others never there.
///
/// It does not matter where the executor is made. An actor with a context of its own may be created on the main thread
/// and still runs beside it. Waiting jobs run in the order of their priority, and in that of their coming where that is
/// the same.
public class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  // Unchecked: the context is not Sendable, and is here so that the code that runs on the executor finds it. The rest is
  // constant.

  /// The context of the actor.
  ///
  /// It ends where the jobs run, wherever the last reference to the executor goes.
  public final var modelContext: ModelContext { owned.context }
  private let owned: OwnedContext
  private let place: Place

  private enum Place {
    case mainActor
    case queue(JobQueue)
    case executor(any SerialExecutor)
  }

  /// Makes an executor with a queue of its own, or, for the main context of a container, one of the main actor.
  public init(modelContext: ModelContext) {
    owned = OwnedContext(modelContext)
    place = modelContext.isMain ? .mainActor : .queue(JobQueue(label: "SwiftData.actor", target: nil))
    modelContext.noteExecutor(self)
  }

  /// Makes an executor whose jobs run in a queue of the program, one at a time with what else runs there.
  ///
  /// Where the queue is concurrent, only the jobs of this executor are one at a time.
  public init(modelContext: ModelContext, queue: DispatchQueue) {
    owned = OwnedContext(modelContext)
    place = .queue(JobQueue(label: "SwiftData.actor", target: queue))
    modelContext.noteExecutor(self)
  }

  /// Makes an executor whose jobs another executor runs: a thread of the program, or that of another actor.
  public init(modelContext: ModelContext, executor: some SerialExecutor) {
    owned = OwnedContext(modelContext)
    place = .executor(executor)
    modelContext.noteExecutor(self)
  }

  /// How many jobs wait for their turn, as far as the executor knows.
  package final var waitingJobCount: Int {
    if case .queue(let jobs) = place { jobs.waitingCount } else { 0 }
  }

  deinit {
    switch place {
    case .mainActor: owned.endOnMainActor(nil)
    case .queue(let jobs): owned.end(in: jobs)
    case .executor(let executor): owned.end(on: executor)
    }
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    switch place {
    case .mainActor: MainActor.shared.enqueue(UnownedJob(job))
    case .queue(let jobs): jobs.enqueue(UnownedJob(job), on: self)
    case .executor(let executor): executor.enqueue(job)
    }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    switch place {
    case .mainActor: MainActor.sharedUnownedExecutor
    case .queue: UnownedSerialExecutor(ordinary: self)
    case .executor(let executor): executor.asUnownedSerialExecutor()
    }
  }

  /// Ends the program when the caller does not run on the executor, for `assumeIsolated` and `preconditionIsolated`.
  public func checkIsolated() {
    switch place {
    case .mainActor: MainActor.preconditionIsolated()
    case .queue(let jobs): jobs.checkIsolated()
    case .executor(let executor): executor.checkIsolated()
    }
  }

  public func isIsolatingCurrentContext() -> Bool? {
    switch place {
    case .mainActor: nil
    case .queue(let jobs): jobs.isRunningHere
    case .executor(let executor): executor.isIsolatingCurrentContext()
    }
  }
}
