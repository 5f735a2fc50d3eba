#if MEASURES_LIBRARY
  import BenchmarkGauge
  import Foundation

  /// A process of this program whose instructions callgrind counts.
  struct CountedProcess {
    /// The arguments of the program.
    let arguments: [String]

    /// The folder for callgrind's files. It has no files of another counted process.
    let directory: URL

    /// Settings that make counts reproducible. Hashes have a fixed seed, and symbols are bound before counting. The
    /// allocator reuses freed memory at a constant cost: otherwise it would merge free blocks, which depends on all
    /// earlier allocations and takes up to some per cent.
    private static let environment = [
      "SWIFT_DETERMINISTIC_HASHING": "1", "LD_BIND_NOW": "1", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=65535",
    ]

    /// Runs the process.
    ///
    /// - Returns: Callgrind's files, in the order in which the process measured. There is one for each measurement.
    func run(_ executable: URL) throws -> [URL] {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      _ = try ChildProcess.run(callgrind + [executable.path] + arguments, adding: Self.environment)
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      let count = names.filter { $0.hasPrefix("counts.") }.count
      return (0..<count).map { directory.appending(path: "counts.\($0 + 1)") }
    }

    /// The command line of callgrind. It counts only within the function `Stopwatch.measure`, and writes a file
    /// whenever this function returns. The two patterns for the function differ, because callgrind ignores one of two
    /// options with the same pattern.
    private var callgrind: [String] {
      [
        "valgrind", "--quiet", "--tool=callgrind", "--dump-line=no", "--compress-strings=no", "--compress-pos=no",
        "--callgrind-out-file=\(directory.path)/counts",
        "--toggle-collect=*9StopwatchC7measure*", "--dump-after=*13BenchmarkCore9StopwatchC7measure*",
      ]
    }
  }

  extension Profile {
    init(in file: URL) throws {
      try self.init(callgrind: String(contentsOf: file, encoding: .utf8))
    }
  }
#endif
