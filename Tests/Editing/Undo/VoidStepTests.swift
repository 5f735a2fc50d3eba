import ConformanceSupport
import SwiftData
import Testing

/// An object that is not a model. Tests register undo actions for its changes.
private final class Lamp {
  var isLit = true
}

@Suite("Undo steps whose changes cancel each other out")
struct VoidStepTests {
  private func comeAndGo(in context: ModelContext) {
    let artist = Artist("Bo")
    context.insert(artist)
    context.delete(artist)
  }

  @Test(
    "an empty step is removed, but the program's own actions before and after it are kept", arguments: Engine.allCases)
  func beside(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    defer { withExtendedLifetime(store) {} }
    artist.age = 1
    context.processPendingChanges()
    let lamps = [Lamp(), Lamp()]
    manager.registerUndo(withTarget: lamps[0]) { $0.isLit = false }
    comeAndGo(in: context)
    manager.registerUndo(withTarget: lamps[1]) { $0.isLit = false }
    context.processPendingChanges()
    comeAndGo(in: context)
    context.processPendingChanges()
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(lamps.allSatisfy { !$0.isLit })
    #expect(artist.age == 1)
    manager.undo()
    #expect(artist.age == 30)
    #expect(!manager.canUndo)
  }

  @Test("empty steps are removed from nested groups, and if `groupsByEvent` is false", arguments: Engine.allCases)
  func groups(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    defer { withExtendedLifetime(store) {} }
    manager.groupsByEvent = false
    comeAndGo(in: context)
    context.processPendingChanges()
    #expect(!manager.canUndo)
    manager.beginUndoGrouping()
    artist.age = 1
    manager.beginUndoGrouping()
    comeAndGo(in: context)
    manager.endUndoGrouping()
    comeAndGo(in: context)
    manager.endUndoGrouping()
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(artist.age == 30)
    #expect(!manager.canUndo)
  }

  @Test("a transaction that throws removes its own undo steps, and keeps the earlier ones", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let (store, context, manager, artist) = try TestStore.undoable(engine)
    defer { withExtendedLifetime(store) {} }
    for age in 1...3 {
      artist.age = age
      context.processPendingChanges()
    }
    #expect(throws: Failure.self) {
      try context.transaction {
        for age in 11...13 {
          artist.age = age
          try context.save()
        }
        throw Failure()
      }
    }
    #expect(manager.undoCount == 3)
    for age in [2, 1, 30] {
      manager.undo()
      #expect(artist.age == age)
    }
  }
}
