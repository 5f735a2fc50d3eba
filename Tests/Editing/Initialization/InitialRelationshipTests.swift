import ConformanceSupport
import SwiftData
import Testing

@Suite("An initialiser that sets a relationship to a registered object")
struct InitialRelationshipTests {
  /// Creates a context with an inserted, unsaved guardian.
  private func family(_ engine: Engine) throws -> (store: TestStore, context: ModelContext, guardian: Guardian) {
    let store = try TestStore(engine, Family.models)
    let context = store.context()
    let guardian = Guardian("g")
    context.insert(guardian)
    return (store, context, guardian)
  }

  private func names(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Pupil>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }

  @Test(
    "the initialiser inserts the new object at once, even if the program keeps no reference to it",
    arguments: Engine.allCases)
  func kept(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    _ = Pupil("a", first: guardian)
    #expect(guardian.pupils.map(\.name) == ["a"])
    _ = Pupil("b", last: guardian)
    #expect(guardian.pupils.map(\.name) == ["a", "b!"])
    #expect(guardian.pupils.map(\.age) == [7, 8])
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    #expect(try names(store) == ["a", "b!"])
    _ = Pupil("c", first: guardian)
    try context.save()
    #expect(try names(store) == ["a", "b!", "c"])
    let fresh = try store.context().fetch(FetchDescriptor<Guardian>())[0]
    #expect(fresh.pupils.map(\.name) == ["a", "b!", "c"])
  }

  @Test(
    "the initialiser inserts the new object even if the registered object's list has not been read",
    arguments: Engine.allCases)
  func fetched(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    for number in 0..<3 { _ = Pupil("\(number)", first: guardian) }
    try context.save()
    let other = store.context()
    _ = Pupil("x", last: try other.fetch(FetchDescriptor<Guardian>())[0])
    #expect(other.hasChanges)
    try other.save()
    #expect(try store.context().fetch(FetchDescriptor<Guardian>())[0].pupils.map(\.name) == ["0", "1", "2", "x!"])
  }

  @Test("the guardian's list does not contain the new object before all its required properties are set")
  func incomplete() throws {
    let family = try family(.memory)
    let guardian = family.guardian
    let early = Pupil("a", first: guardian)
    #expect(early.seen == 0)
    // Once all required properties are set, code later in the initialiser sees the object in the guardian's list.
    let late = Pupil("b", last: guardian)
    #expect(late.note == "2")
    #expect(family.context.hasChanges)
  }

  @Test(
    "if the initialiser throws before all properties are set, the new object is not inserted",
    arguments: Engine.allCases)
  func failing(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    #expect(throws: Failure.self) { try Pupil(failing: guardian, isComplete: false) }
    #expect(guardian.pupils.isEmpty)
    _ = try Pupil(failing: guardian, isComplete: true)
    #expect(guardian.pupils.map(\.age) == [9])
    try context.save()
    #expect(try names(store) == ["never"])
  }

  // An initialiser that cannot throw always sets all properties, so the order in which it sets them does not matter.
  @Test(
    "the initialiser inserts the new object even if it sets the properties in different branches",
    arguments: Engine.allCases)
  func branches(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    _ = Boarder("a", guardian, isNew: true)
    _ = Boarder(nil, guardian, isNew: false)
    #expect(context.insertedModelsArray.count == 3)
    try context.save()
    let found = try store.context().fetch(FetchDescriptor<Boarder>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map(\.name) == ["a", "nobody"])
    #expect(found.map(\.room) == [1, 2])
    #expect(found.allSatisfy { $0.guardian.name == "g" })
  }

  // If the object were inserted only when it is used or released, this save would miss it.
  @Test("a new object that the program keeps but does not use before the save is inserted", arguments: Engine.allCases)
  func held(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    let pupil = Pupil("a", first: guardian)
    try context.save()
    #expect(try names(store) == ["a"])
    #expect(pupil.modelContext === context)
    #expect(!pupil.hasChanges)
  }

  @Test(
    "initialisers also insert objects of subclasses, and objects with a to-many relationship",
    arguments: Engine.allCases)
  func others(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    _ = Pet("cat", owner: guardian)
    _ = Dog("dog", owner: guardian, tricks: ["sit"])
    #expect(guardian.pets.map(\.name) == ["cat", "dog"])
    let pets = guardian.pets
    _ = Guardian(pets: [pets[0], Pet("new", owner: nil)], "h")
    #expect(guardian.pets.map(\.name) == ["dog"])
    #expect(pets[0].owner?.name == "h")
    try context.save()
    let found = try store.context().fetch(FetchDescriptor<Guardian>(sortBy: [SortDescriptor(\.name)]))
    #expect(found.map { $0.pets.map(\.name) } == [["dog"], ["cat", "new"]])
    #expect((found[0].pets[0] as? Dog)?.tricks == ["sit"])
  }

  @Test("a new object that its initialiser inserted can be moved to another context", arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let (store, context, guardian) = try family(engine)
    try context.save()
    let other = store.context()
    let pupil = Pupil("a", first: guardian)
    other.insert(pupil)
    #expect(pupil.modelContext === other)
    #expect(!context.hasChanges || context.insertedModelsArray.isEmpty)
    try other.save()
    #expect(try names(store) == ["a"])
  }

  @Test("undo and rollback remove a new object that its initialiser inserted")
  func undone() throws {
    let (store, context, guardian) = try family(.memory)
    try context.save()
    let undo = UndoManager()
    context.undoManager = undo
    _ = Pupil("a", first: guardian)
    context.processPendingChanges()
    undo.undo()
    #expect(guardian.pupils.isEmpty)
    undo.redo()
    #expect(guardian.pupils.map(\.name) == ["a"])
    context.rollback()
    #expect(guardian.pupils.isEmpty)
    try context.save()
    #expect(try names(store).isEmpty)
  }
}
