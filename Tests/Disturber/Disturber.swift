import CDisturbance
import Foundation
import Logging
import SwiftData

/// A process whose calls to the disk fail: `Disturber <scenario> <kind> <once|on> <first call> <step> <most cases> <folder>`.
///
/// Goes on until a run makes fewer calls than would fail, and says on its standard output what it found: a line
/// `problem …` for each problem, and `cases <number>` at the end.
@main
struct Disturber {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 8, let scenario = Scenario(rawValue: arguments[1]), let kind = Int32(arguments[2]),
      kind < Int32(disturbance_kinds), let first = Int32(arguments[4]), let step = Int32(arguments[5]),
      let most = Int32(arguments[6]), step > 0
    else { fatalError("see the usage above") }
    guard disturbance_install() == 0 else { fatalError("SQLite has no file system") }
    // What is logged about failures is what this is about, and is not looked at.
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    let folder = URL(filePath: arguments[7])
    let original = folder.appending(path: "original")
    try FileManager.default.createDirectory(at: original, withIntermediateDirectories: true)
    if scenario.hasStore { try LibraryStore(folder: original).make() }
    var cases: Int32 = 0
    while cases < most {
      let calls = first + cases * step
      var disturbed = DisturbedCase(kind: kind, calls: calls, persists: arguments[3] == "on")
      say("case \(calls)")
      let place = folder.appending(path: "case")
      try FileManager.default.copyItem(at: original, to: place)
      scenario.run(&disturbed, in: place)
      try FileManager.default.removeItem(at: place)
      for problem in disturbed.problems { say("problem \(scenario) \(kind) \(arguments[3]) \(calls): \(problem)") }
      guard disturbed.wasDisturbed else { break }
      cases += 1
    }
    say("cases \(cases)")
  }

  /// Writes a line at once, so that it is there when the process ends in the middle.
  private static func say(_ line: String) {
    let bytes = Array((line.replacing("\n", with: " ") + "\n").utf8)
    bytes.withUnsafeBytes { _ = write(1, $0.baseAddress, $0.count) }
  }
}
