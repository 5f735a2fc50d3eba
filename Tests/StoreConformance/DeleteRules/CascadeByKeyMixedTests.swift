import SwiftData
import Testing

@Suite("Children that a cascade deletes while other changes are pending", .serialized)
struct CascadeByKeyMixedTests {
  @Test(
    "children that another context moved to an observed list are kept", arguments: Engine.allCases)
  func observed(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let (here, there) = (store.context(), store.context())
    let south: Hive = try here.one("south")
    let log = Log<String>()
    withObservationTracking {
      _ = (south.bees.count, south.name)
    } onChange: {
      log.add("south")
    }
    try here.deleteHive("north")
    let moved: Bee = try there.one("a")
    moved.hive = try there.one("south", Hive.self)
    try there.save()
    try here.save()
    #expect(try store.bees() == letters("ade"))
    #expect(try here.names(of: Bee.self) == letters("ade"))
    #expect(south.bees.names.sorted() == letters("ade"))
    #expect(log.entries == ["south"])
  }

  @Test(
    "memory and store are consistent if deleted children are fetched without pending changes and then moved",
    arguments: Engine.allCases)
  func changedAfterAll(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    try context.deleteHive("north")
    var descriptor = FetchDescriptor<Bee>(predicate: #Predicate { $0.name == "a" })
    descriptor.includePendingChanges = false
    let bee = try #require(try context.fetch(descriptor).first)
    bee.hive = try context.one("south", Hive.self)
    try context.save()
    #expect(!context.hasChanges)
    // The bee may be deleted or moved; the context and the store must agree.
    #expect(try context.names(of: Bee.self) == store.bees())
    #expect(try context.one("south", Hive.self).bees.names.sorted() == store.bees())
  }

  @Test(
    "children that match delete(model:where:) too are deleted, even if another context moved them",
    arguments: Engine.allCases)
  func beside(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let (here, there) = (store.context(), store.context())
    try here.deleteHive("north")
    try here.delete(model: Bee.self, where: #Predicate { $0.name == "d" || $0.name == "b" })
    for name in ["a", "b"] { try there.one(name, Bee.self).hive = try there.one("south", Hive.self) }
    try there.save()
    try here.save()
    #expect(!here.hasChanges)
    #expect(try store.bees() == letters("ae"))
    #expect(try here.names(of: Bee.self) == letters("ae"))
  }

  @Test(
    "deleting several models deletes the children of each, with or without saves in between",
    arguments: Engine.allCases,
    [false, true])
  func inTurn(_ engine: Engine, savesBetween: Bool) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    try context.deleteHive("north")
    if savesBetween { try context.save() }
    #expect(try context.names(of: Bee.self) == letters("de"))
    try context.deleteHive("south")
    #expect(try context.names(of: Bee.self) == [])
    #expect(context.deletedModelsArray.count == (savesBetween ? 3 : 7))
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.bees() == [])
    #expect(try store.context().names(of: Hive.self) == [])
  }

  @Test("one save deletes the children, and changes, inserts and deletes other objects", arguments: Engine.allCases)
  func otherChanges(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let south: Hive = try context.one("south")
    try context.deleteHive("north")
    #expect(south.bees.names == letters("de"))
    south.bees.append(Bee("f"))
    south.name = "renamed"
    context.insert(Hive("new", bees: [Bee("g")]))
    #expect(try context.names(of: Bee.self) == letters("defg"))
    try context.save()
    #expect(try store.bees() == letters("defg"))
    #expect(try store.context().one("renamed", Hive.self).bees.names == letters("def"))
    context.delete(south)
    #expect(try context.names(of: Bee.self) == ["g"])
    try context.deleteHive("new")
    try context.save()
    #expect(try store.bees() == [])
    #expect(try store.context().names(of: Hive.self) == [])
  }

  @Test(
    "children are deleted once, even if the program deletes them or their model several times",
    arguments: Engine.allCases)
  func repeated(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let north: Hive = try context.one("north")
    context.delete(try context.one("b", Bee.self))
    context.delete(north)
    context.delete(north)
    if let bee = north.bees.first { context.delete(bee) }
    #expect(context.deletedModelsArray.count == 4)
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(deleted.count == 4 && Set(deleted).count == 4)
    context.delete(north)
    try context.save()
    #expect(try store.bees() == letters("de"))
  }

  @Test(
    "children moved away before the deletion are kept, and children moved to the model are deleted",
    arguments: Engine.allCases,
    [false, true])
  func moved(_ engine: Engine, isListRead: Bool) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let (north, south): (Hive, Hive) = (try context.one("north"), try context.one("south"))
    if isListRead { #expect(north.bees.names == letters("abc")) }
    let (leaving, arriving): (Bee, Bee) = (try context.one("a"), try context.one("d"))
    leaving.hive = south
    arriving.hive = north
    context.delete(north)
    #expect(!leaving.isDeleted && arriving.isDeleted)
    #expect(try context.names(of: Bee.self) == letters("ae"))
    #expect(south.bees.names == letters("ea"))
    try context.save()
    #expect(!leaving.isDeleted && leaving.hive === south)
    #expect(try store.bees() == letters("ae"))
    #expect(try store.context().one("south", Hive.self).bees.names == letters("ea"))
  }

