import ConformanceSupport
import Foundation
import Testing

/// Runs operations on a store while calls to the disk fail, each in a process of its own. Every test chooses one kind
/// of call and lets the first call of this kind fail, then the second one, and so on.
///
/// Either only this call fails ("once"), or this call and all later calls of the kind fail ("on"). `make test` tests
/// some of the calls in one of the two ways; a soak test (`OSD_SOAK`) tests every call in both ways.
@Suite("A failing disk", .serialized)
struct DisturbanceTests {
  /// A kind of call. The raw value is the position in the enumeration of the C module.
  enum Call: Int, CaseIterable, CustomTestStringConvertible {
    case open, read, write, full, sync, truncate, lock, size, access, delete, map, memoryLock
    case externalOpen, externalRead, externalWrite, externalSync, externalFolder

    var testDescription: String { String(describing: self) }
  }

  /// The scenarios that must contain write calls. If no write call of such a scenario fails, SQLite does not use the
  /// file system of the tests, and the test would check nothing.
  private static let writingScenarios = ["save", "transaction", "create", "migrate", "backUp", "restore", "repair"]

  @Test(
    "causes descriptive errors, and leaves the store valid and the context usable",
    arguments: ["save", "transaction", "read", "edit", "open", "create", "migrate", "backUp", "restore", "repair"],
    Call.allCases)
  func disturbed(_ scenario: String, _ call: Call) throws {
    let isOnce = RandomTesting.seed.isMultiple(of: 2)
    let persistences = RandomTesting.soak > 1 ? ["once", "on"] : [isOnce ? "once" : "on"]
    for persistence in persistences { try run(scenario, call, persistence) }
  }

  private func run(_ scenario: String, _ call: Call, _ persistence: String) throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let isSoak = RandomTesting.soak > 1
    // Operations with many calls of one kind repeat similar calls in loops, so testing every third or seventh call is
    // enough.
    let step = isSoak ? 1 : call == .read || call == .write || call == .full ? 7 : 3
    let first = isSoak ? 0 : Int(RandomTesting.seed % UInt64(step))
    let process = try ProgramProcess(
      "Disturber",
      [scenario, "\(call.rawValue)", persistence, "\(first)", "\(step)", isSoak ? "100000" : "40", folder.path],
      showsErrors: false)
    let (lines, status) = try process.end()
    let cases = lines.last { $0.hasPrefix("cases ") }.flatMap { Int($0.dropFirst("cases ".count)) } ?? 0
    RandomTesting.note("disturbed calls", cases)
    for line in lines where line.hasPrefix("problem ") { Issue.record("\(line)") }
    let end = "\(scenario), \(call) \(persistence): ended by \(status) after \(lines.last ?? "nothing")"
    #expect(status == 0 && lines.last?.hasPrefix("cases ") == true, "\(end)")
    if Self.writingScenarios.contains(scenario), call == .write || call == .full { #expect(cases > 0, "\(end)") }
  }

  /// The kinds of calls at which processes are killed: the ones that change files.
  private static let changingCalls: [Call] = [
    .open, .write, .sync, .truncate, .delete, .externalOpen, .externalWrite, .externalSync, .externalFolder,
  ]

  @Test(
    "A process that is killed at any call leaves either the complete old state or the complete new state",
    arguments: ["backUp", "restore", "repair"], changingCalls)
  func killed(_ scenario: String, _ call: Call) throws {
    let isSoak = RandomTesting.soak > 1
    let step = isSoak ? 1 : call == .write ? 11 : 3
    var calls = isSoak ? 0 : Int(RandomTesting.seed % UInt64(step))
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<(isSoak ? 10_000 : 8) {
      let arguments = ["\(calls)", "1", "1", folder.path]
      let (_, status) = try ProgramProcess(
        "Disturber", [scenario, "\(call.rawValue)", "kill"] + arguments, showsErrors: false
      ).end()
      let (lines, lookStatus) = try ProgramProcess(
        "Disturber", [scenario, "\(call.rawValue)", "look"] + arguments, showsErrors: false
      ).end()
      for line in lines where line.hasPrefix("problem ") { Issue.record("\(line)") }
      #expect(lookStatus == 0 && lines.last == "cases 1", "\(scenario), \(call) \(calls): \(lines)")
      try FileManager.default.removeItem(at: folder.appending(path: "case"))
      // The process exited by itself if it made fewer calls than `calls`.
      guard status != 0 else { break }
      RandomTesting.note("killed processes", 1)
      #expect(status == SIGKILL, "\(scenario), \(call) \(calls)")
      calls += step
    }
  }
}
