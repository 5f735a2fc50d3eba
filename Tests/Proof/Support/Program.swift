import Foundation
import Testing

/// A program that is installed on the system, such as SQLite's shell.
struct Program {
  struct Result {
    let output: String
    let errors: String
    let status: Int32

    /// The lines of the output. Every kind of line end separates lines: CSV uses CR LF, which is one Character in
    /// Swift.
    var lines: [String] { output.split(whereSeparator: \.isNewline).map(String.init) }
  }

  let command: [String]

  /// The folder of the test's scripts.
  static let scripts = URL(filePath: #filePath).appending(path: "../../Programs").standardizedFileURL

  /// The root folder of the package.
  static let package = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// The environment variables of programs. They keep Python from writing byte code next to the scripts, and set its
  /// text encoding to UTF-8.
  static let variables = ProcessInfo.processInfo.environment.merging(
    ["PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"]) { $1 }

  /// Runs the program until it exits. Returns its output and exit status.
  ///
  /// - Parameter input: The text of the standard input; nil for an empty input.
  func result(_ arguments: [String], input: String? = nil) throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command + arguments
    process.environment = Self.variables
    // Input and output are files. With pipes, a full pipe would block the program unless this thread read two pipes at
    // once.
    let files = try ["input", "output", "errors"].map { try ScratchFile($0) }
    try Data((input ?? "").utf8).write(to: files[0].url)
    process.standardInput = try FileHandle(forReadingFrom: files[0].url)
    process.standardOutput = try FileHandle(forWritingTo: files[1].url)
    process.standardError = try FileHandle(forWritingTo: files[2].url)
    try process.run()
    process.waitUntilExit()
    return Result(
      output: try files[1].text(), errors: try files[2].text(), status: process.terminationStatus)
  }

  /// Runs the program. Throws if it fails or writes to its standard error. Returns the lines of its output.
  @discardableResult
  func run(_ arguments: [String], input: String? = nil, location: SourceLocation = #_sourceLocation) throws -> [String]
  {
    let result = try result(arguments, input: input)
    try #require(
      result.status == 0 && result.errors.isEmpty,
      "\(command.joined(separator: " ")) ended with \(result.status): \(result.errors)", sourceLocation: location)
    return result.lines
  }
}

/// A temporary file. Deinitialising this object deletes it.
final class ScratchFile {
  let url: URL

  init(_ name: String) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "proof-\(UUID().uuidString)-\(name)")
    try Data().write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func text() throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }
}
