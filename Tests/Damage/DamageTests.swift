import ConformanceSupport
import Foundation
import Testing

/// Stores with random damage, each used in a process of its own as programs use theirs.
///
/// `OSD_SOAK` multiplies the cases, `OSD_SEED` repeats a run, and `OSD_CASE` runs only that case of it.
@Suite("A damaged store", .serialized)
struct DamageTests {
  @Test("does not make a process crash or loop forever")
  func random() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(try ReaderProcess(["make", folder.path]).signal(silence: .seconds(30)) == 0)
    let seed = RandomTesting.seed
    let only = ProcessInfo.processInfo.environment["OSD_CASE"].flatMap { Int($0) }
    var next = only ?? 0
    let end = only.map { $0 + 1 } ?? 75 * RandomTesting.soak
    RandomTesting.note("damaged stores", end - next)
    while next < end {
      let reader = try ReaderProcess(["run", folder.path, "\(seed)", "\(next)", "\(end - next)"])
      let signal = try reader.signal(silence: .seconds(20))
      for line in reader.strange { Issue.record("seed \(seed), \(line)") }
      guard signal != 0 || reader.story.last != "done" else { break }
      let (name, step) = (reader.story.first ?? "", reader.story.last ?? "")
      let damages = reader.story.filter { $0.hasPrefix("damage ") }
      Issue.record("seed \(seed), \(name): signal \(signal) in \(step) after \(damages)")
      next = (Int(name.dropFirst("case ".count)) ?? end) + 1
    }
  }

  @Test("the operations of the test all succeed with an undamaged store")
  func sound() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(try ReaderProcess(["make", folder.path]).signal(silence: .seconds(30)) == 0)
    let reader = try ReaderProcess(["sound", folder.path])
    #expect(try reader.signal(silence: .seconds(30)) == 0)
    // A random edit may violate a constraint.
    let threw = reader.story.filter { $0.hasPrefix("threw ") && !$0.contains(".modelValidationFailure") }
    #expect(threw + reader.strange == [])
    #expect(reader.story.count > 100)
    #expect(reader.story.contains { $0.hasPrefix("step third: fetch") })
  }
}
