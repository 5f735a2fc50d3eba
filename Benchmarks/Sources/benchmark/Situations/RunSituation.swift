#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import RawContender

  /// Runs a part of a situation by one contender, in a process of its own.
  struct RunSituation: ParsableCommand {
    static let name = "run-situation"
    static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

    @Option var contender: String
    @Option var situation: Situation
    @Option var rows: Int
    @Option var folder: String

    /// How often the situation runs. Each run but the last one has a folder of its own; the report is of the last run.
    @Option var repetitions = 1

    /// The file in the folder to which the process writes its report.
    static func reportFile(in folder: URL) -> URL { folder.appending(path: "report.json") }

    func run() throws {
      let contender: any SituationContender =
        contender == SituationContest.base.name ? SituationContest.base : SituationContest.library
      let (folder, plan, stopwatch) = (URL(fileURLWithPath: folder), SituationPlan(rows: rows), Stopwatch())
      for number in 1..<max(1, repetitions) {
        let other = folder.appending(path: "run \(number)")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        _ = try contender.run(situation, plan, in: other, Stopwatch())
      }
      let checksum = try contender.run(situation, plan, in: folder, stopwatch)
      let report = SituationReport(stopwatch.samples, checksum: checksum)
      try JSONEncoder().encode(report).write(to: Self.reportFile(in: folder))
    }
  }

  extension SituationReport {
    /// Runs a situation in two processes, one after the other, with the same file: the first one creates the file, and
    /// the second one opens it. The report has the samples of both.
    static func ofTwoProcesses(
      _ situation: Situation, _ contender: any SituationContender, _ plan: SituationPlan
    ) throws -> SituationReport {
      let folder = FileManager.default.temporaryDirectory.appending(path: "situation-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let first = try ofProcess(situation, contender, plan, folder)
      let second = try ofProcess(situation, contender, plan, folder)
      let stored = try RawEntities.checksum(of: folder.appending(path: "situation.store"))
      let report = SituationReport(
        first.samples + second.samples, checksum: first.checksum &+ second.checksum &+ stored)
      try report.check(situation, contender, plan)
      return report
    }

    private static func ofProcess(
      _ situation: Situation, _ contender: any SituationContender, _ plan: SituationPlan, _ folder: URL
    ) throws -> SituationReport {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = [
        RunSituation.name, "--contender", contender.name, "--situation", situation.rawValue, "--rows", "\(plan.rows)",
        "--folder", folder.path,
      ]
      try process.run()
      Interruption.during(process) { process.waitUntilExit() }
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw ContestError.failed(contender: contender.title, status: process.terminationStatus)
      }
      let report = RunSituation.reportFile(in: folder)
      return try JSONDecoder().decode(SituationReport.self, from: Data(contentsOf: report))
    }
  }
#endif
