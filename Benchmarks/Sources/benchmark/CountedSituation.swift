#if MEASURES_LIBRARY
  import BenchmarkCore
  import BenchmarkGauge
  import Foundation

  /// A situation of one contender, whose instructions callgrind counts.
  struct CountedSituation {
    let situation: Situation
    let contender: any SituationContender
    let plan: SituationPlan

    /// The folder for the files of the contender.
    let directory: URL

    /// Runs the situation and returns the profile of each of its phases.
    func run(_ executable: URL) throws -> [Profile] {
      // If the situation needs two processes, each of them is counted, with the same store.
      let processes = situation.needsOwnProcesses ? 2 : 1
      let folder = directory.appending(path: situation.rawValue)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let profiles = try (0..<processes).flatMap { number in
        let process = CountedProcess(
          arguments: arguments(folder), directory: directory.appending(path: "\(situation.rawValue)-\(number)"))
        let files = try process.run(executable)
        let report = try JSONDecoder().decode(
          SituationReport.self, from: Data(contentsOf: RunSituation.reportFile(in: folder)))
        // The insertion of the items and an earlier run were measured too, before the samples of the report.
        guard files.count >= report.samples.count else {
          throw GaugeError.dumps(found: files.count, expected: report.samples.count)
        }
        return try files.suffix(report.samples.count).map { try Profile(in: $0) }
      }
      let expected = situation.phases(in: plan).count
      guard profiles.count == expected else { throw GaugeError.dumps(found: profiles.count, expected: expected) }
      return profiles
    }

    /// Where possible, the situation runs twice, and only the second run is counted, because the first run includes
    /// one-time initialisations.
    private func arguments(_ folder: URL) -> [String] {
      [
        RunSituation.name, "--contender", contender.name, "--situation", situation.rawValue, "--rows", "\(plan.rows)",
        "--folder", folder.path, "--repetitions", situation.needsOwnProcesses ? "1" : "2",
      ]
    }
  }
#endif
