import ConformanceSupport
import SwiftData
import Testing

@Suite("Deletions that cascade to rows of which the context gets objects before the save")
struct CascadedObjectTests {
  private struct Failure: Error {}

  @Test(
    "a save deletes the children that a fetch without pending changes has returned", arguments: Engine.allCases,
    [false, true])
  func fetchedChildren(_ engine: Engine, changesOne: Bool) throws {
    for keepsHistory in [false, true] {
      let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
      let context = store.context()
      context.delete(try context.hive("a"))
      var descriptor = FetchDescriptor<Bee>(predicate: #Predicate { $0.hive?.name == "a" })
      descriptor.includePendingChanges = false
      let bees = try context.fetch(descriptor)
      #expect(bees.count == 3)
      if changesOne { bees.first?.age = 9 }
      try expectDeletion(of: bees, in: context, of: store)
    }
  }

  @Test(
    "a save deletes the children that a transaction without effect has read", arguments: Engine.allCases, [false, true])
  func childrenOfTransaction(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    context.delete(try context.hive("a"))
    var bees: [Bee] = []
    #expect(throws: Failure.self) {
      try context.transaction {
        bees = context.deletedModelsArray.compactMap { $0 as? Bee }
        throw Failure()
      }
    }
    #expect(bees.count == 3)
    try expectDeletion(of: bees, in: context, of: store)
  }

  @Test("deletions and fetches in turn delete the children of each owner", arguments: Engine.allCases)
  func deletionsAndFetches(_ engine: Engine) throws {
    let store = try TestStore.hives(engine, keepsHistory: false)
    let context = store.context()
    for name in ["a", "b"] {
      context.delete(try context.hive(name))
      #expect(try context.fetchCount(FetchDescriptor<Bee>()) == (name == "a" ? 3 : 0))
    }
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(deleted.count == 8)
    #expect(try store.bees() == [])
  }

  /// Saves the deletion of hive a, and checks that its bees are deleted in the same way as without objects.
  private func expectDeletion(of bees: [Bee], in context: ModelContext, of store: TestStore) throws {
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(deleted.count == 4)
    #expect(bees.allSatisfy { $0.isDeleted })
    #expect(context.resolvedConflicts.isEmpty && !context.hasChanges)
    #expect(try store.bees() == ["b0", "b1", "b2"])
    bees.first?.age = 11
    try context.save()
    #expect(context.resolvedConflicts.isEmpty)
  }
}
