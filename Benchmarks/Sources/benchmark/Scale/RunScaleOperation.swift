#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import OurContender

  /// Runs one operation on a store. It runs in a process of its own, so that the peak memory of the process is that of
  /// the operation, and no page of an earlier operation is in SQLite's cache.
  struct RunScaleOperation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run-scale-operation", shouldDisplay: false)

    @Option var operation: ScaleOperation
    @Option var rows: Int
    @Option var folder: String
    @Option var report: String

    func run() async throws {
      let trial = ScaleRun(rows: rows, in: URL(fileURLWithPath: folder))
      let measured = try await ScaleReport(of: operation, rows: rows) { try await trial.run(operation, $0) }
      try JSONEncoder().encode(measured).write(to: URL(fileURLWithPath: report), options: .atomic)
    }
  }
#endif
