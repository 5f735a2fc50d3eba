import ConformanceSupport
import Foundation

/// A running process of the program `Migrator`, which migrates a store.
final class MigratorProcess {
  private let process = Process()
  private let output = Pipe()

  init(_ arguments: String...) throws {
    process.executableURL = try TestProgram.url("Migrator")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// Waits until the process prints for the first time, which it does when the migration begins.
  func waitForFirstLine() { _ = output.fileHandleForReading.availableData }

  /// Kills the process. Returns true if the process was still running.
  func kill() -> Bool {
    let isRunning = process.isRunning
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return isRunning && process.terminationReason == .uncaughtSignal
  }

  /// Waits until the process ends. Returns its exit status and its output.
  func result() -> (code: Int32, text: String) {
    let data = (try? output.fileHandleForReading.readToEnd()) ?? nil
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data ?? Data(), as: UTF8.self))
  }
}
