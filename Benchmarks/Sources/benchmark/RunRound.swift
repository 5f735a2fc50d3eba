import ArgumentParser
import BenchmarkCore
import Foundation

#if PostgreSQL
  import LibpqContender
#endif

/// One round of one contender. ``Compare`` runs it in a process of its own, so that no contender inherits another's
/// heap or SQLite's process-wide settings.
struct RunRound: ParsableCommand {
  /// The name on the command line.
  static let name = "run-round"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Option var contender: String
  @Option var rows: Int
  @Option var directory: String
  @Option(parsing: .upToNextOption) var only: [Workload]
  @Option var repetitions = Int.max

  /// The database of the round, if it is on a server.
  @Option var database: String?
  /// The first process of that server.
  @Option var serverProcess: Int32?

  /// The file of a round's report.
  static func reportFile(in directory: URL) -> URL {
    directory.appendingPathComponent("report.json")
  }

  func run() throws {
    let directory = URL(fileURLWithPath: directory)
    let (contender, server) = try contenderAndServer
    let round = Round(
      of: contender,
      plan: WorkPlan(rows: rows),
      file: directory.appendingPathComponent("items.store"),
      mostRepetitions: repetitions,
      server: server
    )
    let report = try round.run(Set(only))
    try JSONEncoder().encode(report).write(to: Self.reportFile(in: directory))
  }

  private var contenderAndServer: (any Contender, DatabaseServer?) {
    get throws {
      #if PostgreSQL
        if let database, let serverProcess {
          let contender = try PostgresContenders.named(contender, on: database)
          return (contender, PostgresCluster.server(of: database, process: serverProcess))
        }
      #endif
      return (try Contenders.named(contender), nil)
    }
  }
}
