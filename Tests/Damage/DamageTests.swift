import ConformanceSupport
import Foundation
import Testing

/// Stores that are damaged at random, each used in a process of its own as programs use theirs.
///
/// `OSD_SOAK` multiplies the cases, `OSD_SEED` repeats a run, and with `OSD_CASE` only that case of it.
@Suite("A damaged store", .serialized)
struct DamageTests {
  @Test("ends no process, and keeps none busy for ever")
  func random() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let maker = try ReaderProcess(["make", folder.path])
    try #require(try maker.signal(silence: .seconds(30)) == 0)
    let seed = RandomTesting.seed
    let only = ProcessInfo.processInfo.environment["OSD_CASE"].flatMap { Int($0) }
    var next = only ?? 0
    let end = only.map { $0 + 1 } ?? 100 * RandomTesting.soak
    while next < end {
      let reader = try ReaderProcess(["run", folder.path, "\(seed)", "\(next)", "\(end - next)"])
      let signal = try reader.signal(silence: .seconds(20))
      guard signal != 0 || reader.lines.last != "done" else { break }
      let last = reader.lines.lastIndex { $0.hasPrefix("case ") } ?? 0
      let story = reader.lines[last...].filter { $0.hasPrefix("damage ") }
      Issue.record("seed \(seed), \(reader.lines[last]): signal \(signal) in \(reader.lines.last ?? "") after \(story)")
      next = (Int(reader.lines[last].dropFirst("case ".count)) ?? end) + 1
    }
  }
}
