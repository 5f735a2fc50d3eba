import SwiftData
import Testing

@Model private final class Acorn {
  var name: String
  init(_ name: String) { self.name = name }
}

@Model private final class Zinnia {
  var name: String
  init(_ name: String) { self.name = name }
}

@Suite("Deletions that user code makes during a save", .serialized)
struct LateDeletionTests {
  private func container(in folder: URL) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Acorn.self, Trap.self, Zinnia.self]),
      configurations: [
        ModelConfiguration("acorns", schema: Schema([Acorn.self]), url: folder.appending(path: "acorns.store")),
        ModelConfiguration("traps", schema: Schema([Trap.self]), url: folder.appending(path: "traps.store")),
        ModelConfiguration("zinnias", schema: Schema([Zinnia.self]), url: folder.appending(path: "zinnias.store")),
      ])
  }

  @Test("new objects that are deleted leave no rows, regardless of which of several stores is written first")
  func newObjects() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try container(in: folder)
    let context = ModelContext(container)
    let (acorn, zinnia) = (Acorn("a"), Zinnia("z"))
    let (keptAcorn, keptZinnia) = (Acorn("b"), Zinnia("y"))
    nonisolated(unsafe) let (unsafeContext, unsafeAcorn, unsafeZinnia) = (context, acorn, zinnia)
    Tripwire.watch {
      unsafeContext.delete(unsafeAcorn)
      unsafeContext.delete(unsafeZinnia)
    } during: {
      context.insert(acorn)
      context.insert(keptAcorn)
      context.insert(zinnia)
      context.insert(keptZinnia)
      context.insert(Trap(1))
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(context.insertedModelsArray.isEmpty)
    try context.save()
    #expect(!context.hasChanges)
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Acorn>()).map(\.name) == ["b"])
    #expect(try fresh.fetch(FetchDescriptor<Zinnia>()).map(\.name) == ["y"])
    #expect(try context.fetch(FetchDescriptor<Acorn>()) == [keptAcorn])
    #expect(try context.fetch(FetchDescriptor<Zinnia>()) == [keptZinnia])
  }

  @Test("deleting many new objects does not affect objects that the same code inserts")
  func replacement() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try container(in: folder)
    let context = ModelContext(container)
    let former = (0..<20).map { (Acorn("old \($0)"), Zinnia("old \($0)")) }
    // After 17 deletions the context removes deleted objects from its lists of changes. With 17 insertions the lists
    // have the same length as before, but other objects.
    let new = (0..<17).map { (Acorn("new \($0)"), Zinnia("new \($0)")) }
    nonisolated(unsafe) let (unsafeContext, unsafeFormer, unsafeNew) = (context, former, new)
    Tripwire.watch {
      for (acorn, zinnia) in unsafeFormer.prefix(17) {
        unsafeContext.delete(acorn)
        unsafeContext.delete(zinnia)
      }
      for (acorn, zinnia) in unsafeNew {
        unsafeContext.insert(acorn)
        unsafeContext.insert(zinnia)
      }
    } during: {
      for (acorn, zinnia) in former {
        context.insert(acorn)
        context.insert(zinnia)
      }
      context.insert(Trap(1))
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(context.insertedModelsArray.count == 34)
    try context.save()
    #expect(!context.hasChanges)
    let fresh = ModelContext(container)
    let names = (17..<20).map { "old \($0)" } + (0..<17).map { "new \($0)" }
    #expect(Set(try fresh.fetch(FetchDescriptor<Acorn>()).map(\.name)) == Set(names))
    #expect(Set(try fresh.fetch(FetchDescriptor<Zinnia>()).map(\.name)) == Set(names))
  }

  @Test(
    "new objects that refer to each other and are deleted leave no row if the save fails", arguments: Engine.allCases)
  func circle(_ engine: Engine) throws {
    let store = try TestStore(engine, graphModels + [Trap.self])
    let context = store.context()
    weak var parent: Folder?
    weak var child: Folder?
    do {
      let folder = Folder("parent")
      folder.children = [Folder("child")]
      (parent, child) = (folder, folder.children.first)
      nonisolated(unsafe) let (unsafeContext, unsafeFolder) = (context, folder)
      Tripwire.watch {
        unsafeContext.delete(unsafeFolder)
      } during: {
        context.insert(folder)
        context.insert(Trap(-1))
        #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
      }
      #expect(folder.modelContext == nil && folder.children.isEmpty)
    }
    // A reverted object stays in the list of pending changes until the context filters the list.
    context.rollback()
    #expect(parent == nil && child == nil)
    #expect(try store.context().fetchCount(FetchDescriptor<Folder>()) == 0)
  }
}
