import Dispatch
import Synchronization

/// Runs jobs that read, as many at a time as the stores have readers, the most urgent first.
///
/// They run on threads of Dispatch and not on those of Swift's own pool: a search keeps its thread until it ends, and
/// that pool has no more threads than the machine has cores.
final class ReaderExecutor: TaskExecutor {
  private struct State {
    var waiting = WaitingJobs()
    var running = 0
  }

  private let state = Mutex(State())
  private let width: Int

  init(width: Int) {
    self.width = max(1, width)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let priority = job.priority
    let mayRun = state.withLock { state in
      state.waiting.add(job)
      guard state.running < width else { return false }
      state.running += 1
      return true
    }
    guard mayRun else { return }
    DispatchQueue.global().async(qos: priority.quality) { self.runWaiting() }
  }

  /// Runs jobs until none waits.
  private func runWaiting() {
    while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func next() -> UnownedJob? {
    state.withLock { state in
      if let job = state.waiting.next() { return job }
      state.running -= 1
      return nil
    }
  }
}
