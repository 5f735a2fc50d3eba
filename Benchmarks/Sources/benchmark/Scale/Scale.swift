#if MEASURES_LIBRARY
  import ArgumentParser
  import BenchmarkCore
  import Foundation

  /// The command that runs each operation of the public API on stores of growing size. It shows whether the time grows
  /// in proportion to the number of rows, and whether the memory stays the same.
  struct Scale: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Runs each operation of the public API on stores from 10,000 rows on, each ten times as large.")

    @Option(help: "The number of rows of the largest store, a power of ten.")
    var rows = 1_000_000

    @Option(parsing: .upToNextOption, help: "The operations that the table shows, all by default.")
    var only: [ScaleOperation] = []

    @Option(parsing: .upToNextOption, help: "Operations that are not run. No other operation may need their results.")
    var without: [ScaleOperation] = []

    @Option(help: "Keeps stores and reports in this folder. Operations with a report there are not run again.")
    var folder: String?

    @Option(help: "Writes a picture of the times to this file, as SVG.", completion: .file())
    var picture: String?

    @OptionGroup var options: MeasuringOptions

    /// The numbers of rows of all stores.
    private var sizes: [Int] { Array(sequence(first: 10_000) { $0 * 10 }.prefix { $0 <= rows }) }

    func validate() throws {
      guard (10_000...1_000_000_000).contains(rows), sizes.last == rows else {
        throw ValidationError("The number of rows is a power of ten from 10,000 to 1,000,000,000.")
      }
      if let needed = without.first(where: \.isPrerequisite) {
        throw ValidationError("Other operations need the results of \(needed.rawValue).")
      }
    }

    func run() async throws {
      let place = folder.map { URL(fileURLWithPath: $0) }
      let contest = ScaleContest(sizes: sizes, skipped: without, folder: place ?? Self.temporaryFolder)
      defer { if place == nil { try? FileManager.default.removeItem(at: contest.folder) } }
      let results = ScaleResults(try contest.run(), sizes: sizes, clock: options.clock, only: only)
      let table = ScaleTable(results)
      print(table.text(TerminalStyle.ofStandardOutput))
      try options.markdown.map { try MeasuringOptions.write(table.markdown, to: $0) }
      try picture.map { try MeasuringOptions.write(ScalePicture(results).svg, to: $0) }
      if !results.faults.isEmpty { throw ExitCode.failure }
    }

    private static var temporaryFolder: URL {
      FileManager.default.temporaryDirectory.appending(path: "scale-\(UUID().uuidString)")
    }
  }

  extension ScaleOperation: ExpressibleByArgument {}
#endif
