import Foundation

/// Runs the jobs of models that have no context, one at a time.
///
/// All such models share the queue, because they may be related to each other before any of them is inserted.
final class DetachedModelQueue: Sendable {
  static let shared = DetachedModelQueue()

  private static let key = DispatchSpecificKey<Bool>()
  private let queue: DispatchQueue
  private let running = Running()

  private init() {
    queue = DispatchQueue(label: "SwiftData.unbound")
    queue.setSpecific(key: Self.key, value: true)
  }

  func enqueue(_ job: UnownedJob, of execution: ForwardingExecutor) {
    queue.async {
      // The model was inserted while the job waited, so the executor of its context runs the job.
      guard self.running.begin(execution) else { return execution.pass(job) }
      job.runSynchronously(on: execution.asUnownedSerialExecutor())
      self.running.end()
    }
  }

  /// Waits until the running job of a model without a context has ended, and runs a block before the next job, because
  /// each job may use any model without a context. If the caller is itself such a job, the block runs at once.
  func interrupt(_ body: () -> Void) {
    running.interrupt(isHere: isRunningHere, body)
  }

  var isRunningHere: Bool { DispatchQueue.getSpecific(key: Self.key) ?? false }

  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }
}

/// Records whether the queue is running a job of a model without a context.
private final class Running: @unchecked Sendable {
  // Unchecked: the condition guards `isBusy`.
  private let condition = NSCondition()
  private var isBusy = false

  /// Marks a job as running. Returns false if its model was inserted into a context while the job waited.
  func begin(_ execution: ForwardingExecutor) -> Bool {
    condition.lock()
    let executor = execution.resolvedExecutor
    let isUnbound = if case .unbound = executor { true } else { false }
    if isUnbound { isBusy = true }
    condition.unlock()
    // The executor is released after the lock: its deinit releases its context, which acquires the lock.
    withExtendedLifetime(executor) {}
    return isUnbound
  }

  func end() {
    condition.lock()
    isBusy = false
    condition.broadcast()
    condition.unlock()
  }

  func interrupt(isHere: Bool, _ body: () -> Void) {
    condition.lock()
    while !isHere, isBusy { condition.wait() }
    body()
    condition.unlock()
  }
}
