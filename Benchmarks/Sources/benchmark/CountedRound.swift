#if MEASURES_LIBRARY
  import BenchmarkCore
  import BenchmarkGauge
  import Foundation

  /// One round of one contender, whose instructions callgrind counts.
  struct CountedRound {
    let contender: any Contender
    let workloads: [Workload]
    let rows: Int

    /// The folder in which the database and callgrind's files of this round are.
    let directory: URL

    /// Each workload runs twice if possible, and only the second run is counted, because the first run includes
    /// one-time initialisations.
    private static let repetitions = 2

    /// Runs the round and returns the last profile of each workload.
    func run(_ executable: URL) throws -> [Workload: Profile] {
      let files = try CountedProcess(arguments: arguments, directory: directory).run(executable)
      let report = try JSONDecoder().decode(
        RoundReport.self, from: Data(contentsOf: RunRound.reportFile(in: directory)))
      let expected = report.results.reduce(0) { $0 + $1.samples.count }
      guard files.count == expected else { throw GaugeError.dumps(found: files.count, expected: expected) }
      var profiles: [Workload: Profile] = [:]
      var measured = 0
      for result in report.results {
        measured += result.samples.count
        profiles[result.workload] = try Profile(in: files[measured - 1])
      }
      return profiles
    }

    /// The arguments of the round. It also runs all earlier workloads, even if they are not measured. Without them,
    /// one-time initialisations and free memory would differ from those in a complete round, which would change the
    /// counts by some per cent.
    private var arguments: [String] {
      let last = Workload.ofFiles.lastIndex { workloads.contains($0) } ?? 0
      let all = Workload.ofFiles.prefix(last + 1)
      return [
        RunRound.name, "--contender", contender.name, "--rows", String(rows), "--directory", directory.path,
        "--repetitions", String(Self.repetitions), "--only",
      ] + all.map(\.rawValue)
    }
  }
#endif
