import Dispatch
import PersistenceSupport

/// Runs jobs that read, as many at a time as the stores have readers, the most urgent first.
///
/// They run in queues of their own and not on the threads of Swift's tasks: a search keeps its thread until it ends, and
/// tasks have no more threads than the machine has cores.
package final class ReaderExecutor: TaskExecutor {
  private struct State {
    var waiting = WaitingJobs()
    var idle: [DispatchQueue] = []
    var made = 0
  }

  private let state = Lock(State())
  private let width: Int

  init(width: Int) {
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

  /// The next job that waits; nil when none does, and the queue is free for what comes then.
  private func next(in queue: DispatchQueue?) -> UnownedJob? {
    state.withLock { state in
      if let job = state.waiting.next() { return job }
      if let queue { state.idle.append(queue) }
      return nil
    }
  }
}
