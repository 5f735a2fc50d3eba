import Dispatch

/// Jobs of an executor that run one at a time in a dispatch queue, the most urgent first.
///
/// Each job has a place in the dispatch queue; whose turn it is takes the most urgent of those that wait.
///
/// The queue has no target but the one that Dispatch gives to queues of their own, which always finds a thread. On Linux
/// Swift's tasks run in the global queues, which have no more threads than the machine has cores: a long search there
/// would keep every task of the program waiting.
package final class JobQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue: DispatchQueue
  private let waiting = Lock(WaitingJobs())

  package init(label: String, target: DispatchQueue?) {
    queue = DispatchQueue(label: label, target: target)
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  package func enqueue(_ job: UnownedJob, on executor: some SerialExecutor) {
    let priority = job.priority
    waiting.withLock { $0.add(job) }
    // The block keeps the executor, which jobs do not.
    queue.async(qos: priority.quality) {
      guard let job = self.waiting.withLock({ $0.next() }) else { return }
      job.runSynchronously(on: executor.asUnownedSerialExecutor())
    }
  }

  /// Runs code in the queue, beside no job.
  package func run(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// How many jobs wait for their turn.
  package var waitingCount: Int { waiting.withLock(\.count) }

  /// Whether the caller runs in the queue.
  package var isRunningHere: Bool {
    DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
  }

  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}

extension JobPriority {
  /// What Dispatch calls the priority.
  var quality: DispatchQoS {
    switch TaskPriority(rawValue: rawValue) {
    case .userInitiated...: .userInitiated
    case .medium...: .default
    case .utility...: .utility
    default: rawValue == 0 ? .unspecified : .background
    }
  }
}

/// Runs jobs in a queue, for actors that have no executor of their own or whose own is gone.
package final class JobQueueExecutor: SerialExecutor {
  private let jobs: JobQueue

  package init(_ jobs: JobQueue) {
    self.jobs = jobs
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    jobs.enqueue(UnownedJob(job), on: self)
  }

  package func checkIsolated() {
    jobs.checkIsolated()
  }

  package func isIsolatingCurrentContext() -> Bool? {
    jobs.isRunningHere
  }
}
