#if MEASURES_LIBRARY
  import BenchmarkGauge
  import Foundation

  /// Demangled names of functions.
  struct Demangling {
    private let names: [String: String]

    /// Runs the compiler's demangler once for all names.
    init(of mangled: Set<String>, in directory: URL) throws {
      let mangled = mangled.sorted()
      let file = directory.appendingPathComponent("names")
      try Data(mangled.joined(separator: "\n").utf8).write(to: file)
      let output = try ChildProcess.run(["swift", "demangle", "--simplified"], input: file)
      let lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      names = Dictionary(zip(mangled, lines), uniquingKeysWith: { first, _ in first })
    }

    /// Returns the profile with demangled function names.
    func apply(to profile: Profile) -> Profile {
      profile.renamed { names[$0] ?? $0 }
    }
  }
#endif
