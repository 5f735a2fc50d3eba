import Foundation

// The functions with which tests wait. A test waits for a named condition, and fails after a deadline. A fixed pause
// would be too short on a busy machine and too long on other machines. `SleepTests` finds pauses anywhere else.

/// The default deadline, which suits a machine that runs thousands of other tests.
package let patience = Duration.seconds(120)

/// Suspends the task until a condition holds.
///
/// - Returns: Whether the condition holds; false after the deadline.
package func eventually(
  within limit: Duration = patience, isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  var pause = Pause()
  while try await !condition() {
    guard ContinuousClock.now < deadline else { return false }
    // Polls, because the work of another thread or the release of an object is not announced.
    try? await Task.sleep(for: pause.next())
  }
  return true
}

/// Waits until a condition holds, and blocks this thread: for code outside tasks, or code that must not suspend.
///
/// - Parameters:
///   - longestPause: The longest pause between two checks; shorter if several threads or processes must continue at the
///   same time.
/// - Returns: Whether the condition holds; false after the deadline.
package func waitUntil(
  within limit: Duration = patience, longestPause: Duration = Pause.longest, _ condition: () throws -> Bool
) rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  var pause = Pause(longest: longestPause)
  while try !condition() {
    guard ContinuousClock.now < deadline else { return false }
    letTimePass(pause.next())
  }
  return true
}

/// Blocks this thread for a time, for tests of elapsed time itself: a delay, or a moment that nothing announces. Each
/// call has a comment that gives the reason.
package func letTimePass(_ time: Duration) {
  let microseconds = time / .microseconds(1)
  if microseconds > 0 { usleep(UInt32(min(microseconds, 60_000_000))) }
}

/// Blocks this thread for a random time, so that a fault that is injected afterwards interrupts an operation at a
/// different point each time.
///
/// - Parameter limit: The longest time; the duration of the operation.
package func letTimePass(upTo limit: Duration, using random: inout some RandomNumberGenerator) {
  letTimePass(.microseconds(Int64.random(in: 0...max(0, Int64(limit / .microseconds(1))), using: &random)))
}

/// The pauses between two checks: short at first, because most conditions hold at once.
package struct Pause {
  package static let longest = Duration.milliseconds(10)

  private let longest: Duration
  private var length: Duration

  init(longest: Duration = Self.longest) {
    self.longest = longest
    length = min(longest, .microseconds(200))
  }

  mutating func next() -> Duration {
    defer { length = min(longest, length * 2) }
    return length
  }
}
