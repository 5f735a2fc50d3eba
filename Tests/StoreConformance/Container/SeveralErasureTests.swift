import SwiftData
import Testing

@Suite("Erasing several stores")
struct SeveralErasureTests {
  @Test("if one store fails, the error lists the erased and remaining stores; the next call erases the rest")
  func partial() throws {
    CommitFailures.install
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (stones, plants) = (folder.appending(path: "stones.store"), folder.appending(path: "plants.store"))
    let container = try ModelContainer(
      for: Schema([Pebble.self, PebbleHeap.self, Petal.self, PetalVein.self]),
      configurations: [
        ModelConfiguration("stones", schema: Schema([Pebble.self, PebbleHeap.self]), url: stones),
        ModelConfiguration("plants", schema: Schema([Petal.self, PetalVein.self]), url: plants),
      ])
    let context = ModelContext(container)
    let (pebble, petal) = (Pebble("p"), Petal("l"))
    context.insert(pebble)
    context.insert(petal)
    try context.save()
    CommitFailures.begin(at: plants)
    let error = #expect(throws: SwiftDataError.self) { try container.erase() }
    CommitFailures.end(at: plants)
    let text = error?.explanation ?? ""
    #expect(text.contains("Erased: \(stones.path) (Pebble, PebbleHeap)"), "\(text)")
    #expect(text.contains("Not erased: \(plants.path) (Petal, PetalVein)"), "\(text)")
    _ = try context.fetchCount(FetchDescriptor<Pebble>())
    #expect(pebble.isDeleted && !petal.isDeleted)
    try container.erase()
    _ = try context.fetchCount(FetchDescriptor<Petal>())
    #expect(petal.isDeleted)
  }
}
