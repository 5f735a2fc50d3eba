import ConformanceSupport
import Foundation
import Testing

/// Contexts, observers, other programs and processes use one store at the same time, in random order.
///
/// `OSD_SOAK` multiplies the number of runs; `OSD_SEED` repeats a run.
@Suite("Interleaved processes", .serialized)
struct InterleavingTests {
  @Test(
    "keep acknowledged saves, have equal contents after they receive all changes, and detect deleted rows",
    arguments: [1, 2])
  func random(processes: Int) throws {
    var savesByThemselves = 0
    for seed in RandomTesting.seeds(2 * RandomTesting.soak) {
      savesByThemselves += try run(processes: processes, seed: seed)
    }
    // One run in 200 has no autosave.
    #expect(savesByThemselves > 0)
  }

  /// Returns the number of processes with an autosave.
  private func run(processes: Int, seed: UInt64) throws -> Int {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "garage.store").path
    RandomTesting.note("interleaved steps", 400 * processes)
    let running = try (1...processes).map { number in
      try ProgramProcess("Interleaver", [file, "\(seed)", "400", "\(number)", "\(processes)"], showsErrors: false)
    }
    var savesByThemselves = 0
    for process in running {
      let (lines, status) = try process.end()
      for line in lines where line.hasPrefix("problem ") { Issue.record("\(line)") }
      let end = "seed \(seed), \(processes) processes: ended by \(status) after \(lines.last ?? "nothing")"
      #expect(status == 0 && lines.last?.hasPrefix("done ") == true, "\(end)")
      if lines.last?.contains("autosave") == true { savesByThemselves += 1 }
    }
    return savesByThemselves
  }
}
