import SwiftData
import Testing

/// A cascade reads only the primary keys of the members of a list that the context has not read. It creates a member's
/// object only when the program asks for it.
@Suite("Children that a cascade deletes although the context never read the list that contains them", .serialized)
struct CascadeByKeyTests {
  // MARK: Before the save

  @Test("fetches before the save omit the children, and the save deletes them", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let identifiers = try store.identifiers(of: letters("abc"))
    let context = store.context()
    try context.deleteHive("north")
    #expect(context.hasChanges)
    #expect(try context.names(of: Bee.self) == letters("de"))
    #expect(try context.fetchCount(FetchDescriptor<Bee>()) == 2)
    #expect(try identifiers.isDisjoint(with: context.fetchIdentifiers(FetchDescriptor<Bee>())))
    #expect(identifiers.count == 3 && identifiers.allSatisfy { context.model(for: $0).isDeleted })
    #expect(identifiers.allSatisfy { context[$0, as: Bee.self] == nil })
    #expect(try context.one("south", Hive.self).bees.names == letters("de"))
    #expect(try store.bees() == letters("abcde"))
    try context.save()
    #expect(!context.hasChanges)
    #expect(try context.names(of: Bee.self) == letters("de"))
    try store.reopen()
    #expect(try store.bees() == letters("de"))
    #expect(try store.context().names(of: Hive.self) == ["south"])
  }

