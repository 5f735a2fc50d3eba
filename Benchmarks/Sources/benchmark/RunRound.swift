import ArgumentParser
import BenchmarkCore
import Foundation

#if PostgreSQL
  import LibpqContender
#endif

/// Runs one round of one contender. ``Compare`` runs this command in a process of its own, so that no contender
/// inherits the heap or the process-wide SQLite settings of another contender.
struct RunRound: ParsableCommand {
  /// The name on the command line.
  static let name = "run-round"

  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  @Option var contender: String
  @Option var rows: Int
  @Option var directory: String
  @Option(parsing: .upToNextOption) var only: [Workload]
  @Option var repetitions = Int.max

  /// The connection string of the round's database, if the database is on a server.
  @Option var database: String?
  /// The identifier of the first process of the database's server.
  @Option var serverProcess: Int32?

  /// The file to which a round writes its report.
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
