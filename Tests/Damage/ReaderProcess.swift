import ConformanceSupport
import Foundation
import Testing

/// A process of the program `DamageReader`, and how it ended.
final class ReaderProcess {
  /// Sets are stored in the same order each time.
  private static let environment = ["SWIFT_DETERMINISTIC_HASHING=1", "SWIFT_BACKTRACE=enable=no", "TZ=UTC"]

  private let process: ProgramProcess
  /// The output since the last case began. The first line names the case.
  private(set) var story: [String] = []
  /// Errors that are not the library's, each with its case.
  private(set) var strange: [String] = []

  init(_ arguments: [String]) throws {
    process = try ProgramProcess("DamageReader", arguments, environment: Self.environment, showsErrors: false)
  }

  /// Waits for the end, or kills the process after a time without output. Returns the signal that ended it, or 0.
  func signal(silence: Duration) throws -> Int32 {
    var deadline = ContinuousClock.now + silence
    while true {
      process.waitForOutput()
      let line = (story.first, story.count)
      guard listen() else { break }
      if line != (story.first, story.count) { deadline = ContinuousClock.now + silence }
      guard ContinuousClock.now > deadline else { continue }
      Foundation.kill(process.identifier, SIGKILL)
      break
    }
    var status: Int32 = 0
    try #require(waitpid(process.identifier, &status, 0) == process.identifier)
    listen()
    return status & 0x7F
  }

  private func hear(_ line: String) {
    if line.hasPrefix("case ") { story = [] }
    story.append(line)
    if line.hasPrefix("strange ") { strange.append("\(story[0]): \(line)") }
  }

  /// Reads the output that is available. Returns false when no more can come.
  @discardableResult
  private func listen() -> Bool {
    process.listen { hear($0) }
  }
}
