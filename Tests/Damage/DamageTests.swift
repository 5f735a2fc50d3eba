import ConformanceSupport
import Foundation
import Testing

/// Damages stores at random. Each process of `DamageReader` then uses the damaged stores as a program would, so that a
/// crash ends only that process.
///
/// `OSD_SOAK` multiplies the number of cases. `OSD_SEED` repeats a run, and `OSD_CASE` restricts the run to the case
/// with that number.
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

  @Test("every operation of the random test succeeds with an undamaged store")
  func sound() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try #require(try ReaderProcess(["make", folder.path]).signal(silence: .seconds(30)) == 0)
    let reader = try ReaderProcess(["sound", folder.path])
    #expect(try reader.signal(silence: .seconds(30)) == 0)
    // A random edit may violate a constraint, so validation errors are expected.
    let threw = reader.story.filter { $0.hasPrefix("threw ") && !$0.contains(".modelValidationFailure") }
    #expect(threw + reader.strange == [])
    #expect(reader.story.count > 100)
    #expect(reader.story.contains { $0.hasPrefix("step third: fetch") })
  }
}
