import Dispatch
import Synchronization

/// Jobs of an executor that run one at a time in a dispatch queue, the most urgent first.
///
/// Each job has a place in the dispatch queue; whose turn it is takes the most urgent of those that wait. Blocking calls,
/// such as those of SQLite, hold up a thread of Dispatch, which makes others, and not one of the few of Swift's own pool.
final class JobQueue: Sendable {
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private let queue: DispatchQueue
  private let waiting = Mutex(WaitingJobs())

  init(label: String, target: DispatchQueue?) {
    // Aimed at the pool, or a thousand busy queues would have a thousand threads.
    queue = DispatchQueue(label: label, target: target ?? .global())
    queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
  }

  func enqueue(_ job: UnownedJob, on executor: some SerialExecutor) {
    let priority = job.priority
    waiting.withLock { $0.add(job) }
    // The block keeps the executor, which jobs do not.
    queue.async(qos: priority.quality) {
      guard let job = self.waiting.withLock({ $0.next() }) else { return }
      job.runSynchronously(on: executor.asUnownedSerialExecutor())
    }
  }

  /// Whether the caller runs in the queue.
  var isRunningHere: Bool {
    DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self)
  }

  func checkIsolated() {
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
