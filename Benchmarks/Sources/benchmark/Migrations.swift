#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import OurContender
  import RawContender

  /// The command that measures how long the library takes to migrate a store of a trip planner, and how long
  /// hand-written SQL takes for the same steps.
  struct Migrations: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measures migrations of a trip planner beside hand-written SQL for the same steps.")

    @Option(help: "The number of trips; there are as many items, and a tenth as many places to live.")
    var rows = 1_000_000

    @Option(help: "How often everything is measured; the table shows medians.")
    var rounds = 3

    @Option(parsing: .upToNextOption, help: "The migrations to measure, all by default.")
    var only: [MigrationCase] = []

    @OptionGroup var options: MeasuringOptions

    func validate() throws {
      try MeasuringOptions.check(rows: rows, rounds: rounds)
    }

    func run() throws {
      let cases = MigrationCase.allCases.filter { only.isEmpty || only.contains($0) }
      let results = try MigrationContest(cases: cases, rows: rows, rounds: rounds).run()
      let table = MigrationTable(results, rows: rows, rounds: rounds, clock: options.clock)
      print(TerminalTable(table.layout, caption: table.caption, style: TerminalStyle.ofStandardOutput).text)
      if let markdown = options.markdown {
        let text = MarkdownTable(table.layout, caption: table.caption).text
        try text.write(to: URL(fileURLWithPath: markdown), atomically: true, encoding: .utf8)
      }
      for result in results where !result.isEqual { print("mismatch: \(result.step.title)") }
      if results.contains(where: { !$0.isEqual }) { throw ExitCode.failure }
    }
  }

  extension MigrationCase: ExpressibleByArgument {}

  /// Runs one migration by one contender. It runs in a process of its own, so that the peak memory of the process is
  /// that of the migration.
  struct RunMigration: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run-migration", shouldDisplay: false)

    @Option var contender: String
    @Option var step: MigrationCase
    @Option var file: String

    /// The file beside the store to which the process writes its report.
    static func reportFile(of store: URL) -> URL { store.appendingPathExtension("report") }

    func run() throws {
      let store = URL(fileURLWithPath: file)
      let report = try MigrationReport { stopwatch in
        guard contender == Contenders.base.name else { return try OurMigration.migrate(store, step, stopwatch) }
        try stopwatch.measure { try RawMigration(store).migrate(step) }
      }
      try JSONEncoder().encode(report).write(to: Self.reportFile(of: store))
    }
  }
#endif
