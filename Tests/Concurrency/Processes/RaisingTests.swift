import SharedStoreWorkload
import SwiftData
import Testing

/// An actor that increments counters.
@ModelActor private actor Raiser {
  func raise(by step: Int, _ times: Int) throws { try SharedStore.raise(in: modelContext, by: step, times: times) }
}

/// The environment variable `OSD_SOAK` makes the test longer.
@Suite("Counters that processes and actors increment concurrently", .timeLimit(.minutes(10)))
struct RaisingTests {
  @Test("no increment is lost")
  func lostUpdates() async throws {
    let folder = try SharedFolder()
    let container = try SharedStore.open(folder.path)
    let context = ModelContext(container)
    for number in 0..<2 { context.insert(Entry(writer: "counter", number: number)) }
    try context.save()
    let (path, times) = (folder.path, 120 * RandomTesting.soak)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for step in [1, 1_000_000] {
        group.addTask { _ = try await OtherProcess.run("raise", path, "\(step)", "\(times)") }
        group.addTask { try await Raiser(modelContainer: container).raise(by: 1_000 * step, times) }
      }
      try await group.waitForAll()
    }
    RandomTesting.note("counters raised by processes and actors", 4 * times)
    let counters = try ModelContext(SharedStore.open(folder.path)).fetch(SharedStore.entries(of: "counter"))
    #expect(counters.map(\.changes) == [times / 2 * 1_001_001_001, times / 2 * 1_001_001_001])
  }
}
