import Foundation

// How tests wait. What one waits for is named, and has a deadline after which the test fails: a pause that hopes that something is so by
// then is too short on a busy machine, and too long on every other one. `SleepTests` finds pauses that stand anywhere else.

/// How long something may take that is waited for, on a machine that runs thousands of other tests.
package let patience = Duration.seconds(120)

/// Waits until something is so, and lets other tasks run meanwhile.
///
/// - Returns: Whether it is so. False after the limit.
package func eventually(
  within limit: Duration = patience, isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  var pause = Pause()
  while try await !condition() {
    guard ContinuousClock.now < deadline else { return false }
    // What is waited for may be the work of another thread, or the end of an object, which is not announced.
    try? await Task.sleep(for: pause.next())
  }
  return true
}

/// Waits until something is so, on this thread: where there is no task, or where one has to keep its place.
///
/// - Parameters:
///   - longestPause: How long it is not looked at; shorter where several threads or processes have to go on together.
/// - Returns: Whether it is so. False after the limit.
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

/// Keeps this thread waiting, where time itself is what a test is about: a delay that it makes, a moment that nothing announces. What
/// calls it says why.
package func letTimePass(_ time: Duration) {
  let microseconds = time / .microseconds(1)
  if microseconds > 0 { usleep(UInt32(min(microseconds, 60_000_000))) }
}

/// Lets something go on to any moment of its life, of which it tells nothing: a fault that comes then comes at another place each time.
///
/// - Parameter limit: How long that life is.
package func letTimePass(upTo limit: Duration, using random: inout some RandomNumberGenerator) {
  letTimePass(.microseconds(Int64.random(in: 0...max(0, Int64(limit / .microseconds(1))), using: &random)))
}

/// The pauses between two looks at something: short at first, since most of what is waited for is there at once.
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
