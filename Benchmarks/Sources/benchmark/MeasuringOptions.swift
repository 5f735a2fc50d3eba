import ArgumentParser
import BenchmarkCore

/// What every comparison with hand-written code can be told.
struct MeasuringOptions: ParsableArguments {
  @Option(help: "Which time the ratios are of: cpu or wall.")
  var clock = Clock.cpu

  @Option(help: "Writes a table in Markdown to this file.", completion: .file())
  var markdown: String?

  static func check(rows: Int, rounds: Int) throws {
    guard rows >= 1000 else { throw ValidationError("At least 1000 rows are needed.") }
    guard rounds >= 1 else { throw ValidationError("At least one round is needed.") }
  }
}

extension Clock: ExpressibleByArgument {}
