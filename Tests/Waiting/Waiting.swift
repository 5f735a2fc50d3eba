import Foundation

// The functions with which tests wait. A test waits until a condition holds, and fails after a deadline. A fixed pause
// instead would be too short on a busy machine and too long on other machines. `SleepTests` reports calls that pause in
// any other file.

/// The default deadline of a wait: 120 s, which suffices on a machine that runs thousands of other tests meanwhile.
package let patience = Duration.seconds(120)

/// Suspends the task until the condition holds or the deadline has passed.
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
    // The condition is polled, because nothing notifies a test that another thread has finished or an object was
    // released.
    try? await Task.sleep(for: pause.next())
  }
  return true
}

/// Blocks this thread until the condition holds or the deadline has passed. For code outside tasks, and code that must
/// not suspend.
///
/// - Parameters:
///   - longestPause: The longest pause between two checks of the condition. Pass a shorter one if several threads or
///   processes must continue at the same time.
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

/// Blocks this thread for a fixed time. Only for tests of elapsed time itself, such as a delay, or for a moment of
/// which nothing can notify the test. A comment at each call gives the reason.
package func letTimePass(_ time: Duration) {
  let microseconds = time / .microseconds(1)
  if microseconds > 0 { usleep(UInt32(min(microseconds, 60_000_000))) }
}

/// Blocks this thread for a random time. A test that then injects a fault thereby interrupts an operation at a
/// different point each time.
///
/// - Parameter limit: The longest time to block, which is the duration of the operation to interrupt.
package func letTimePass(upTo limit: Duration, using random: inout some RandomNumberGenerator) {
  letTimePass(.microseconds(Int64.random(in: 0...max(0, Int64(limit / .microseconds(1))), using: &random)))
}

/// The pauses between two checks of a condition. They are short at first, because most conditions hold soon.
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
