import SwiftData
import Testing

@Suite("Regressions: saves and transactions that fail")
struct FailedSaveTests {
  @Test("a failed save in a transaction is undone completely", arguments: Engine.allCases)
  func failureInside(_ engine: Engine) throws {
    let store = try TestStore(engine, [Stamp.self, Card.self], uniquenessPolicy: .throwError)
    let context = store.context()
    context.insert(Card(number: 1, holder: "Ada"))
    try context.save()
    try context.transaction {
      context.insert(Stamp("kept"))
      let duplicate = Card(number: 1, holder: "Bob")
      context.insert(duplicate)
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
      context.delete(duplicate)
    }
    #expect(!context.hasChanges)
    #expect(try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text) == ["kept"])
    #expect(try store.context().fetch(FetchDescriptor<Card>()).map(\.holder) == ["Ada"])
  }

  @Test(
    "an object that was inserted and saved in a rolled-back transaction is a new object again",
    arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let stamp = Stamp("a")
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(stamp)
        try context.save()
        stamp.text = "edit"
        try? context.transaction { throw Failure() }
        throw Failure()
      }
    }
    #expect(stamp.modelContext == nil)
    #expect(!stamp.isDeleted)
    #expect(!context.hasChanges)
    context.insert(stamp)
    #expect(context.hasChanges)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text) == [stamp.text])
  }

  @Test(
    "an identifier that a program reads during a failed save equals no identifier of another object",
    arguments: Engine.allCases)
  func identifier(_ engine: Engine) throws {
    let store = try TestStore(engine, [Trap.self, Card.self], uniquenessPolicy: .throwError)
    let context = store.context()
    context.insert(Card(number: 1, holder: "Ada"))
    try context.save()
    let trap = Trap(1)
    context.insert(trap)
    context.insert(Card(number: 1, holder: "Bob"))
    let identifiers = Log<PersistentIdentifier>()
    // The save calls the closure synchronously on this thread, so the closure can use the model.
    nonisolated(unsafe) let observed = trap
    Tripwire.watch {
      identifiers.add(observed.persistentModelID)
    } during: {
      #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    }
    let early = try #require(identifiers.entries.first)
    #expect(early == trap.persistentModelID)
    context.rollback()
    let other = Trap(2)
    context.insert(other)
    try context.save()
    #expect(early != other.persistentModelID)
  }

  @Test("if one of two stores fails to save, the next save does not insert the other store's rows again")
  func twoStores() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let left = ModelConfiguration("left", schema: Schema([Left.self]), url: folder.appending(path: "left.store"))
    let right = ModelConfiguration(
      "right", schema: Schema([Right.self, Target.self]), url: folder.appending(path: "right.store"))
    let container = try ModelContainer(for: Left.self, Right.self, Target.self, configurations: left, right)
    let context = ModelContext(container)
    let target = Target("gone")
    context.insert(target)
    try context.save()
    context.delete(target)
    try context.save()
    context.insert(Left("left"))
    let dangling = Right("right")
    context.insert(dangling)
    dangling.target = target
    #expect(throws: SwiftDataError.self) { try context.save() }
    dangling.target = nil
    try context.save()
    #expect(!context.hasChanges)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Left>()).map(\.name) == ["left"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Right>()).map(\.name) == ["right"])
  }

  @Test("a model whose row was deleted can be inserted again", arguments: Engine.allCases)
  func insertAgain(_ engine: Engine) throws {
    let store = try TestStore(engine, letterModels)
    let context = store.context()
    let stamp = Stamp("a")
    context.insert(stamp)
    try context.save()
    context.delete(stamp)
    try context.save()
    context.insert(stamp)
    #expect(context.hasChanges)
    #expect(stamp.modelContext === context)
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text) == ["a"])
  }
}
