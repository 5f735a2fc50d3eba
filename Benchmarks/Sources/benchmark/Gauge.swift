#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import BenchmarkGauge
  import Foundation

  /// The command that counts the instructions of workloads and situations, which are more reproducible than times, and
  /// compares the counts with a table under version control.
  struct Gauge: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Counts the instructions of every workload and situation with callgrind.",
      discussion: """
        With --check, the exit code is 1 when a workload takes over 2 % more instructions than the table says, and 3 \
        when the table was made with another compiler, C library, SQLite, valgrind or kind of processor: then nothing \
        is compared.
        """
    )

    /// The exit code if the conditions of this machine differ from those of the table, so that counts are not
    /// comparable.
    private static let incomparable = ExitCode(3)

    @Option(help: "The number of rows in the table.")
    var rows = 2000

    @Option(parsing: .upToNextOption, help: "The workloads to count, all by default.")
    var only: [Workload] = []

    @Option(parsing: .upToNextOption, help: "The situations to count, all by default.")
    var situations: [Situation] = []

    @Option(help: "The file that counts are compared with or stored in.", completion: .file())
    var table = "instructions.txt"

    @Flag(help: "Fails when a workload takes over 2 % more instructions than the file says.")
    var check = false

    @Flag(help: "Stores the counts in the file.")
    var write = false

    func validate() throws {
      try MeasuringOptions.check(rows: rows, rounds: 1)
      guard !write || only.isEmpty && situations.isEmpty && !check else {
        throw ValidationError("--write stores every workload and situation, and compares nothing.")
      }
      if let other = situations.first(where: { !$0.isCountable }) {
        throw ValidationError("\(other.rawValue) is not counted.")
      }
    }

    func run() throws {
      let conditions = try Machine.conditions(rows: rows)
      let stored = try check ? readTable() : nil
      if let stored { try refuse(stored, under: conditions) }
      let isAll = only.isEmpty && situations.isEmpty
      let counting = Counting(
        workloads: Workload.ofFiles.filter { isAll || only.contains($0) },
        situations: Situation.allCases.filter { isAll ? $0.isCountable : situations.contains($0) }, rows: rows)
      let measured = try counting.run(under: conditions)
      print(GaugeOverview(measured).text)
      if write { try measured.text.write(to: file, atomically: true, encoding: .utf8) }
      if let stored { try compare(measured, with: stored) }
    }

    private var file: URL { URL(fileURLWithPath: table) }

    private func readTable() throws -> GaugeTable {
      try GaugeTable(text: String(contentsOf: file, encoding: .utf8))
    }

    /// Exits if the conditions differ, before anything is counted, because counting takes a minute.
    private func refuse(_ stored: GaugeTable, under conditions: [Condition]) throws {
      let differences = Condition.differences(of: stored.conditions, from: conditions)
      guard !differences.isEmpty else { return }
      print("The instructions are not compared with those of \(table):")
      print(differences.map { "  " + $0 }.joined(separator: "\n"))
      throw Self.incomparable
    }

    private func compare(_ measured: GaugeTable, with stored: GaugeTable) throws {
      let comparison = GaugeComparison(of: measured, with: stored)
      print("\n" + comparison.lines.joined(separator: "\n"))
      if !comparison.isPassed { throw ExitCode.failure }
    }
  }
#endif
