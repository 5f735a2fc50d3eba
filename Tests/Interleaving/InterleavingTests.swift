import ConformanceSupport
import Foundation
import Testing

/// Contexts, observers, another program and several processes use one store at the same time, in random order.
///
/// `OSD_SOAK` multiplies the number of runs; `OSD_SEED` repeats a run.
@Suite("Several contexts and processes that use one store in random order", .serialized)
struct InterleavingTests {
  @Test(
    "every acknowledged save is in the store, and every context equals the store once it has applied all changes",
    arguments: [1, 2])
  func random(processes: Int) throws {
    var savesByThemselves = 0
    for seed in RandomTesting.seeds(2 * RandomTesting.soak) {
      savesByThemselves += try run(processes: processes, seed: seed)
    }
    // About one run in 200 has no autosave, so all runs together must have at least one.
    #expect(savesByThemselves > 0)
  }

  /// Runs the processes to their end. Returns the number of processes in which a context saved by itself.
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
