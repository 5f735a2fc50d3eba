import ConformanceSupport
import Foundation

/// A process of the program `Migrator`.
final class MigratorProcess {
  private let process = Process()
  private let output = Pipe()

  init(_ arguments: String...) throws {
    process.executableURL = try TestProgram.url("Migrator")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// Waits until the process has said its first line.
  func waitForFirstLine() { _ = output.fileHandleForReading.availableData }

  /// Kills the process and says whether it was still running.
  func kill() -> Bool {
    let isRunning = process.isRunning
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return isRunning && process.terminationReason == .uncaughtSignal
  }

  /// Waits for the end, and returns what the process said.
  func result() -> (code: Int32, text: String) {
    let data = (try? output.fileHandleForReading.readToEnd()) ?? nil
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data ?? Data(), as: UTF8.self))
  }
}
