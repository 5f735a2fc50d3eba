import OpenSwiftData
import Testing

/// How a test opens a second context on its store.
struct Meeting: CustomTestStringConvertible {
  let engine: Engine
  /// True if the second context belongs to a container of its own.
  let isForeign: Bool

  var testDescription: String { engine.testDescription + (isForeign ? ", another container" : ", another context") }

  static let all = Engine.allCases.flatMap { engine in
    (engine.persists ? [false, true] : [false]).map { Meeting(engine: engine, isForeign: $0) }
  }

  func context(of store: TestStore) throws -> ModelContext {
    isForeign ? ModelContext(try engine.container(for: store.schema, store.configuration)) : store.context()
  }
}

/// A change that another context saves while the deletion of the hive north is pending.
enum Meanwhile: String, CaseIterable {
  case newChild, arrival, deletedChild, changedChild, deletedParent

  func save(in context: ModelContext) throws {
    switch self {
    case .newChild: context.insert(Bee("late", hive: try context.one("north", Hive.self)))
    case .arrival: try context.one("d", Bee.self).hive = try context.one("north", Hive.self)
    case .deletedChild: context.delete(try context.one("a", Bee.self))
    case .changedChild: try context.one("a", Bee.self).age = 9
    case .deletedParent: context.delete(try context.one("north", Hive.self))
    }
    try context.save()
  }

  /// The names of the bees that remain after the hive's deletion is saved.
  var left: [String] { self == .arrival ? ["e"] : ["d", "e"] }
}

@Suite("Children that a cascade deletes, in concurrent saves of other contexts and in the history", .serialized)
struct CascadeByKeyMeanwhileTests {
  @Test(
    "the save deletes all rows that refer to the deleted model at the time of the save", arguments: Meeting.all,
    Meanwhile.allCases)
  func saved(_ meeting: Meeting, _ change: Meanwhile) throws {
    let store = try TestStore.hives(meeting.engine)
    let (here, there) = (store.context(), try meeting.context(of: store))
    try here.deleteHive("north")
    try change.save(in: there)
    try here.save()
    #expect(!here.hasChanges)
    #expect(try here.names(of: Bee.self) == change.left)
    #expect(try store.bees() == change.left)
    let fresh = store.context()
    #expect(try fresh.names(of: Hive.self) == ["south"])
    #expect(try fresh.one("south", Hive.self).bees.names == change.left)
  }

  @Test("children have the store's current values after a rollback", arguments: Meeting.all, Meanwhile.allCases)
  func rolledBack(_ meeting: Meeting, _ change: Meanwhile) throws {
    let store = try TestStore.hives(meeting.engine)
    let (here, there) = (store.context(), try meeting.context(of: store))
    try here.deleteHive("north")
    try change.save(in: there)
    here.rollback()
    #expect(!here.hasChanges)
    #expect(try here.names(of: Bee.self) == store.bees())
    let fresh = store.context()
    #expect(try here.names(of: Hive.self) == fresh.names(of: Hive.self))
    for hive in try fresh.fetch(FetchDescriptor<Hive>()) {
      #expect(try here.one(hive.name, Hive.self).bees.names == hive.bees.names)
    }
  }

  @Test(
    "children that another context moved to another model are kept, and didSave does not list them as deleted",
    arguments: Meeting.all, [false, true])
  func movedElsewhere(_ meeting: Meeting, readsBetween: Bool) throws {
    let store = try TestStore.hives(meeting.engine)
    let moved = try store.identifiers(of: ["a"])
    let (here, there) = (store.context(), try meeting.context(of: store))
    try here.deleteHive("north")
    try there.one("a", Bee.self).hive = try there.one("south", Hive.self)
    try there.save()
    // A read applies the changes that the other context saved.
    if readsBetween { _ = try here.one("south", Hive.self).bees }
    let deleted = try here.deletedIdentifiers { try here.save() }
    #expect(!here.hasChanges)
    #expect(moved.isDisjoint(with: deleted))
    #expect(try store.bees() == letters("ade"))
    #expect(try store.context().one("south", Hive.self).bees.names.sorted() == letters("ade"))
    #expect(try here.one("south", Hive.self).bees.names.sorted() == letters("ade"))
    #expect(try there.one("a", Bee.self).hive?.name == "south")
  }

  @Test(
    "the conflict policy .throwError keeps children that another context moved to another model",
    arguments: Meeting.all)
  func movedElsewhereThrowing(_ meeting: Meeting) throws {
    let store = try TestStore.hives(meeting.engine)
    let (here, there) = (store.context(), try meeting.context(of: store))
    here.conflictPolicy = .throwError
    try here.deleteHive("north")
    try there.one("a", Bee.self).hive = try there.one("south", Hive.self)
    try there.save()
    // The save either throws, or keeps the bee, because the bee belongs to another hive by now.
    try? here.save()
    #expect(try store.context().one("south", Hive.self).bees.names.contains("a"))
  }

  @Test(
    "a context that has objects for the children marks the objects as deleted",
    arguments: Engine.allCases, [false, true])
  func readElsewhere(_ engine: Engine, isArrayRead: Bool) throws {
    let store = try TestStore.hives(engine)
    let (here, there) = (store.context(), store.context())
    let north: Hive = try there.one("north")
    let bees = north.bees
    try here.deleteHive("north")
    if isArrayRead { #expect(here.deletedModelsArray.count == 4) }
    #expect(try there.names(of: Bee.self) == letters("abcde"))
    #expect(bees.allSatisfy { !$0.isDeleted })
    try here.save()
    #expect(try there.names(of: Bee.self) == letters("de"))
    #expect(bees.count == 3 && bees.allSatisfy(\.isDeleted) && north.isDeleted)
  }

  @Test("didSave lists each child once", arguments: Engine.allCases, [false, true])
  func notification(_ engine: Engine, isArrayRead: Bool) throws {
    let store = try TestStore.hives(engine)
    let identifiers = try store.identifiers(of: letters("abc"))
    let context = store.context()
    let north: Hive = try context.one("north")
    context.delete(north)
    if isArrayRead { #expect(context.deletedModelsArray.count == 4) }
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(Set(deleted) == identifiers.union([north.persistentModelID]))
    #expect(deleted.count == 4)
  }

  @Test("the history contains each child with its tombstone", arguments: Engine.allCases, [false, true])
  func history(_ engine: Engine, isArrayRead: Bool) throws {
    let store = try TestStore.hives(engine, history: .standard)
    defer { withExtendedLifetime(store) {} }
    let identifiers = try store.identifiers(of: letters("abc"))
    let context = store.context()
    try context.deleteHive("north")
    if isArrayRead { #expect(context.deletedModelsArray.count == 4) }
    try context.save()
    let found = try deletions(context)
    #expect(Set(found.map(\.changedPersistentIdentifier)) == identifiers)
    #expect(Set(found.map { $0.tombstone[\.name] as? String }) == ["a", "b", "c"])
    #expect(try lastChanges(context).count == 4)
  }

  private func lastChanges(_ context: ModelContext) throws -> [HistoryChange] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
  }

  private func deletions(_ context: ModelContext) throws -> [DefaultHistoryDelete<Bee>] {
    try lastChanges(context).compactMap {
      if case .delete(let change) = $0 { change as? DefaultHistoryDelete<Bee> } else { nil }
    }
  }
}
