import Dispatch

/// Runs the jobs of an executor one at a time on a dispatch queue, in order of priority.
///
/// Each job enqueues one block. When a block runs, it runs the job with the highest priority at that time.
///
/// Without a target, the queue uses Dispatch's overcommitting root queue, which adds a thread if all threads are busy.
/// The global queues run Swift's tasks on Linux on at most one thread per core, so long queries would block all tasks.
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
    // The block retains the executor, because jobs do not retain it.
    queue.async(qos: priority.quality) {
      guard let job = self.waiting.withLock({ $0.next() }) else { return }
      job.runSynchronously(on: executor.asUnownedSerialExecutor())
    }
  }

  /// Runs a block on the queue. The block and the jobs run one at a time.
  package func run(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }

  /// The number of jobs that have not started.
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

/// Runs jobs on a queue, for actors that have no executor of their own, or whose executor was deallocated.
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

/// The waiting jobs, as a binary heap ordered by priority. Of jobs with equal priority, the first one added runs first.
package struct WaitingJobs {
  private struct Entry {
    let job: UnownedJob
    let urgency: UInt8
    let arrival: UInt64

    func isBefore(_ other: Entry) -> Bool {
      urgency == other.urgency ? arrival < other.arrival : urgency > other.urgency
    }
  }

  private var heap: ContiguousArray<Entry> = []
  private var arrivals: UInt64 = 0

  package init() {}

  var count: Int { heap.count }

  package mutating func add(_ job: UnownedJob) {
    heap.append(Entry(job: job, urgency: job.priority.rawValue, arrival: arrivals))
    arrivals += 1
    rise(heap.count - 1)
  }

  package mutating func next() -> UnownedJob? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    return first.job
  }

  private mutating func rise(_ start: Int) {
    var index = start
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(heap[index]) else { return }
      heap.swapAt(index, child)
      index = child
    }
  }
}
