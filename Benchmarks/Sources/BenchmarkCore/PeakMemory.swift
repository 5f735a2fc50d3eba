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
}
