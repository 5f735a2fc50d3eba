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

  /// Waits for the first output of the process.
  func waitForFirstLine() { _ = output.fileHandleForReading.availableData }

  /// Kills the process, and returns whether it was still running.
  func kill() -> Bool {
    let isRunning = process.isRunning
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return isRunning && process.terminationReason == .uncaughtSignal
  }

  /// Waits for the end, and returns the exit status and the output.
  func result() -> (code: Int32, text: String) {
    let data = (try? output.fileHandleForReading.readToEnd()) ?? nil
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data ?? Data(), as: UTF8.self))
  }
}
