import SwiftData

/// A process that runs a Python script, which uses a database through Python's SQLite.
// Sendable without checks: a test passes the whole object to another thread.
package final class PythonProcess: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let beginning: Data

  /// Starts a script and waits until it has printed a line.
  package init(_ script: String, arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-u", "-c", script] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    beginning = output.fileHandleForReading.availableData
  }

  /// Closes the script's input, so that the script continues, and waits for its end. Returns its exit status.
  package func finish() -> Int32 {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    return process.terminationStatus
  }

  package func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  package static func run(_ script: String, arguments: [String]) throws -> Int32 {
    try PythonProcess(script, arguments: arguments).finish()
  }

  /// Runs a script, and returns its output and exit status.
  static func output(of script: String, arguments: [String]) throws -> (status: Int32, text: String) {
    let process = try PythonProcess(script, arguments: arguments)
    let rest = try process.output.fileHandleForReading.readToEnd() ?? Data()
    return (process.finish(), String(decoding: process.beginning + rest, as: UTF8.self))
  }

  /// A script that takes the write lock of a database, and holds the lock until its input is closed.
  package static let holdLock = """
    import sqlite3, sys
    c = sqlite3.connect(sys.argv[1], isolation_level=None)
    c.execute('BEGIN IMMEDIATE')
    print('locked')
    sys.stdin.read()
    c.execute('ROLLBACK')
    """
}
