import ConformanceSupport
import Foundation
import Testing

/// A process of the program `DamageReader`: its output, and the signal that ended it.
final class ReaderProcess {
  /// Deterministic hashing makes the library store the elements of a set in the same order in each run.
  private static let environment = ["SWIFT_DETERMINISTIC_HASHING=1", "SWIFT_BACKTRACE=enable=no", "TZ=UTC"]

  private let process: ProgramProcess
  /// The output since the current case began. The first line is the number of the case.
  private(set) var story: [String] = []
  /// Errors that are not of the type `SwiftDataError`, each with the line that names its case.
  private(set) var strange: [String] = []

  init(_ arguments: [String]) throws {
    process = try ProgramProcess("DamageReader", arguments, environment: Self.environment, showsErrors: false)
  }

  /// Waits until the process ends, or kills it when it has printed nothing for the given time. Returns the number of
  /// the signal that ended the process, or 0.
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

  /// Reads the output that is available. Returns false if the process has closed its output.
  @discardableResult
  private func listen() -> Bool {
    process.listen { hear($0) }
  }
}
