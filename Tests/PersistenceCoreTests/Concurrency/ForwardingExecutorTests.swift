import Foundation
import Testing

@testable import PersistenceSupport

/// An executor that reports the end of its context when it is released, as the executors of contexts do.
private final class EndingExecutor: SerialExecutor {
  static let followerName = "follower"

  private let jobs: ForwardingExecutor
  private let other: ForwardingExecutor
  private let failures: Failures

  init(_ jobs: ForwardingExecutor, other: ForwardingExecutor, failures: Failures) {
    (self.jobs, self.other, self.failures) = (jobs, other, failures)
  }

  // The work runs on a new thread. If the releasing thread still holds a lock, the test then fails and does not
  // deadlock.
  deinit {
    guard Thread.current.name == Self.followerName else { return }
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [jobs, other] in
      jobs.endOn(other)
      hasEnded.signal()
    }
    if hasEnded.wait(timeout: .now() + 20) == .timedOut { failures.count.withLock { $0 += 1 } }
  }

  func enqueue(_ job: consuming ExecutorJob) {}

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

private final class Failures: Sendable {
  let count = Lock(0)
  let isOver = Lock(false)
}

@Suite("Executors that forward jobs")
struct ForwardingExecutorTests {
  @Test("an executor whose last reference is released while a model is inserted is released outside of all locks")
  func lastRelease() {
    let (jobs, other) = (ForwardingExecutor._$new(), ForwardingExecutor.mainActor())
    let failures = Failures()
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      Thread.current.name = EndingExecutor.followerName
      while !failures.isOver.withLock({ $0 }) { jobs.followUnlessBound(other) }
      hasEnded.signal()
    }
    for round in 0..<50_000 where failures.count.withLock({ $0 }) == 0 {
      let executor = EndingExecutor(jobs, other: other, failures: failures)
      jobs.move(to: executor)
      // The number of these reads varies, so that the other thread is at a different step when it gets the last
      // reference.
      for _ in 0..<round % 32 { _ = jobs.isUnbound }
      withExtendedLifetime(executor) {}
    }
    failures.isOver.withLock { $0 = true }
    hasEnded.wait()
    #expect(failures.count.withLock { $0 } == 0)
  }
}
