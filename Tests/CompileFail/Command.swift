import Foundation

/// Runs programs on the search path, such as the compiler.
enum Command {
  /// Runs the program that the first argument names, and returns its output and exit status.
  ///
  /// - Parameter environment: The environment variables; nil for those of the tests.
  static func run(
    _ arguments: [String], environment: [String: String]? = nil
  ) throws -> (text: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    if let environment { process.environment = environment }
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text, process.terminationStatus)
  }
}
