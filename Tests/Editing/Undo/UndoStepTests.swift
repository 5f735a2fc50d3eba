import ConformanceSupport
import SwiftData
import Testing

@Suite("Undo steps of a context")
struct UndoStepTests {
  @Test("a step ends with a save and with processPendingChanges", arguments: Engine.allCases)
  func steps(_ engine: Engine) throws {
    let (_, context, manager, artist) = try TestStore.undoable(engine)
    artist.age = 1
    try context.save()
    artist.age = 2
    context.processPendingChanges()
    artist.age = 3
    artist.score = 3
    #expect(manager.canUndo)
    manager.undo()
    #expect((artist.age, artist.score) == (2, 0))
    manager.undo()
    #expect(artist.age == 1)
    manager.undo()
    #expect(artist.age == 30)
    #expect(!manager.canUndo)
    for age in 1...3 {
      manager.redo()
      #expect(artist.age == age)
    }
    #expect(artist.score == 3)
  }

  @Test("each group of the manager is a step, including actions of other code", arguments: Engine.allCases)
  func groups(_ engine: Engine) throws {
    let (_, context, manager, artist) = try TestStore.undoable(engine)
    manager.groupsByEvent = false
    let flag = Flag()
    manager.beginUndoGrouping()
    artist.age = 1
    manager.registerUndo(withTarget: flag) { $0.raise() }
    artist.name = "Bo"
    manager.endUndoGrouping()
    manager.beginUndoGrouping()
    artist.age = 2
    manager.endUndoGrouping()
    manager.undo()
    #expect((artist.age, artist.name, flag.isRaised) == (1, "Bo", false))
    manager.undo()
    #expect((artist.age, artist.name, flag.isRaised) == (30, "Ada", true))
    #expect(context.hasChanges)
  }

  @Test("a rollback removes all steps of the manager", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let (_, context, manager, artist) = try TestStore.undoable(engine)
    artist.age = 1
    try context.save()
    artist.age = 2
    context.rollback()
    #expect(artist.age == 1)
    #expect(!manager.canUndo && !manager.canRedo)
    artist.age = 3
    manager.undo()
    #expect(artist.age == 1)
  }

  @Test("a transaction is one step, with the saves in it", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    artist.score = 1
    try context.transaction {
      artist.age = 1
      try context.save()
      try context.transaction { artist.works.append(Work("A")) }
      artist.age = 2
    }
    manager.undo()
    #expect((artist.age, artist.score, artist.works.count) == (30, 1, 0))
    try context.save()
    #expect(try store.context().artist().age == 30)
    manager.redo()
    #expect((artist.age, artist.works.map(\.title)) == (2, ["A"]))
    manager.undo()
    manager.undo()
    #expect(artist.score == 0)
  }

  @Test("a transaction that throws leaves no step", arguments: Engine.allCases)
  func failedTransaction(_ engine: Engine) throws {
    let (_, context, manager, artist) = try TestStore.undoable(engine)
    artist.score = 1
    #expect(throws: Failure.self) {
      try context.transaction {
        artist.age = 1
        try context.save()
        context.insert(Artist("Bo"))
        throw Failure()
      }
    }
    #expect((artist.age, artist.score) == (30, 1))
    manager.undo()
    #expect((artist.age, artist.score) == (30, 0))
    #expect(!manager.canUndo)
    manager.redo()
    #expect((artist.age, artist.score) == (30, 1))
  }

  @Test("removing the undo manager removes the steps, and later changes are not recorded", arguments: Engine.allCases)
  func withoutManager(_ engine: Engine) throws {
    let (_, context, manager, artist) = try TestStore.undoable(engine)
    artist.age = 1
    #expect(context.undoManager === manager)
    context.undoManager = nil
    #expect(!manager.canUndo)
    artist.age = 2
    #expect(!manager.canUndo)
    manager.undo()
    #expect(artist.age == 2)
  }

  @Test("steps outlive neither the context nor its objects", arguments: Engine.allCases)
  func lifetime(_ engine: Engine) throws {
    let store = try TestStore.studios(engine)
    let manager = UndoManager()
    do {
      let context = store.context()
      context.undoManager = manager
      context.insert(Artist("Ada"))
      try context.save()
    }
    #expect(!manager.canUndo)
    manager.undo()
  }
}
