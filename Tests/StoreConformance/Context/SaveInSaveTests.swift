import SwiftData
import Testing

@Suite("Saves by observers of the notifications that a save posts", .serialized)
struct SaveInSaveTests {
  /// Runs code at every notification of a context until the observer is released.
  private final class Observer {
    private let token: any NSObjectProtocol

    init(_ name: Notification.Name, of context: ModelContext, _ body: @escaping @Sendable () -> Void) {
      token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
  }

  @Test("a save by an observer of didSave is in the store when it returns", arguments: Engine.allCases)
  func didSave(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let seen = Log<[String]>()
    let observer = Observer(ModelContext.didSave, of: scene.context) {
      guard scene.addOnce("b") else { return }
      #expect(throws: Never.self) { try scene.context.save() }
      seen.add((try? scene.stored()) ?? [])
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(seen.entries == [["a", "b"]])
    #expect(!scene.context.hasChanges)
  }

  @Test(
    "a hundred saves, each nested in the observer of the previous one, store all their changes",
    arguments: Engine.allCases)
  func recursion(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let observer = Observer(ModelContext.didSave, of: scene.context) {
      let number = scene.runs.entries.count
      guard number < 100 else { return }
      scene.runs.add("\(number)")
      scene.context.insert(Letter("\(number)"))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(try scene.stored().count == 101)
    #expect(!scene.context.hasChanges)
  }

  @Test("a save without changes by an observer of didSave posts no notification", arguments: Engine.allCases)
  func nothingToSave(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let observer = Observer(ModelContext.didSave, of: scene.context) {
      scene.runs.add("run")
      try? scene.context.save()
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(scene.runs.entries.count == 1)
  }

  @Test("a save by an observer of willSave is in the store when it returns", arguments: Engine.allCases)
  func willSave(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let seen = Log<[String]>()
    let (before, after) = (
      Observer(ModelContext.willSave, of: scene.context) {
        guard scene.addOnce("b") else { return }
        #expect(throws: Never.self) { try scene.context.save() }
        seen.add((try? scene.stored()) ?? [])
        scene.context.insert(Letter("c"))
      }, Observer(ModelContext.didSave, of: scene.context) { scene.runs.add("did") }
    )
    defer { withExtendedLifetime((before, after)) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(seen.entries == [["a", "b"]])
    #expect(try scene.stored() == ["a", "b", "c"])
    #expect(scene.runs.entries == ["b", "did", "did"])
    #expect(!scene.context.hasChanges)
  }

  @Test(
    "if the save of an observer fails, that save and the save that notified the observer both throw",
    arguments: Engine.allCases)
  func failure(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let other = try TestStore(engine, letterModels)
    let foreign = Stamp("foreign")
    let there = other.context()
    there.insert(foreign)
    try there.save()
    let letter = Letter("a", seal: foreign)
    nonisolated(unsafe) let unsafeLetter = letter
    let failures = Log<Bool>()
    let observer = Observer(ModelContext.willSave, of: scene.context) {
      scene.context.insert(unsafeLetter)
      do { try scene.context.save() } catch { failures.add(error is SwiftDataError) }
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(Letter("b"))
    #expect(throws: SwiftDataError.modelOfAnotherContext) { try scene.context.save() }
    #expect(failures.entries == [true])
    #expect(try scene.stored() == [])
    letter.seal = nil
    try scene.context.save()
    #expect(try scene.stored() == ["a", "b"])
  }

  @Test(
    "an observer of a context's save may save a second context, whose observer saves the first one again",
    arguments: Engine.allCases)
  func severalContexts(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    nonisolated(unsafe) let other = scene.store.context()
    let observers = [
      Observer(ModelContext.didSave, of: scene.context) {
        guard !scene.runs.entries.contains("other") else { return }
        scene.runs.add("other")
        other.insert(Letter("b"))
        #expect(throws: Never.self) { try other.save() }
      },
      Observer(ModelContext.didSave, of: other) {
        scene.context.insert(Letter("c"))
        #expect(throws: Never.self) { try scene.context.save() }
      },
    ]
    defer { withExtendedLifetime(observers) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(try scene.stored() == ["a", "b", "c"])
    #expect(!scene.context.hasChanges && !other.hasChanges)
  }

  @Test(
    "a transaction that an observer of willSave or didSave runs is saved", arguments: Engine.allCases,
    [ModelContext.willSave, ModelContext.didSave])
  func transaction(_ engine: Engine, _ name: Notification.Name) throws {
    let scene = try LetterScene(engine)
    let observer = Observer(name, of: scene.context) {
      guard !scene.runs.entries.contains("b") else { return }
      #expect(throws: Never.self) { try scene.context.transaction { _ = scene.addOnce("b") } }
      #expect((try? scene.stored().contains("b")) == true)
      #expect(throws: Failure.self) {
        try scene.context.transaction {
          scene.context.insert(Letter("undone"))
          throw Failure()
        }
      }
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(try scene.stored() == ["a", "b"])
    #expect(!scene.context.hasChanges)
  }

  @Test(
    "rolling back a transaction undoes the saves inside it, including the saves of observers",
    arguments: Engine.allCases)
  func undoneTransaction(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let observer = Observer(ModelContext.didSave, of: scene.context) {
      if scene.addOnce("b") { #expect(throws: Never.self) { try scene.context.save() } }
    }
    defer { withExtendedLifetime(observer) {} }
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        scene.context.insert(Letter("a"))
        try scene.context.save()
        throw Failure()
      }
    }
    #expect(try scene.stored() == [])
    #expect(!scene.context.hasChanges)
  }

  @Test("an observer of willSave that rolls back leaves nothing to save", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let observers = [
      Observer(ModelContext.willSave, of: scene.context) { scene.context.rollback() },
      Observer(ModelContext.didSave, of: scene.context) { scene.runs.add("did") },
    ]
    defer { withExtendedLifetime(observers) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(try scene.stored() == [])
    #expect(!scene.context.hasChanges)
    #expect(scene.runs.entries == [])
  }

  @Test("an observer of didSave that deletes and rolls back restores the saved state", arguments: Engine.allCases)
  func rollbackAfter(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let (a, b) = (Letter("a"), Letter("b"))
    nonisolated(unsafe) let letters = (a, b)
    let observer = Observer(ModelContext.didSave, of: scene.context) {
      guard scene.runs.entries.isEmpty else { return }
      scene.runs.add("run")
      scene.context.delete(letters.0)
      scene.context.rollback()
      scene.context.delete(letters.1)
      #expect(throws: Never.self) { try scene.context.save() }
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(a)
    scene.context.insert(b)
    try scene.context.save()
    #expect(try scene.stored() == ["a"])
    #expect(!scene.context.hasChanges && !a.isDeleted && b.isDeleted)
  }

  @Test("autosave saves changes by observers of didSave", arguments: Engine.allCases)
  @MainActor
  func autosave(_ engine: Engine) async throws {
    let store = try TestStore(engine, letterModels)
    let context = store.container.mainContext
    let clock = ManualClock()
    context.autosaveClock = clock
    let letter = Letter("a")
    nonisolated(unsafe) let unsafeLetter = letter
    let observer = Observer(ModelContext.didSave, of: context) {
      if unsafeLetter.count < 3 { unsafeLetter.count += 1 }
    }
    defer { withExtendedLifetime(observer) {} }
    context.insert(letter)
    try context.save()
    #expect(context.hasChanges)
    for count in 1...3 {
      await clock.advance(by: .milliseconds(500))
      #expect(try store.context().fetch(FetchDescriptor<Letter>()).map(\.count) == [count])
    }
    #expect(!context.hasChanges)
  }

  @Test(
    "if a save refreshes a property, the changes that an observer of that property makes are kept",
    arguments: Engine.allCases)
  func observation(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let letter = try scene.savedLetter()
    let there = scene.store.context()
    try #require(try there.fetch(FetchDescriptor<Letter>()).first).text = "remote"
    try there.save()
    let errors = Log<Bool>()
    nonisolated(unsafe) let unsafeLetter = letter
    withObservationTracking {
      _ = unsafeLetter.text
    } onChange: {
      scene.context.insert(Letter("by the observer"))
      do { try scene.context.save() } catch { errors.add(true) }
    }
    letter.count = 5
    try scene.context.save()
    #expect(letter.text == "remote")
    if errors.entries == [true] {
      #expect(scene.context.hasChanges)
      try scene.context.save()
    }
    #expect(try scene.stored() == ["by the observer", "remote"])
    #expect(!scene.context.hasChanges)
  }
}
