#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore

  /// The command that measures situations of programs that no workload of the main table has, beside hand-written code
  /// for the same work.
  struct Situations: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measures situations of programs that the main table does not have, beside hand-written SQLite code.")

    @Option(help: "The number of items; the models with subclasses and structs have a tenth as many rows.")
    var rows = 100_000

    @Option(help: "How often everything is measured; the table shows medians.")
    var rounds = 5

    @Option(parsing: .upToNextOption, help: "The situations to measure, all by default.")
    var only: [Situation] = []

    @OptionGroup var options: MeasuringOptions

    func validate() throws {
      try MeasuringOptions.check(rows: rows, rounds: rounds)
      if let missing = only.first(where: { !$0.isAvailable }) { throw ValidationError(Self.advice(on: missing)) }
    }

    private static func advice(on situation: Situation) -> String {
      "\(situation.rawValue) needs the trait Encryption of this package: BENCHMARK_ENCRYPTION=1 ./run situations"
    }

    func run() throws {
      let situations = Situation.allCases.filter { $0.isAvailable && (only.isEmpty || only.contains($0)) }
      let plan = SituationPlan(rows: rows)
      let results = try SituationContest(situations: situations, plan: plan, rounds: rounds).run()
      let table = SituationTable(results, plan: plan, rounds: rounds, clock: options.clock)
      print(table.text(TerminalStyle.ofStandardOutput))
      for missing in Situation.allCases where !missing.isAvailable {
        print("Not measured: \(Self.advice(on: missing))")
      }
      try options.markdown.map { try MeasuringOptions.write(table.markdown, to: $0) }
      if results.contains(where: { !$0.disagreements.isEmpty }) { throw ExitCode.failure }
    }
  }

  extension Situation: ExpressibleByArgument {}
#endif
