import ArgumentParser
import BenchmarkCore
import Foundation

/// The options that all comparisons with hand-written code have.
struct MeasuringOptions: ParsableArguments {
  @Option(help: "Which time the ratios are of: cpu or wall.")
  var clock = Clock.cpu

  @Option(help: "Writes a table in Markdown to this file.", completion: .file())
  var markdown: String?

  static func check(rows: Int, rounds: Int) throws {
    guard rows >= 1000 else { throw ValidationError("At least 1000 rows are needed.") }
    guard rounds >= 1 else { throw ValidationError("At least one round is needed.") }
  }

  /// Writes the text to a file, and creates the file's folder if it does not exist.
  static func write(_ text: String, to path: String) throws {
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}

extension Clock: ExpressibleByArgument {}
