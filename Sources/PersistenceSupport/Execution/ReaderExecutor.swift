import Dispatch

/// Runs reading jobs in order of priority, on a limited number of threads. A container sets the limit to the largest
/// number of reads that one of its stores can run at the same time. Thread-safe.
///
/// The executor uses its own dispatch queues and not the threads of Swift's tasks: a query blocks its thread, and tasks
/// have only as many threads as the machine has cores.
package final class ReaderExecutor: TaskExecutor {
  private struct State {
    var waiting = WaitingJobs()
    var idle: [DispatchQueue] = []
    var made = 0
  }

  private let state = Lock(State())
  private let width: Int

  package init(width: Int) {
    self.width = max(1, width)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let queue = state.withLock { state -> DispatchQueue? in
      state.waiting.add(job)
      if let queue = state.idle.popLast() { return queue }
      guard state.made < width else { return nil }
      state.made += 1
      return DispatchQueue(label: "SwiftData.reader")
    }
    queue?.async { [self] in
      while let job = next(in: queue) { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  /// Returns the next waiting job. If there is none, records that the queue is idle, and returns nil.
  private func next(in queue: DispatchQueue?) -> UnownedJob? {
    state.withLock { state in
      if let job = state.waiting.next() { return job }
      if let queue { state.idle.append(queue) }
      return nil
    }
  }
}
