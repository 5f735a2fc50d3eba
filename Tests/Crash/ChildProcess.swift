import ConformanceSupport
import Foundation
import Testing

/// A process of the program `CrashWriter`, and the output that it has printed so far.
final class ChildProcess {
  private let process: ProgramProcess
  private(set) var lines: [String] = []
  private var hasEnded = false

  var identifier: pid_t { process.identifier }

  init(_ arguments: String...) throws {
    process = try ProgramProcess("CrashWriter", arguments)
  }

  deinit {
    if !hasEnded { _ = endStatus() }
  }

  // MARK: Output

  /// Waits until the process has printed enough lines with a prefix.
  func waitForLines(_ count: Int = 1, beginningWith prefix: String) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while lines.count(where: { $0.hasPrefix(prefix) }) < count {
      try #require(ContinuousClock.now < deadline, "the process is silent after \(lines.suffix(3))")
      process.waitForOutput()
      let isOpen = listen()
      try #require(isOpen, "the process has ended after \(lines.suffix(3))")
    }
  }

  /// Reads the output that is available. Returns false at the end of the output.
  @discardableResult
  func listen() -> Bool {
    process.listen { lines.append($0) }
  }

  // MARK: Ending

  /// Kills the process, and reads its remaining output.
  func kill() throws {
    let status = endStatus()
    listen()
    try #require(status == SIGKILL, "the process ended by itself, with \(status), after \(lines.suffix(3))")
  }

  /// Kills the process if it has not ended by itself, and reads its remaining output.
  func end() {
    _ = endStatus()
    listen()
  }

  /// Waits until the process ends by itself, and returns its exit code.
  func exitCode() throws -> Int32 {
    var status: Int32 = 0
    try #require(waitpid(identifier, &status, 0) == identifier)
    hasEnded = true
    listen()
    try #require(status & 0x7F == 0, "a signal ended the process")
    return (status >> 8) & 0xFF
  }

  private func endStatus() -> Int32 {
    var status: Int32 = 0
    Foundation.kill(identifier, SIGKILL)
    waitpid(identifier, &status, 0)
    hasEnded = true
    return status
  }
}
