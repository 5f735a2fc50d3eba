#if MEASURES_LIBRARY
  import BenchmarkCore
  import Foundation

  /// Runs all operations for each size, one after the other on the same store, each in a process of its own.
  struct ScaleContest {
    let sizes: [Int]
    /// The operations that are not run. Reports of an earlier run about them are used nevertheless.
    let skipped: [ScaleOperation]
    /// The folder with a folder for each size, which contains the store and the reports.
    let folder: URL

    func run() throws -> [ScaleReport] {
      try sizes.flatMap { rows in
        let place = folder.appending(path: "\(rows)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let reports = try ScaleOperation.allCases.compactMap { try report(on: $0, rows: rows, in: place) }
        removeStore(in: place)
        return reports
      }
    }

    /// Runs an operation, or reads the report of an earlier run of this command. Operations must run in their order, on
    /// the store as the operations before have left it, so a report without its predecessors is not used.
    private func report(on operation: ScaleOperation, rows: Int, in place: URL) throws -> ScaleReport? {
      let file = place.appending(path: "\(operation.rawValue).json")
      if let data = try? Data(contentsOf: file) { return try JSONDecoder().decode(ScaleReport.self, from: data) }
      if skipped.contains(operation) { return nil }
      try runInProcess(operation, rows: rows, in: place, report: file)
      let report = try JSONDecoder().decode(ScaleReport.self, from: Data(contentsOf: file))
      show(report)
      return report
    }

    private func runInProcess(_ operation: ScaleOperation, rows: Int, in place: URL, report: URL) throws {
      let process = Process()
      process.executableURL = Bundle.main.executableURL
      process.arguments = [
        RunScaleOperation.configuration.commandName ?? "", "--operation", operation.rawValue, "--rows", "\(rows)",
        "--folder", place.path, "--report", report.path,
      ]
      // Writes changed pages to the disk now, so that the system does not write them during the measurement.
      sync()
      try process.run()
      Interruption.during(process) { process.waitUntilExit() }
      guard process.terminationReason == .exit, process.terminationStatus == 0 else {
        throw ContestError.failed(
          contender: "\(operation.rawValue) with \(rows) rows", status: process.terminationStatus)
      }
    }

    /// Prints a line for each finished operation, because the largest store takes minutes.
    private func show(_ report: ScaleReport) {
      let line = [
        report.rows.grouped.leftPadded(12), report.operation.title.rightPadded(36),
        "\(report.sample.wall.asMilliseconds) ms".leftPadded(12), Double(report.memory).asMebibytes.leftPadded(10),
      ]
      FileHandle.standardError.write(Data((line.joined(separator: "  ") + "\n").utf8))
    }

    /// The reports are enough for a later run of the command. The store is large, so it is removed.
    private func removeStore(in place: URL) {
      let files = (try? FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)) ?? []
      for file in files where file.pathExtension != "json" { try? FileManager.default.removeItem(at: file) }
    }
  }
#endif
