import ConformanceSupport
import Foundation
import SwiftData
import Testing

/// The deleting context has not read the list of the owner, so the children have no objects.
@Suite("Deletions that cascade to rows without objects", .timeLimit(.minutes(10)))
struct CascadedDeletionTests {
  private let everyBee = ["a0", "a1", "a2", "b0", "b1", "b2"]
  private let rest = ["b0", "b1", "b2"]

  // MARK: The save

  @Test("the last save of a released context deletes the children", arguments: Engine.allCases, [false, true])
  func releasedContext(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.delete(try context.hive("a"))
    }
    #expect(try store.bees() == rest)
    #expect(try store.hives() == ["b"])
  }

  @Test("didSave lists the owner and all children, each once", arguments: Engine.allCases, [false, true])
  func notification(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let (here, there) = (store.context(), store.context())
    let owner = try there.hive("a")
    let expected = Set(owner.bees.map(\.persistentModelID) + [owner.persistentModelID])
    here.delete(try here.hive("a"))
    let deleted = try here.deletedIdentifiers { try here.save() }
    #expect(expected.count == 4)
    #expect(Set(deleted) == expected)
    #expect(deleted.count == 4)
    #expect(!here.hasChanges)
  }

  @Test("the save deletes the children's objects of another context", arguments: Engine.allCases, [false, true])
  func otherContext(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let (here, there) = (store.context(), store.context())
    let owner = try there.hive("a")
    let bees = owner.bees
    here.delete(try here.hive("a"))
    try here.save()
    #expect(try there.beeNames() == rest)
    #expect(bees.count == 3)
    #expect(owner.isDeleted && bees.allSatisfy { $0.isDeleted })
  }

  @Test("a child that moves to another owner before the save is kept", arguments: Engine.allCases, [false, true])
  func movedBeforeSave(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    let other = try context.hive("b")
    context.delete(try context.hive("a"))
    var descriptor = FetchDescriptor<Bee>(predicate: #Predicate { $0.name == "a1" })
    descriptor.includePendingChanges = false
    let bee = try #require(try context.fetch(descriptor).first)
    bee.hive = other
    try context.save()
    #expect(!bee.isDeleted && bee.hive === other)
    #expect(other.bees.map(\.name).sorted() == ["a1", "b0", "b1", "b2"])
    #expect(!context.hasChanges)
    #expect(try store.bees() == ["a1", "b0", "b1", "b2"])
    #expect(try store.context().bee("a1").hive?.name == "b")
  }

  // MARK: Owners

  @Test("the deletion of an owner without children deletes only its row", arguments: Engine.allCases, [false, true])
  func ownerWithoutChildren(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let (here, there) = (store.context(), store.context())
    there.insert(Hive("empty"))
    try there.save()
    let owner = try here.hive("empty")
    here.delete(owner)
    #expect(here.hasChanges)
    let deleted = try here.deletedIdentifiers { try here.save() }
    #expect(deleted == [owner.persistentModelID])
    #expect(owner.isDeleted && !here.hasChanges)
    #expect(try store.hives() == ["a", "b"])
    #expect(try store.bees() == everyBee)
  }

  @Test("one save deletes 300 owners and their children", arguments: Engine.allCases, [false, true])
  func manyOwners(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let (here, there) = (store.context(), store.context())
    for number in 0..<300 { there.insert(Hive("many", bees: [Bee("\(number)"), Bee("\(number)")])) }
    try there.save()
    let owners = try here.fetch(FetchDescriptor<Hive>(predicate: #Predicate { $0.name == "many" }))
    try #require(owners.count == 300)
    for owner in owners { here.delete(owner) }
    let deleted = try here.deletedIdentifiers { try here.save() }
    #expect(deleted.count == 900)
    #expect(Set(deleted).count == 900)
    #expect(!here.hasChanges)
    #expect(try store.hives() == ["a", "b"])
    #expect(try store.bees() == everyBee)
  }

  @Test("two saves delete two owners, each with its children", arguments: Engine.allCases, [false, true])
  func twoSaves(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    let owners = [try context.hive("a"), try context.hive("b")]
    for (owner, left) in zip(owners, [rest, []]) {
      context.delete(owner)
      let deleted = try context.deletedIdentifiers { try context.save() }
      #expect(deleted.count == 4)
      #expect(owner.isDeleted && !context.hasChanges)
      #expect(try store.bees() == left)
    }
    #expect(try store.hives() == [])
  }

  // MARK: Undoing

  @Test("a save after a rollback of the deletion deletes nothing", arguments: Engine.allCases, [false, true])
  func rollback(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    let owner = try context.hive("a")
    context.delete(owner)
    context.rollback()
    #expect(!context.hasChanges)
    let deleted = try context.deletedIdentifiers { try context.save() }
    try expectNothingDeleted(deleted, owner, in: context, of: store)
  }

  @Test(
    "a transaction that throws after the deletion and its save deletes nothing", arguments: Engine.allCases,
    [false, true])
  func transaction(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    let owner = try context.hive("a")
    #expect(throws: Failure.self) {
      try context.transaction {
        context.delete(owner)
        try context.save()
        throw Failure()
      }
    }
    #expect(!context.hasChanges)
    let deleted = try context.deletedIdentifiers { try context.save() }
    try expectNothingDeleted(deleted, owner, in: context, of: store)
  }

  @Test(
    "the insertion of a deleted owner keeps the owner, but its children stay deleted", arguments: Engine.allCases,
    [false, true])
  func insertion(_ engine: Engine, keepsHistory: Bool) throws {
    let store = try TestStore.hives(engine, keepsHistory: keepsHistory)
    let context = store.context()
    let owner = try context.hive("a")
    context.delete(owner)
    context.insert(owner)
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(deleted.count == 3)
    #expect(!owner.isDeleted && owner.bees.isEmpty && !context.hasChanges)
    #expect(try store.hives() == ["a", "b"])
    #expect(try store.bees() == everyBee.filter { !$0.hasPrefix("a") })
  }

  private func expectNothingDeleted(
    _ deleted: [PersistentIdentifier], _ owner: Hive, in context: ModelContext, of store: TestStore
  ) throws {
    #expect(deleted == [])
    #expect(!owner.isDeleted && !context.hasChanges)
    #expect(owner.bees.map(\.name).sorted() == ["a0", "a1", "a2"])
    #expect(owner.bees.allSatisfy { !$0.isDeleted && $0.hive === owner })
    #expect(try context.beeNames() == everyBee)
    #expect(try store.hives() == ["a", "b"])
    #expect(try store.bees() == everyBee)
    #expect(try store.context().hive("a").bees.count == 3)
  }
}
