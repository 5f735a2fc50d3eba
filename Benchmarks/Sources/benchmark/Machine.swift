#if MEASURES_LIBRARY
  import BenchmarkGauge
  import CSQLiteBenchmark
  import Foundation

  /// Reads the properties of this machine on which instruction counts depend.
  enum Machine {
    static func conditions(rows: Int) throws -> [Condition] {
      [
        Condition("compiler", try line(of: ["swift", "--version"], containing: "Swift version")),
        Condition("libc", try line(of: ["getconf", "GNU_LIBC_VERSION"])),
        Condition("SQLite", String(cString: sqlite3_libversion())),
        Condition("valgrind", try line(of: ["valgrind", "--version"])),
        Condition("processor", try processor()),
        Condition("rows", String(rows)),
      ]
    }

    /// The first matching line of a program's output.
    private static func line(of command: [String], containing part: String = "") throws -> String {
      let lines = try ChildProcess.run(command).split(separator: "\n").map(String.init)
      return lines.first { part.isEmpty || $0.contains(part) } ?? ""
    }

    /// The architecture, and whether the processor has AVX2. Valgrind passes AVX2 through to the program, and the C
    /// library then uses it to copy memory.
    private static func processor() throws -> String {
      let architecture = try line(of: ["uname", "-m"])
      let description = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
      return description.contains(" avx2 ") ? "\(architecture) with AVX2" : architecture
    }
  }
#endif
