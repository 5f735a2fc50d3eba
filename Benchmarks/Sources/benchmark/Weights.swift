#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import OurContender

  /// The command that measures mechanisms that the library could do without, by throwing an error instead. The
  /// decisions to keep the mechanisms refer to these measurements.
  struct Weights: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Measures R-trees over decimals and migrations of several stores, for the decisions that keep them.")

    @Option(help: "The number of rows in each table.")
    var rows = 100_000

    @Option(help: "How often everything is measured; the medians are printed.")
    var rounds = 3

    func validate() throws {
      try MeasuringOptions.check(rows: rows, rounds: rounds)
    }

    func run() throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "weights-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      print("\(rows.grouped) rows in each table; medians of \(rounds)")
      showSpatial(try inEachRound(folder) { try SpatialWeight.measure(rows: rows, in: $0) })
      showJoint(try inEachRound(folder) { try JointWeight.measure(rows: rows, in: $0) })
    }

    /// Measures in a new folder for each round, and returns the results grouped by the measured alternative.
    private func inEachRound<Result>(_ folder: URL, _ measure: (URL) throws -> [Result]) throws -> [[Result]] {
      let results = try (0..<rounds).map { round in
        let place = folder.appending(path: "\(round)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        return try measure(place)
      }
      return results[0].indices.map { way in results.map { $0[way] } }
    }

    private func showSpatial(_ ways: [[SpatialWeight.Result]]) {
      let shares = SpatialWeight.shares.map { "box of \(($0 * 100).fixed(1)) %, ms (rows)".leftPadded(26) }
      print("\n" + "".rightPadded(32) + "insertion, ms" + shares.joined())
      for rounds in ways {
        let queries = SpatialWeight.shares.indices.map { share in
          let time = milliseconds(rounds.map { $0.queries[share].milliseconds })
          return "\(time) (\(rounds[0].queries[share].found))".leftPadded(26)
        }
        let insertion = milliseconds(rounds.map(\.insertion)).leftPadded(13)
        print(rounds[0].title.rightPadded(32) + insertion + queries.joined())
      }
    }

    private func showJoint(_ ways: [[JointWeight.Result]]) {
      print("\n" + "three stores".rightPadded(32) + "opening, ms".leftPadded(13) + "room at most".leftPadded(26))
      for rounds in ways {
        let time = milliseconds(rounds.map(\.milliseconds)).leftPadded(13)
        let room = mebibytes(rounds.map { Double($0.bytes) }).leftPadded(26)
        print(rounds[0].title.rightPadded(32) + time + room)
      }
    }

    private func milliseconds(_ rounds: [Double]) -> String { Statistic(rounds)?.median.asMilliseconds ?? "–" }

    private func mebibytes(_ rounds: [Double]) -> String { Statistic(rounds)?.median.asMebibytes ?? "–" }
  }
#endif
