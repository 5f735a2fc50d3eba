import CDisturbance
import Foundation
import Logging
import SwiftData

/// A process in which calls to the disk fail: `Disturber <scenario> <kind> <once|on> <first call> <step> <most cases>
/// <folder>`.
///
/// It runs the scenario repeatedly, and lets a later call fail each time, until a run makes fewer calls than the one
/// that should fail. It prints a line `problem …` for each problem, and `cases <number>` at the end.
///
/// With `kill` instead of `once`, the process runs the scenario once and is killed at the call with the number `<first
/// call>`. With `look` instead of `once`, the process checks the files that the killed process has left.
@main
struct Disturber {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 8, let scenario = Scenario(rawValue: arguments[1]), let kind = Int32(arguments[2]),
      kind < Int32(disturbance_kinds), let first = Int32(arguments[4]), let step = Int32(arguments[5]),
      let most = Int32(arguments[6]), step > 0
    else { fatalError("see the usage above") }
    guard disturbance_install() == 0 else { fatalError("SQLite has no file system") }
    // The library logs the failures. These log messages are expected, so they are discarded and not checked.
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    let folder = URL(filePath: arguments[7])
    let original = folder.appending(path: "original")
    try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
    let place = folder.appending(path: "case")
    switch arguments[3] {
    case "kill": return try kill(scenario, kind, first, original: original, in: place)
    case "look": return look(scenario, kind, first, original: original, in: place)
    default: break
    }
    try scenario.prepare(LibraryStore(folder: original))
    var cases: Int32 = 0
    while cases < most {
      let calls = first + cases * step
      var disturbed = DisturbedCase(kind: kind, calls: calls, persists: arguments[3] == "on")
      say("case \(calls)")
      try FileManager.default.copyItem(at: original, to: place)
      scenario.run(&disturbed, in: place)
      try FileManager.default.removeItem(at: place)
      for problem in disturbed.problems { say("problem \(scenario) \(kind) \(arguments[3]) \(calls): \(problem)") }
      guard disturbed.wasDisturbed else { break }
      cases += 1
    }
    say("cases \(cases)")
  }

  /// Runs the operation of a scenario until the chosen call kills this process.
  private static func kill(
    _ scenario: Scenario, _ kind: Int32, _ calls: Int32, original: URL, in place: URL
  ) throws {
    let store = LibraryStore(folder: original)
    if !store.exists { try scenario.prepare(store) }
    try FileManager.default.copyItem(at: original, to: place)
    disturbance_kill(kind, calls)
    try scenario.work(LibraryStore(folder: place))
    say("cases 0")
  }

  private static func look(_ scenario: Scenario, _ kind: Int32, _ calls: Int32, original: URL, in place: URL) {
    var disturbed = DisturbedCase(kind: kind, calls: calls, persists: false)
    scenario.look(&disturbed, LibraryStore(folder: place), original: LibraryStore(folder: original))
    for problem in disturbed.problems { say("problem \(scenario) \(kind) killed \(calls): \(problem)") }
    say("cases 1")
  }

  /// Writes a line to the standard output without buffering, so that the line is not lost if the process is killed.
  private static func say(_ line: String) {
    let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
    bytes.withUnsafeBytes { _ = write(1, $0.baseAddress, $0.count) }
  }
}
