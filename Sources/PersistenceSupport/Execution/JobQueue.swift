import Dispatch

/// Runs an executor's jobs one at a time on a dispatch queue, in order of priority.
///
/// Each job enqueues one block; a block runs the job with the highest priority at that moment.
///
/// Without a target the queue uses Dispatch's overcommitting root queue, which always finds a thread. On Linux Swift's
/// tasks run on the global queues, which have no more threads than cores: a long query there would block every task of
/// the program.
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
    // The block retains the executor, which jobs do not.
    queue.async(qos: priority.quality) {
      guard let job = self.waiting.withLock({ $0.next() }) else { return }
      job.runSynchronously(on: executor.asUnownedSerialExecutor())
    }
  }

  /// Runs a block on the queue, never concurrently with a job.
  package func run(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// The number of jobs that wait.
  package var waitingCount: Int { waiting.withLock(\.count) }

  /// Whether the caller runs on the queue.
  package var isRunningHere: Bool {
    DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
  }

  package func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}

extension JobPriority {
  /// The corresponding Dispatch quality of service.
  var quality: DispatchQoS {
    switch TaskPriority(rawValue: rawValue) {
    case .userInitiated...: .userInitiated
    case .medium...: .default
    case .utility...: .utility
    default: rawValue == 0 ? .unspecified : .background
    }
  }
}

/// Runs jobs on a queue, for actors without an executor of their own or whose executor is gone.
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
