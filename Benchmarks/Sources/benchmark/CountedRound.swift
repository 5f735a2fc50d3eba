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

    /// Settings that make counts reproducible. Hashes have a fixed seed, and symbols are bound before counting. The
    /// allocator reuses freed memory at a constant cost: otherwise it would merge free blocks, which depends on all
    /// earlier allocations and takes up to some per cent.
    private static let environment = [
      "SWIFT_DETERMINISTIC_HASHING": "1", "LD_BIND_NOW": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=65535",
    ]

    /// Runs the round and returns the last profile of each workload. Callgrind numbers its dumps in the order of the
    /// samples in the report.
    func run(_ executable: URL) throws -> [Workload: Profile] {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      let command = callgrind + [executable.path] + round
      _ = try ChildProcess.run(command, adding: Self.environment)
      let report = try JSONDecoder().decode(
        RoundReport.self, from: Data(contentsOf: RunRound.reportFile(in: directory)))
      try checkDumps(of: report)
      var profiles: [Workload: Profile] = [:]
      var dump = 0
      for result in report.results {
        dump += result.samples.count
        profiles[result.workload] = try Profile(callgrind: String(contentsOf: file(dump), encoding: .utf8))
      }
      return profiles
    }

    /// The command line of callgrind. It counts only within the function `Stopwatch.measure`, and writes a dump
    /// whenever this function returns. The two patterns for the function differ, because callgrind ignores one of two
    /// options with the same pattern.
    private var callgrind: [String] {
      [
        "valgrind", "--quiet", "--tool=callgrind", "--dump-line=no", "--compress-strings=no", "--compress-pos=no",
        "--callgrind-out-file=\(directory.path)/counts",
        "--toggle-collect=*9StopwatchC7measure*", "--dump-after=*13BenchmarkCore9StopwatchC7measure*",
      ]
    }

    /// The arguments of the round. It also runs all earlier workloads, even if they are not measured. Without them,
    /// one-time initialisations and free memory would differ from those in a complete round, which would change the
    /// counts by some per cent.
    private var round: [String] {
      let last = Workload.ofFiles.lastIndex { workloads.contains($0) } ?? 0
      let all = Workload.ofFiles.prefix(last + 1)
      return [
        RunRound.name, "--contender", contender.name, "--rows", String(rows), "--directory", directory.path,
        "--repetitions", String(Self.repetitions), "--only",
      ] + all.map(\.rawValue)
    }

    private func file(_ dump: Int) -> URL {
      directory.appendingPathComponent("counts.\(dump)")
    }

    private func checkDumps(of report: RoundReport) throws {
      let expected = report.results.reduce(0) { $0 + $1.samples.count }
      let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      let found = files.filter { $0.hasPrefix("counts.") }.count
      guard found == expected else { throw GaugeError.dumps(found: found, expected: expected) }
    }
  }
#endif
