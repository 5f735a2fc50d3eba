#if PostgreSQL
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import LibpqContender

  /// The command that runs rounds of all contenders for PostgreSQL in turn, on a server of its own, and compares their
  /// times.
  struct Postgres: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measures stores in PostgreSQL beside hand-written libpq code and SQLAlchemy, on a server of its own.")

    @Option(help: "The number of rows in the table.")
    var rows = 100_000

    @Option(help: "How often each contender is measured; the tables show medians.")
    var rounds = 5

    @Option(parsing: .upToNextOption, help: "The workloads to measure, all by default.")
    var only: [Workload] = []

    @Option(parsing: .upToNextOption, help: "The contenders to compare with libpq, all by default.")
    var contenders: [String] = []

    @Flag(help: "Commits wait for the disk.")
    var flush = false

    @Flag(help: "The server and the contenders each have half of the processors, as if they ran on two machines.")
    var apart = false

    @Option(help: "Writes a table in Markdown to this file.", completion: .file())
    var markdown: String?

    func validate() throws {
      try MeasuringOptions.check(rows: rows, rounds: rounds)
      _ = try PostgresContenders.participants(named: contenders)
      if apart, ProcessorSet.halves == nil { throw ValidationError("--apart needs two processors.") }
    }

    func run() throws {
      let halves = apart ? ProcessorSet.halves : nil
      let cluster = try PostgresCluster(flushes: flush, processors: halves?.1)
      let participants = try installed(PostgresContenders.participants(named: contenders))
      let place = ServerPlace(
        cluster: cluster, processors: halves?.0, plan: try PlanFile(for: participants, rows: rows))
      let workloads = Workload.allCases.filter { only.isEmpty || only.contains($0) }
      let contest = Contest(
        contenders: participants, workloads: workloads, rows: rows, rounds: rounds, place: place)
      let table = PostgresTable(
        try contest.run(), version: try cluster.version, flushes: flush, isApart: apart)
      print(table.text(in: TerminalStyle.ofStandardOutput))
      try markdown.map { try MeasuringOptions.write(table.markdown, to: $0) }
      if !table.disagreements.isEmpty { throw ExitCode.failure }
    }

    /// Removes SQLAlchemy from the participants and prints how to install it, if it is not installed.
    private func installed(_ participants: [any Participant]) -> [any Participant] {
      guard participants.contains(where: { $0 is SQLAlchemy }), !SQLAlchemy.isInstalled else { return participants }
      FileHandle.standardError.write(Data((SQLAlchemy.advice + "\n").utf8))
      return participants.filter { !($0 is SQLAlchemy) }
    }
  }

  /// Runs rounds with databases on a server. Each round gets a new database.
  struct ServerPlace: RoundPlace {
    let cluster: PostgresCluster
    /// The processors on which the contenders run, or nil for all.
    let processors: ProcessorSet?
    /// Nil if SQLAlchemy does not take part.
    let plan: PlanFile?

    func withCommand(of contender: any Participant, rows: Int, _ body: ([String]) throws -> Void) throws {
      let process = try "\(cluster.process)"
      try cluster.withDatabase { database in
        let start = processors?.command ?? []
        guard contender is SQLAlchemy, let plan else {
          return try body(
            start + FilePlace.command(of: contender, rows: rows)
              + ["--database", database, "--server-process", process])
        }
        let url = database.replacing("postgresql://", with: "postgresql+psycopg://")
        try body(start + SQLAlchemy.command + ["--url", url, "--server-process", process, "--plan", plan.path])
      }
    }
  }
#endif
