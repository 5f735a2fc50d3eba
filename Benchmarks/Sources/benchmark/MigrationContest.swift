#if MEASURES_LIBRARY
  import BenchmarkCore
  import Foundation
  import OurContender
  import RawContender

  /// Runs migrations by hand-written SQL and by the library in turn, each on a copy of the same store.
  struct MigrationContest {
    /// The measurements of one migration.
    struct Result {
      let step: MigrationCase
      /// The reports of each contender, one for each round, by the contender's name.
      var reports: [String: [MigrationReport]] = [:]
      /// True if the migrated stores of all contenders had the same rows in every round.
      var isEqual = true
    }

    let cases: [MigrationCase]
    let rows: Int
    let rounds: Int

    static let contenders = ["raw", "ours"]

    func run() throws -> [Result] {
      let folder = FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let progress = Progress()
      defer { progress.clear() }
      return try cases.map { step in
        progress.show("making \(rows.grouped) trips")
        let template = folder.appending(path: "\(step.rawValue).store")
        try OurMigration.create(template)
        try RawMigration(template).fill(trips: rows, hasDuplicates: step.hasDuplicates)
        defer { try? FileManager.default.removeItem(at: template) }
        return try result(of: step, template) { progress.show($0) }
      }
    }

    private func result(of step: MigrationCase, _ template: URL, _ show: (String) -> Void) throws -> Result {
      var result = Result(step: step)
      var checksum: Int?
      for round in 1...rounds {
        for contender in Self.contenders {
          show("round \(round) of \(rounds): \(step.title), \(contender)")
          let store = template.deletingLastPathComponent().appending(path: "copy.store")
          try FileManager.default.copyItem(at: template, to: store)
          defer {
            for end in ["", "-wal", "-shm", ".report"] { try? FileManager.default.removeItem(atPath: store.path + end) }
          }
          // Writes changed pages to the disk now, so that the system does not write them during a measurement.
          sync()
          result.reports[contender, default: []].append(try runInProcess(contender, step, store))
          let found = try RawMigration(store).checksum(of: step)
          if found != checksum ?? found { result.isEqual = false }
          checksum = found
        }
      }
      return result
    }

    private func runInProcess(_ contender: String, _ step: MigrationCase, _ store: URL) throws -> MigrationReport {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = [
        "run-migration", "--contender", contender, "--step", step.rawValue, "--file", store.path,
      ]
      try process.run()
      Interruption.during(process) { process.waitUntilExit() }
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw ContestError.failed(contender: contender, status: process.terminationStatus)
      }
      return try JSONDecoder().decode(
        MigrationReport.self, from: Data(contentsOf: RunMigration.reportFile(of: store)))
    }
  }
#endif
