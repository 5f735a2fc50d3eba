import Foundation
import Testing

/// A process of the program `Migrator`.
final class MigratorProcess {
  private let process = Process()
  private let output = Pipe()

  init(_ arguments: String...) throws {
    process.executableURL = URL(filePath: try Self.program())
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  private static func program() throws -> String {
    let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let places = [executable] + CommandLine.arguments.map { URL(filePath: $0) }
    let programs = places.map { $0.deletingLastPathComponent().appending(path: "Migrator").path }
    return try #require(programs.first { access($0, X_OK) == 0 }, "the program is beside the test executable")
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
