#if MEASURES_LIBRARY
  import BenchmarkCore
  import BenchmarkGauge
  import Foundation

  /// One round of one contender, whose instructions callgrind counts.
  struct CountedRound {
    let contender: any Contender
    let workloads: [Workload]
    let rows: Int

    /// A place of the round's own.
    let directory: URL

    /// Each workload is done twice if it can be, and the second time counts: the first one pays for what is made once.
    private static let repetitions = 2

    /// Hashes with one seed, symbols bound before anything is counted, and an allocator that finds what was freed at a
    /// constant cost: putting pieces together again depends on all that was done before, and takes up to some per cent.
    private static let environment = [
      "SWIFT_DETERMINISTIC_HASHING": "1", "LD_BIND_NOW": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=65535",
    ]

    /// The last profile of each workload: callgrind numbers its dumps in the order of the report.
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

    /// Counts within the stopwatch's function alone, and writes a dump whenever that ends. The patterns differ, since
    /// callgrind obeys one of two options alone when their patterns are the same.
    private var callgrind: [String] {
      [
        "valgrind", "--quiet", "--tool=callgrind", "--dump-line=no", "--compress-strings=no", "--compress-pos=no",
        "--callgrind-out-file=\(directory.path)/counts",
        "--toggle-collect=*9StopwatchC7measure*", "--dump-after=*13BenchmarkCore9StopwatchC7measure*",
      ]
    }

    /// What comes before a workload is done even if it is not measured. What is made once, and where memory is free,
    /// would otherwise differ from a round of everything, by some per cent.
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