  @Test(
    "fetches with limits, offsets or predicates omit the children, and enumerate throws while the deletion is pending",
    arguments: Engine.allCases)
  func queries(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    try context.deleteHive("north")
    var window = FetchDescriptor<Bee>(sortBy: [SortDescriptor(\.name)])
    window.fetchLimit = 1
    #expect(try context.fetch(window).names == ["d"])
    window.fetchOffset = 1
    #expect(try context.fetch(window).names == ["e"])
    #expect(try context.fetchCount(FetchDescriptor<Bee>(predicate: #Predicate { $0.hive?.name == "north" })) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Bee>(predicate: #Predicate { $0.age == 1 })) == 2)
    #expect(try context.fetch(FetchDescriptor<Hive>(predicate: #Predicate { !$0.bees.isEmpty })).names == ["south"])
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.enumerate(FetchDescriptor<Bee>()) { _ in }
    }
  }

  @Test("a fetch that ignores pending changes returns the children until the save", arguments: Engine.allCases)
  func withoutPendingChanges(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    try context.deleteHive("north")
    var descriptor = FetchDescriptor<Bee>()
    descriptor.includePendingChanges = false
    let bees = try context.fetch(descriptor)
    #expect(bees.names.sorted() == letters("abcde"))
    #expect(try context.names(of: Bee.self) == letters("de"))
    try context.save()
    #expect(bees.filter(\.isDeleted).names.sorted() == letters("abc"))
    #expect(try context.fetch(descriptor).names.sorted() == letters("de"))
  }

  @Test("the list of the deleted model contains the children as deleted objects", arguments: Engine.allCases)
  func list(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let north: Hive = try context.one("north")
    context.delete(north)
    let bees = north.bees
    #expect(bees.names == letters("abc"))
    #expect(bees.allSatisfy { $0.isDeleted && $0.hive === north })
    #expect(bees.allSatisfy { bee in context.deletedModelsArray.contains { $0 === bee } })
    #expect(context.deletedModelsArray.count == 4)
    for bee in bees { bee.age = 7 }
    #expect(try context.names(of: Bee.self) == letters("de"))
    try context.save()
    #expect(bees.allSatisfy(\.isDeleted) && bees.names == letters("abc"))
    #expect(!context.hasChanges)
    #expect(try store.bees() == letters("de"))
  }

  @Test("deletedModelsArray contains the children as objects with their values", arguments: Engine.allCases)
  func deletedModels(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    try context.deleteHive("north")
    let bees = context.deletedModelsArray.compactMap { $0 as? Bee }
    #expect(bees.names.sorted() == letters("abc"))
    #expect(bees.allSatisfy { $0.isDeleted && $0.age == 1 })
    #expect(context.deletedModelsArray.count == 4)
    #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
    try context.save()
    #expect(context.deletedModelsArray.isEmpty)
    #expect(bees.allSatisfy { $0.isDeleted && $0.age == 1 })
    #expect(try store.bees() == letters("de"))
  }

  @Test("an observer of willSave finds the children in deletedModelsArray", arguments: Engine.allCases)
  func willSave(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let log = Log<[String]>()
    // The save calls the observer synchronously, so the observer can use the context.
    nonisolated(unsafe) let saved = context
    let token = NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) {
      _ in
      log.add(saved.deletedModelsArray.compactMap { ($0 as? Bee)?.name }.sorted())
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try context.deleteHive("north")
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(log.entries == [letters("abc")])
    #expect(deleted.count == 4 && !context.hasChanges)
    #expect(try store.bees() == letters("de"))
  }

  @Test(
    "children for which the context has objects are marked as deleted immediately, and keep their values",
    arguments: Engine.allCases)
  func registered(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let bee: Bee = try context.one("b")
    try context.deleteHive("north")
    #expect(bee.isDeleted && bee.name == "b" && bee.age == 1)
    #expect(context.deletedModelsArray.contains { $0 === bee })
    #expect(context.deletedModelsArray.count == 4)
    #expect(try context.names(of: Bee.self) == letters("de"))
    try context.save()
    #expect(bee.isDeleted && bee.name == "b" && bee.age == 1)
    #expect(try store.bees() == letters("de"))
  }

  // MARK: Undoing

  @Test("a rollback restores the children in the order of the list", arguments: Engine.allCases, [false, true])
  func rollback(_ engine: Engine, isListRead: Bool) throws {
    let store = try TestStore.hives(engine)
    let writer = store.context()
    try writer.one("north", Hive.self).bees.reverse()
    try writer.save()
    let context = store.context()
    let north: Hive = try context.one("north")
    context.delete(north)
    let bees = isListRead ? north.bees : []
    if isListRead { #expect(context.deletedModelsArray.count == 4) }
    context.rollback()
    #expect(!context.hasChanges && !north.isDeleted && context.deletedModelsArray.isEmpty)
    #expect(try context.names(of: Bee.self) == letters("abcde"))
    #expect(north.bees.names == letters("cba"))
    #expect(north.bees.allSatisfy { !$0.isDeleted && $0.hive === north })
    #expect(bees.allSatisfy { !$0.isDeleted })
    try context.save()
    #expect(try store.context().one("north", Hive.self).bees.names == letters("cba"))
  }

  @Test(
    "a transaction that throws restores the children, whether it saved or not",
    arguments: Engine.allCases, [false, true])
  func transaction(_ engine: Engine, isSaved: Bool) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let north: Hive = try context.one("north")
    #expect(throws: Failure.self) {
      try context.transaction {
        context.delete(north)
        if isSaved { try context.save() }
        throw Failure()
      }
    }
    #expect(!north.isDeleted && !context.hasChanges)
    #expect(try context.names(of: Bee.self) == letters("abcde"))
    #expect(north.bees.names == letters("abc"))
    #expect(try store.bees() == letters("abcde"))
    try context.transaction { context.delete(north) }
    #expect(!context.hasChanges)
    #expect(try store.bees() == letters("de"))
  }

  @Test("a deletion from before a transaction that throws stays pending", arguments: Engine.allCases)
  func pendingBeforeTransaction(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    try context.deleteHive("north")
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.save()
        throw Failure()
      }
    }
    #expect(context.hasChanges)
    #expect(try context.names(of: Bee.self) == letters("de"))
    #expect(try store.bees() == letters("abcde"))
    #expect(context.deletedModelsArray.count == 4)
    try context.save()
    #expect(try store.bees() == letters("de"))
  }

  @Test(
    "an undo restores the children, whether the deletion was saved or not", arguments: Engine.allCases, [false, true])
  func undo(_ engine: Engine, isSaved: Bool) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let manager = UndoManager()
    context.undoManager = manager
    let north: Hive = try context.one("north")
    context.delete(north)
    if isSaved { try context.save() }
    manager.undo()
    #expect(north.bees.names.sorted() == letters("abc"))
    try context.save()
    #expect(try store.bees() == letters("abcde"))
    #expect(try store.context().one("north", Hive.self).bees.names.sorted() == letters("abc"))
  }
}
