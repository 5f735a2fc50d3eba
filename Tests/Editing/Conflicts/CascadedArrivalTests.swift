import ConformanceSupport
import Foundation
import SwiftData
import Testing

@Suite("Deletions that cascade to rows without objects, and changes between the deletion and the end of the save")
struct CascadedArrivalTests {
  // MARK: Children that another context moves to the deleted owner

  /// A context has changed a bee of hive b, and has deleted hive a. Another context moves the bee to hive a.
  private func loseChangedChild(_ store: TestStore, to there: ModelContext) throws {
    let here = store.context()
    let other = try here.hive("b")
    let child = try #require(other.bees.first { $0.name == "b1" })
    here.delete(try here.hive("a"))
    child.age = 7
    try there.move("b1", to: "a")
    try here.save()
    #expect(child.isDeleted)
    #expect(other.bees.map(\.name).sorted() == ["b0", "b2"])
    #expect(here.resolvedConflicts.map(\.kind) == [.deletedElsewhere])
    #expect(here.resolvedConflicts.map(\.persistentModelID) == [child.persistentModelID])
    #expect(!here.hasChanges)
    #expect(try store.bees() == ["b0", "b2"])
  }

  @Test(
    "a changed child that another context moved to the owner is deleted, and the save reports one conflict",
    arguments: Engine.allCases, [false, true])
  func changedChild(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    try loseChangedChild(store, to: store.context())
  }

  @Test(
    "a changed child that another container moved to the owner is deleted, and the save reports one conflict",
    arguments: Engine.allCases.filter(\.persists), [false, true])
  func changedChildOfContainers(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let container = try engine.container(for: store.schema, store.configuration)
    try loseChangedChild(store, to: ModelContext(container))
  }

  @Test(
    "a count or a fetch deletes the object of a child that another context moved to the owner",
    arguments: Engine.allCases, [false, true])
  func readAfterMove(_ engine: Engine, counts: Bool) throws {
    for keepsHistory in [false, true] {
      let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
      let (here, there) = (store.context(), store.context())
      let other = try here.hive("b")
      here.delete(try here.hive("a"))
      let child = try #require(other.bees.first { $0.name == "b1" })
      try there.move("b1", to: "a")
      if counts {
        #expect(try here.fetchCount(FetchDescriptor<Bee>()) == 2)
      } else {
        #expect(try here.beeNames() == ["b0", "b2"])
      }
      #expect(child.isDeleted)
      #expect(other.bees.map(\.name).sorted() == ["b0", "b2"])
      try here.save()
      #expect(child.isDeleted && !here.hasChanges)
      #expect(try store.bees() == ["b0", "b2"])
    }
  }

  // MARK: Observers

  @Test(
    "the deletion deletes the children that an observer fetches while the deletion is announced",
    arguments: Engine.allCases, [false, true])
  func fetchByObserver(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    let keeper = try context.only(Keeper.self)
    let owner = try #require(keeper.hives.first { $0.name == "a" })
    // The deletion calls the observer on this thread, so the observer can use the context and the variable.
    nonisolated(unsafe) let unsafeContext = context
    nonisolated(unsafe) var fetched: [Bee] = []
    withObservationTracking {
      _ = keeper.hives.count
    } onChange: {
      do {
        fetched = try unsafeContext.fetch(FetchDescriptor<Bee>(predicate: #Predicate { $0.hive?.name == "a" }))
      } catch {
        Issue.record(error)
      }
    }
    context.delete(owner)
    #expect(fetched.count == 3)
    #expect(fetched.allSatisfy { $0.isDeleted })
    #expect(keeper.hives.map(\.name) == ["b"])
    #expect(try context.beeNames() == ["b0", "b1", "b2"])
    try context.save()
    #expect(fetched.allSatisfy { $0.isDeleted } && !context.hasChanges)
    #expect(try store.bees() == ["b0", "b1", "b2"])
  }

  // MARK: Code that a save runs

  @Test(
    "children that code deletes by a predicate during a save are deleted by the next save", arguments: Engine.allCases,
    [false, true])
  func deletionDuringSave(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    context.delete(try context.hive("a"))
    context.insert(Notice())
    // The save runs the code on this thread.
    nonisolated(unsafe) let unsafeContext = context
    try EncodingHook.run {
      try unsafeContext.delete(model: Bee.self, where: #Predicate { $0.hive?.name == "b" })
    } during: {
      try context.save()
    }
    #expect(context.hasChanges)
    #expect(try store.bees() == ["b0", "b1", "b2"])
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.bees() == [])
    #expect(try store.hives() == ["b"])
  }

  @Test(
    "didSave lists all children if code that the save of another store runs deletes a new object",
    arguments: Engine.sqlite, [false, true])
  func twoStores(_ engine: Engine, keepsHistory: Bool) throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try container(in: folder, engine, keepsHistory: keepsHistory)
    let (here, there) = (ModelContext(container), ModelContext(container))
    try there.insertHives()
    let bees = try there.hive("a").bees
    let expected = Set(bees.map(\.persistentModelID))
    let flower = Flower("late")
    here.delete(try here.hive("a"))
    here.insert(flower)
    here.insert(Notice())
    // The save runs the code on this thread.
    nonisolated(unsafe) let (unsafeContext, unsafeFlower) = (here, flower)
    let deleted = try here.deletedIdentifiers {
      try EncodingHook.run {
        unsafeContext.delete(unsafeFlower)
      } during: {
        try here.save()
      }
    }
    #expect(expected.count == 3)
    #expect(expected.isSubset(of: deleted))
    #expect(try there.beeNames() == ["b0", "b1", "b2"])
    #expect(bees.allSatisfy { $0.isDeleted })
    try here.save()
    #expect(!here.hasChanges)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Flower>()) == 0)
  }

  @Test(
    "a save keeps the children of an owner that code of the save deletes, and a rollback restores them",
    arguments: Engine.sqlite, [false, true])
  func lateOwner(_ engine: Engine, keepsHistory: Bool) throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let context = ModelContext(try container(in: folder, engine, keepsHistory: keepsHistory))
    try context.insertHives()
    context.delete(try context.hive("a"))
    context.insert(Notice())
    let other = try context.hive("b")
    // The save runs the code on this thread.
    nonisolated(unsafe) let (unsafeContext, unsafeOther) = (context, other)
    let deleted = try context.deletedIdentifiers {
      try EncodingHook.run {
        unsafeContext.delete(unsafeOther)
      } during: {
        try context.save()
      }
    }
    #expect(deleted.count == 4 && other.isDeleted && context.hasChanges)
    context.rollback()
    #expect(!other.isDeleted && !context.hasChanges)
    #expect(try context.beeNames() == ["b0", "b1", "b2"])
    #expect(other.bees.count == 3)
  }

  /// A container with a store for notices, which a save writes first, and a store for hives.
  private func container(in folder: URL, _ engine: Engine, keepsHistory: Bool) throws -> ModelContainer {
    func configuration(_ name: String, _ models: [any PersistentModel.Type]) -> ModelConfiguration {
      let schema = Schema(models)
      var configuration =
        engine == .memory
        ? ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
        : ModelConfiguration(name, schema: schema, url: folder.appending(path: "\(name).store"))
      configuration.history = keepsHistory ? .standard : .off
      return configuration
    }
    return try ModelContainer(
      for: Schema(noticeModels + hiveModels),
      configurations: [configuration("notices", noticeModels), configuration("hives", hiveModels)])
  }
}
