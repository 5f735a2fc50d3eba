import SwiftData

/// Another process that uses a database with Python's SQLite.
// Unchecked because a test hands it to another thread as a whole.
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

  /// Lets a script go on that waits for its input to end, and waits for its own end.
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

  /// What a script prints until it ends, and how it ends.
  static func output(of script: String, arguments: [String]) throws -> (status: Int32, text: String) {
    let process = try PythonProcess(script, arguments: arguments)
    let rest = try process.output.fileHandleForReading.readToEnd() ?? Data()
    return (process.finish(), String(decoding: process.beginning + rest, as: UTF8.self))
  }

  /// Takes the write lock of a database and keeps it until its input ends.
  package static let holdLock = """
    import sqlite3, sys
    c = sqlite3.connect(sys.argv[1], isolation_level=None)
    c.execute('BEGIN IMMEDIATE')
    print('locked')
    sys.stdin.read()
    c.execute('ROLLBACK')
    """
}