  @Test("a rollback returns moved children to the owners that the store has", arguments: Engine.allCases)
  func movedAndRolledBack(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let (north, south): (Hive, Hive) = (try context.one("north"), try context.one("south"))
    let (leaving, arriving): (Bee, Bee) = (try context.one("a"), try context.one("d"))
    leaving.hive = south
    arriving.hive = north
    context.delete(north)
    context.rollback()
    #expect(!context.hasChanges && !arriving.isDeleted)
    #expect(leaving.hive === north && arriving.hive === south)
    #expect(north.bees.names == letters("abc") && south.bees.names == letters("de"))
  }

  @Test("children of a model that was never saved are discarded with the model", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let hive = Hive("new", bees: [Bee("f")])
    context.insert(hive)
    context.delete(hive)
    #expect(!context.hasChanges && context.deletedModelsArray.isEmpty)
    try context.deleteHive("north")
    try context.save()
    #expect(try store.bees() == letters("de"))
  }

  @Test(
    "a predicate may delete the children too, before or after the cascade", arguments: Engine.allCases, [false, true])
  func byPredicate(_ engine: Engine, predicateFirst: Bool) throws {
    let store = try TestStore.hives(engine)
    let identifiers = try store.identifiers(of: letters("abcd"))
    let context = store.context()
    let north: Hive = try context.one("north")
    if !predicateFirst { context.delete(north) }
    try context.delete(model: Bee.self, where: #Predicate { $0.name < "e" })
    if predicateFirst { context.delete(north) }
    #expect(try context.names(of: Bee.self) == ["e"])
    #expect(try context.one("south", Hive.self).bees.names == ["e"])
    let deleted = try context.deletedIdentifiers { try context.save() }
    #expect(Set(deleted) == identifiers.union([north.persistentModelID]))
    #expect(deleted.count == 5)
    #expect(try store.bees() == ["e"])
  }

  @Test(
    "rolling back a deletion by cascade and one by predicate restores all children", arguments: Engine.allCases,
    [false, true])
  func byPredicateAndBack(_ engine: Engine, predicateFirst: Bool) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    if !predicateFirst { try context.deleteHive("north") }
    try context.delete(model: Bee.self, where: #Predicate { $0.name < "e" })
    if predicateFirst { try context.deleteHive("north") }
    context.rollback()
    #expect(!context.hasChanges)
    #expect(try context.names(of: Bee.self) == letters("abcde"))
    #expect(try context.one("north", Hive.self).bees.names == letters("abc"))
    #expect(try context.one("south", Hive.self).bees.names == letters("de"))
    try context.save()
    #expect(try store.bees() == letters("abcde"))
  }

  @Test("an autosave deletes the children", arguments: Engine.allCases)
  func autosave(_ engine: Engine) throws {
    let store = try TestStore.hives(engine)
    let context = store.context()
    let clock = ManualClock()
    context.autosaveClock = clock
    context.autosaveEnabled = true
    try context.deleteHive("north")
    #expect(try store.bees() == letters("abcde"))
    clock.pass(.seconds(60))
    _ = try context.fetchCount(FetchDescriptor<Hive>())
    #expect(!context.hasChanges)
    #expect(try store.bees() == letters("de"))
  }

  @Test("grandchildren are deleted and restored with the children", arguments: Engine.allCases)
  func twoLevels(_ engine: Engine) throws {
    let store = try TestStore(engine, hiveModels)
    let hives = [Hive("north", bees: named("abc") { Bee($0) }), Hive("south", bees: named("de") { Bee($0) })]
    try store.keep(Apiary("apiary", hives: hives))
    let context = store.context()
    let apiary: Apiary = try context.one("apiary")
    context.delete(apiary)
    #expect(try context.names(of: Hive.self) == [])
    #expect(try context.names(of: Bee.self) == [])
    #expect(context.deletedModelsArray.count == 1 + 2 + 5)
    context.rollback()
    #expect(try context.names(of: Bee.self) == letters("abcde"))
    #expect(apiary.hives.map(\.bees.names) == [letters("abc"), letters("de")])
    context.delete(apiary)
    try context.save()
    #expect(try store.bees() == [])
    #expect(try store.context().names(of: Hive.self) == [])
  }

  @Test("children that require the model are deleted with it", arguments: Engine.allCases)
  func required(_ engine: Engine) throws {
    let store = try TestStore(engine, deleteRuleModels)
    let (contract, other) = (Contract("contract"), Contract("other"))
    try store.keep(Clause("a", contract: contract), Clause("b", contract: contract), Clause("c", contract: other))
    let context = store.context()
    let found: Contract = try context.one("contract")
    context.delete(found)
    #expect(try context.names(of: Clause.self) == ["c"])
    #expect(found.clauses.names.sorted() == letters("ab"))
    #expect(found.clauses.allSatisfy { $0.isDeleted && $0.contract === found })
    try context.save()
    #expect(try store.context().names(of: Clause.self) == ["c"])
    #expect(try store.context().names(of: Contract.self) == ["other"])
  }

  @Test("new objects of the same save can have the unique values of the deleted children", arguments: Engine.allCases)
  func uniqueValues(_ engine: Engine) throws {
    let store = try TestStore(engine, hiveModels)
    try store.keep(Pantry("old", bottles: named("ab") { Bottle($0) }))
    let context = store.context()
    context.delete(try context.one("old", Pantry.self))
    context.insert(Pantry("new", bottles: [Bottle("a")]))
    #expect(try context.names(of: Bottle.self) == ["a"])
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.context().names(of: Bottle.self) == ["a"])
    #expect(try store.context().names(of: Pantry.self) == ["new"])
    #expect(try store.context().one("new", Pantry.self).bottles.names == ["a"])
  }
}
