import ArgumentParser
import BenchmarkCore
import Foundation

/// The command that runs rounds of all contenders in turn, and compares their times.
struct Compare: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures all contenders and prints their ratios to hand-written code.")

  @Option(help: "The number of rows in the table.")
  var rows = 100_000

  @Option(help: "How often each contender is measured; the tables show medians.")
  var rounds = 5

  @Option(parsing: .upToNextOption, help: "The workloads to measure, all by default.")
  var only: [Workload] = []

  @Option(parsing: .upToNextOption, help: "The contenders to compare with raw, by default all but sqlalchemy.")
  var contenders: [String] = []

  @OptionGroup var options: MeasuringOptions

  @Option(help: "Writes a picture in SVG to this file.", completion: .file())
  var picture: String?

  func validate() throws {
    try MeasuringOptions.check(rows: rows, rounds: rounds)
    _ = try Contenders.participants(named: contenders)
    if let workload = only.first(where: \.isOfServer) {
      throw ValidationError("'\(workload.rawValue)' takes a database on a server: it is one of the command 'postgres'.")
    }
  }

  func run() throws {
    let participants = try Contenders.participants(named: contenders)
    let place = FilePlace(plan: try PlanFile(for: participants, rows: rows))
    let contest = Contest(
      contenders: participants, workloads: chosenWorkloads, rows: rows, rounds: rounds, place: place)
    let summary = Summary(of: try contest.run(), clock: options.clock)
    print(TerminalTable(summary, style: TerminalStyle.ofStandardOutput).text)
    try options.markdown.map { try MeasuringOptions.write(MarkdownTable(summary).text, to: $0) }
    try picture.map { try MeasuringOptions.write(Picture(summary).svg, to: $0) }
    if !summary.disagreements.isEmpty { throw ExitCode.failure }
  }

  private var chosenWorkloads: [Workload] {
    Workload.ofFiles.filter { only.isEmpty || only.contains($0) }
  }
}

extension Workload: ExpressibleByArgument {}
