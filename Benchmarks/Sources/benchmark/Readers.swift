#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import OurContender

  /// The command that measures the time of a write and of a short read while other tasks search all rows.
  struct Readers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measures a write and a short read beside searches of all rows.")

    @Option(help: "The number of rows that each search looks at.")
    var rows = 1_000_000

    @Option(help: "How many seconds each number of searches runs.")
    var seconds = 5.0

    @Option(parsing: .upToNextOption, help: "The numbers of searches at a time.")
    var readers = [0, 1, 2, 4, 8]

    func run() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "readers-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let trial = try await ReaderTrial(rows: rows, in: folder.appending(path: "readers.store"))
      print("\(rows.grouped) rows; milliseconds as median / 99 % / longest")
      print("searches  ended   a write                  a short read")
      for count in readers { show(try await trial.run(readers: count, for: .seconds(seconds))) }
    }

    private func show(_ result: ReaderTrial.Result) {
      let columns = [
        String(result.readers).leftPadded(8), String(result.searches).leftPadded(7), "  " + text(result.write),
        text(result.read),
      ]
      print(columns.joined())
    }

    private func text(_ latencies: Latencies) -> String {
      let times = [latencies.median, latencies.quantile(0.99), latencies.maximum]
      return times.map { $0.fixed(2).leftPadded(7) }.joined(separator: " /") + "  "
    }
  }
#endif
