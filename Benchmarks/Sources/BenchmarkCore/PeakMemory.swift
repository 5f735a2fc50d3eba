import Foundation

/// The most memory that this process ever held.
enum PeakMemory {
  /// In bytes. Linux keeps the figure of `getrusage` across `exec`, the parent's peak with it, so there it is read
  /// from `/proc`.
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
