import SwiftData
import Testing

/// If a context already has an object for a row, and an upsert merges a new object into the row, the context has two
/// objects for it. Only one of them is registered under the row's key.
@Suite("Several objects of one context for one row", .serialized)
struct SecondInstanceTests {
  /// Returns a context that has two objects for the row of Norway: the first was fetched, and the second was merged
  /// into the row by an upsert.
  private func twoObjects(_ store: TestStore) throws -> (context: ModelContext, first: Country, second: Country) {
    try store.keep(Country("Norway", population: 5), Country("Chad", population: 17))
    let context = store.context()
    let first: Country = try context.one("Norway")
    let second = Country("Norway", population: 6)
    context.insert(second)
    try context.save()
    try #require(first !== second && first.persistentModelID == second.persistentModelID)
    return (context, first, second)
  }

  /// Returns a context and its second object for the row, after the fetched object was released.
  private func secondAlone(_ store: TestStore) throws -> (context: ModelContext, second: Country) {
    let (context, _, second) = try twoObjects(store)
    return (context, second)
  }

  // MARK: Transactions that throw

  @Test(
    "if a deletion's transaction throws and the deletion is saved again, all objects of the row are marked as deleted",
    arguments: Engine.allCases)
  func deletionAfterUndoneDeletion(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    // The rollback registers the objects of the row again, in the order in which they were deleted. `second` is deleted
    // first, so it is registered before `first`.
    context.delete(second)
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.save()
        throw Failure()
      }
    }
    #expect(!first.isDeleted && first.population == 6)
    try context.save()
    #expect(first.isDeleted && second.isDeleted)
    #expect(try store.context().names(of: Country.self) == ["Chad"])
  }

  @Test(
    "if another context deletes the row after a transaction threw, all objects of the row are marked as deleted",
    arguments: Engine.allCases)
  func foreignDeletionAfterUndoneDeletion(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    #expect(throws: Failure.self) {
      try context.transaction {
        context.delete(second)
        try context.save()
        throw Failure()
      }
    }
    let other = store.context()
    other.delete(try other.one("Norway", Country.self))
    try other.save()
    #expect(try context.names(of: Country.self) == ["Chad"])
    #expect(first.isDeleted && second.isDeleted)
  }

  @Test(
    "an object that a transaction deletes and inserts again belongs to its former row after the rollback",
    arguments: Engine.allCases)
  func undoneReinsertion(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    #expect(throws: Failure.self) {
      try context.transaction {
        context.delete(first)
        try context.save()
        second.name = "Sweden"
        context.insert(second)
        try context.save()
        throw Failure()
      }
    }
    #expect(!second.isDeleted && second.name == "Norway")
    #expect(second.persistentModelID == first.persistentModelID)
    first.population = 9
    try context.save()
    #expect(second.population == 9)
  }

  @Test("a transaction that throws restores the values of all objects of the row", arguments: Engine.allCases)
  func undoneChange(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    #expect(throws: Failure.self) {
      try context.transaction {
        first.population = 9
        try context.save()
        #expect(second.population == 9)
        throw Failure()
      }
    }
    #expect(first.population == 6 && second.population == 6)
  }

  @Test(
    "an object that an upsert merged into a row belongs to no row after the transaction is rolled back",
    arguments: Engine.allCases)
  func undoneUpsert(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    try store.keep(Country("Norway", population: 5))
    let (context, other) = (store.context(), store.context())
    let first: Country = try context.one("Norway")
    let second = Country("Norway", population: 6)
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(second)
        try context.save()
        throw Failure()
      }
    }
    try other.one("Norway", Country.self).population = 8
    try other.save()
    #expect(try context.names(of: Country.self) == ["Norway"])
    #expect(first.population == 8 && !second.isDeleted && second.modelContext == nil)
    context.insert(second)
    try context.save()
    #expect(first.population == 6 && !second.isDeleted)
  }

  // MARK: Saves

  @Test("if an upsert merges a third object into the row, all objects get its values", arguments: Engine.allCases)
  func upsertedAgain(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    let third = Country("Norway", population: 7, motto: "Alt for Norge")
    context.insert(third)
    try context.save()
    for country in [first, second, third] {
      #expect(country.population == 7 && country.motto == "Alt for Norge")
    }
  }

  @Test("an upsert's values overwrite unsaved changes of all objects of the row", arguments: Engine.allCases)
  func changedAndUpserted(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    second.population = 100
    context.insert(Country("Norway", population: 7))
    try context.save()
    #expect(first.population == 7 && second.population == 7)
    #expect(try store.context().one("Norway", Country.self).population == 7)
  }

  @Test(
    "deleting one object of the row discards unsaved changes of the other, without a conflict",
    arguments: Engine.allCases)
  func changedAndDeleted(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    context.conflictPolicy = .throwError
    second.population = 100
    context.delete(first)
    try context.save()
    #expect(first.isDeleted && second.isDeleted && !context.hasChanges)
    #expect(context.resolvedConflicts.isEmpty)
    #expect(try store.context().names(of: Country.self) == ["Chad"])
  }

  @Test(
    "deleting the row by predicate marks the second object as deleted after the first was released",
    arguments: Engine.allCases)
  func batchDeletion(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, second) = try secondAlone(store)
    try context.delete(model: Country.self, where: #Predicate { $0.name == "Norway" })
    #expect(second.isDeleted)
    try context.save()
    #expect(second.isDeleted)
    #expect(try store.context().names(of: Country.self) == ["Chad"])
  }

  @Test(
    "an object that was inserted again with another unique value no longer belongs to the former row",
    arguments: Engine.allCases)
  func insertedAnew(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    context.undoManager = UndoManager()
    context.delete(first)
    try context.save()
    #expect(first.isDeleted && second.isDeleted)
    context.undoManager?.undo()
    try context.save()
    #expect(!first.isDeleted)
    second.name = "Sweden"
    context.insert(second)
    try context.save()
    context.delete(first)
    try context.save()
    #expect(first.isDeleted && !second.isDeleted)
    #expect(try store.context().names(of: Country.self) == ["Chad", "Sweden"])
  }

  // MARK: Changes by other contexts

  @Test("if another context deletes the row, the observers of all its objects are notified", arguments: Engine.allCases)
  func observers(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    let flags = [changeFlag { _ = first.motto }, changeFlag { _ = second.motto }]
    let other = store.context()
    other.delete(try other.one("Norway", Country.self))
    try other.save()
    #expect(try context.names(of: Country.self) == ["Chad"])
    #expect(first.isDeleted && second.isDeleted)
    #expect(flags.allSatisfy { $0.isRaised })
  }

  @Test(
    "if reading one object discovers the deletion of the row, the observers of all its objects are notified",
    arguments: Engine.allCases)
  func missingRow(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, second) = try secondAlone(store)
    var descriptor = FetchDescriptor<Country>(predicate: #Predicate { $0.name == "Norway" })
    descriptor.propertiesToFetch = [\.name]
    let registered = try #require(try context.fetch(descriptor).first)
    try #require(registered !== second)
    let flags = [changeFlag { _ = registered.name }, changeFlag { _ = second.motto }]
    let other = store.context()
    other.delete(try other.one("Norway", Country.self))
    try other.save()
    #expect(!registered.isDeleted && !second.isDeleted)
    _ = registered.motto
    #expect(registered.isDeleted && second.isDeleted)
    #expect(flags.allSatisfy { $0.isRaised })
  }

  @Test(
    "a fetch refreshes all objects of the row, including one with an unsaved change of another property",
    arguments: Engine.allCases)
  func pendingChange(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    second.population = 9
    let other = store.context()
    try other.one("Norway", Country.self).motto = "Alt for Norge"
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<City>()) == 0)
    #expect(first.motto == "Alt for Norge" && second.motto == "Alt for Norge")
    #expect(second.population == 9)
    try context.save()
    #expect(first.population == 9)
  }

  @Test(
    "saving one object gives all objects of the row the changes that another context saved before",
    arguments: Engine.allCases)
  func savedAfterOthers(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    let other = store.context()
    try other.one("Norway", Country.self).population = 8
    try other.save()
    second.motto = "Alt for Norge"
    try context.save()
    for country in [first, second] { #expect(country.population == 8 && country.motto == "Alt for Norge") }
  }

  @Test(
    "a save compares the changes of each object with the values that another context saved", arguments: Engine.allCases)
  func compared(_ engine: Engine) throws {
    let store = try TestStore(engine, uniqueModels)
    let (context, first, second) = try twoObjects(store)
    first.population = 7
    second.motto = "ours"
    let other = store.context()
    try other.one("Norway", Country.self).motto = "theirs"
    try other.save()
    context.conflictPolicy = .throwError
    #expect(throws: SwiftDataError.conflictingChanges) { try context.save() }
    context.conflictPolicy = .mergeByProperty(keeping: .theirs)
    try context.save()
    #expect(context.resolvedConflicts.map(\.propertyName) == ["motto"])
    for country in [first, second] { #expect(country.population == 7 && country.motto == "theirs") }
    #expect(try store.context().one("Norway", Country.self).motto == "theirs")
  }

  @Test(
    "a key of a rolled-back transaction may be used again for an object of another class", arguments: Engine.allCases)
  func keyOfAnotherClass(_ engine: Engine) throws {
    let store = try TestStore(engine, vehicleModels)
    let context = store.context()
    let trucks = (1...2).map { Truck("A", size: $0) }
    for truck in trucks { truck.serial = "s" }
    #expect(throws: Failure.self) {
      try context.transaction {
        for truck in trucks { context.insert(truck) }
        try context.save()
        throw Failure()
      }
    }
    let bicycle = Bicycle("B")
    context.insert(bicycle)
    try context.save()
    bicycle.name = "C"
    try context.save()
    #expect(trucks.allSatisfy { !$0.isDeleted && $0.modelContext == nil })
    #expect(try store.context().vehicles(Vehicle.self) == ["Bicycle C"])
  }
}
