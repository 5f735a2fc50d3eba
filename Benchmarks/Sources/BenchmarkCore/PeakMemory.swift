import Foundation

/// The peak memory of this process.
enum PeakMemory {
  /// The peak in bytes. On Linux, the peak that `getrusage` reports survives `exec` and so includes the parent process.
  /// Therefore the peak is read from `/proc` there.
  static func ofThisProcess() -> Int {
    #if os(Linux)
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return line.map { Int($0.filter(\.isNumber)) ?? 0 }.map { $0 * 1024 } ?? 0
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }

  /// Lowers the peak to the memory that the process has now, if the system permits it. Otherwise the peak includes
  /// earlier work, and a growth of the memory may seem smaller.
  static func reset() {
    #if os(Linux)
      try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    #endif
  }
}
