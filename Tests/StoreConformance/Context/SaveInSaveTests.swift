import SwiftData
import Testing

@Suite("Saves that observers of a save ask for", .serialized)
struct SaveInSaveTests {
  /// Runs code with every notification of a context, as long as it lives.
  private final class Observer {
    private let token: any NSObjectProtocol

    init(_ name: Notification.Name, of context: ModelContext, _ body: @escaping @Sendable () -> Void) {
      token = NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
  }

  /// The saves of the test run its observers here and now.
  private struct Scene: @unchecked Sendable {
    let store: TestStore
    let context: ModelContext
    let runs = Log<String>()

    init(_ engine: Engine) throws {
      store = try TestStore(engine, letterModels + [Trap.self])
      context = store.context()
    }

    func stored(_ context: ModelContext? = nil) throws -> [String] {
      try (context ?? store.context()).fetch(FetchDescriptor<Letter>()).map(\.text).sorted()
    }

    /// Inserts a letter the first time only.
    func addOnce(_ text: String) -> Bool {
      guard !runs.entries.contains(text) else { return false }
      runs.add(text)
      context.insert(Letter(text))
      return true
    }
  }

  @Test("what an observer of didSave saves is in the store when its save returns", arguments: Engine.allCases)
  func didSave(_ engine: Engine) throws {
    let scene = try Scene(engine)
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

  @Test("each of a hundred saves in each other is saved", arguments: Engine.allCases)
  func recursion(_ engine: Engine) throws {
    let scene = try Scene(engine)
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

  @Test("an observer of didSave that saves with nothing to save ends there", arguments: Engine.allCases)
  func nothingToSave(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let observer = Observer(ModelContext.didSave, of: scene.context) {
      scene.runs.add("run")
      try? scene.context.save()
    }
    defer { withExtendedLifetime(observer) {} }
    scene.context.insert(Letter("a"))
    try scene.context.save()
    #expect(scene.runs.entries.count == 1)
  }

  @Test("what an observer of willSave saves is in the store when its save returns", arguments: Engine.allCases)
  func willSave(_ engine: Engine) throws {
    let scene = try Scene(engine)
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

  @Test("a save of an observer that fails throws there, and so does the one around it", arguments: Engine.allCases)
  func failure(_ engine: Engine) throws {
    let scene = try Scene(engine)
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

  @Test("an observer of one context's save saves another, whose observer changes the first", arguments: Engine.allCases)
  func severalContexts(_ engine: Engine) throws {
    let scene = try Scene(engine)
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
    "a transaction in an observer is saved, in any context", arguments: Engine.allCases,
    [ModelContext.willSave, ModelContext.didSave])
  func transaction(_ engine: Engine, _ name: Notification.Name) throws {
    let scene = try Scene(engine)
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

  @Test("a save in a transaction whose observers save is undone with it", arguments: Engine.allCases)
  func undoneTransaction(_ engine: Engine) throws {
    let scene = try Scene(engine)
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
    let scene = try Scene(engine)
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

  @Test("an observer of didSave that deletes and rolls back works on what was saved", arguments: Engine.allCases)
  func rollbackAfter(_ engine: Engine) throws {
    let scene = try Scene(engine)
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

  @Test("autosave does not forget what observers of didSave change", arguments: Engine.allCases)
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

  @Test("code that runs while values are written cannot save, and loses nothing", arguments: Engine.allCases)
  func encoding(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let letter = Letter("a")
    scene.context.insert(letter)
    try scene.context.save()
    let errors = Log<String>()
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      guard errors.entries.isEmpty else { return }
      unsafeLetter.text = "changed"
      scene.context.insert(Letter("b"))
      do { try scene.context.save() } catch { errors.add("\(error)") }
      do { try scene.context.transaction {} } catch { errors.add("\(error)") }
      scene.context.rollback()
    } during: {
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    #expect(errors.entries.count == 2)
    #expect(errors.entries.allSatisfy { $0.contains("while it writes") })
    #expect(scene.context.hasChanges)
    #expect(scene.context.insertedModelsArray.count == 1 && scene.context.changedModelsArray.count == 1)
    try scene.context.save()
    #expect(try scene.stored() == ["b", "changed"])
    #expect(!scene.context.hasChanges)
  }

  @Test("code that runs while values are written may delete what is being saved", arguments: Engine.allCases)
  func deletionWhileEncoding(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let letter = Letter("a")
    scene.context.insert(letter)
    try scene.context.save()
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      scene.context.delete(unsafeLetter)
    } during: {
      letter.text = "changed"
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    try scene.context.save()
    #expect(!scene.context.hasChanges)
    #expect(try scene.stored() == [])
  }

  @Test("an observer of a property that a save brings up to date loses nothing", arguments: Engine.allCases)
  func observation(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let letter = Letter("a")
    scene.context.insert(letter)
    try scene.context.save()
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

  @Test("what such code changes is compared with what others saved, as any other change is", arguments: Engine.allCases)
  func conflict(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let (letter, other) = (Letter("a"), Letter("b"))
    scene.context.insert(letter)
    scene.context.insert(other)
    try scene.context.save()
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      unsafeLetter.text = "ours"
    } during: {
      other.text = "changed"
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    #expect(letter.hasChanges && !other.hasChanges)
    let there = scene.store.context()
    let theirs = #Predicate<Letter> { $0.text == "a" }
    try #require(try there.fetch(FetchDescriptor<Letter>(predicate: theirs)).first).text = "theirs"
    try there.save()
    scene.context.conflictPolicy = .throwError
    #expect(throws: SwiftDataError.conflictingChanges) { try scene.context.save() }
    #expect(try scene.stored() == ["changed", "theirs"])
    scene.context.conflictPolicy = .mergeByProperty(keeping: .ours)
    try scene.context.save()
    let conflict = try #require(scene.context.resolvedConflicts.first)
    #expect([conflict.read, conflict.ours, conflict.theirs] == ["\"a\"", "\"ours\"", "\"theirs\""])
    #expect(try scene.stored() == ["changed", "ours"])
  }

  @Test("what was saved and is deleted by such code meets no conflict with itself", arguments: Engine.allCases)
  func savedAndDeleted(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let letter = Letter("a")
    scene.context.insert(letter)
    try scene.context.save()
    scene.context.conflictPolicy = .throwError
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      scene.context.delete(unsafeLetter)
    } during: {
      letter.text = "changed"
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    let there = scene.store.context()
    there.insert(Letter("theirs"))
    try there.save()
    try scene.context.save()
    #expect(try scene.stored() == ["theirs"])
  }
}
