import ArgumentParser
import BenchmarkCore
import Foundation

/// One round of one contender. ``Compare`` runs it in a process of its own, so that nobody inherits another's heap
/// or SQLite's process-wide settings.
struct RunRound: ParsableCommand {
  /// What the command line calls it.
  static let name = "run-round"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Option var contender: String
  @Option var rows: Int
  @Option var directory: String
  @Option(parsing: .upToNextOption) var only: [Workload]
  @Option var repetitions = Int.max

  /// The file in which a round leaves its report.
  static func reportFile(in directory: URL) -> URL {
    directory.appendingPathComponent("report.json")
  }

  func run() throws {
    let directory = URL(fileURLWithPath: directory)
    let round = Round(
      of: try Contenders.named(contender),
      plan: WorkPlan(rows: rows),
      file: directory.appendingPathComponent("items.store"),
      mostRepetitions: repetitions
    )
    let report = try round.run(Set(only))
    try JSONEncoder().encode(report).write(to: Self.reportFile(in: directory))
  }
}
