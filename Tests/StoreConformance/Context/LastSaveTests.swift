import SwiftData
import Testing

@Suite("Changes that user code makes while a context is saved for the last time", .serialized)
struct LastSaveTests {
  private func store(_ engine: Engine) throws -> TestStore {
    try TestStore(engine, letterModels + graphModels + [Trap.self])
  }

  /// Releases a context with autosave, which then saves for the last time. Whenever this save writes a trap, user code
  /// changes models.
  ///
  /// - Parameters:
  ///   - prepare: Makes the unsaved changes of the context. They include at least one trap.
  ///   - change: The user code. It runs once for each trap that is written.
  /// - Returns: The messages of logged errors.
  private func end<Models>(
    of store: TestStore, _ prepare: (ModelContext) throws -> Models, _ change: @escaping (Models) -> Void
  ) throws -> [String] {
    let recorder = LogRecorder()
    try recorder.listen {
      var context: ModelContext? = store.context()
      context?.autosaveEnabled = true
      let models = try #require(try context.map(prepare))
      nonisolated(unsafe) let (unsafeModels, unsafeChange) = (models, change)
      Tripwire.watch {
        unsafeChange(unsafeModels)
      } during: {
        context = nil
      }
    }
    return recorder.all.filter { $0.level >= .error }.map(\.message)
  }

  private func letters(_ store: TestStore) throws -> [Letter] {
    try store.context().fetch(FetchDescriptor<Letter>(sortBy: [SortDescriptor(\.text)]))
  }

  @Test("changes to a new and to a changed model are saved", arguments: Engine.allCases)
  func values(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Letter("stored"))
    let errors = try end(of: store) { context in
      let (new, old) = (Letter("written"), try #require(try context.fetch(FetchDescriptor<Letter>()).first))
      old.count = 1
      context.insert(new)
      context.insert(Trap(1))
      return [new, old]
    } _: { models in
      models[0].text = "late"
      models[1].count = 2
    }
    #expect(errors == [])
    #expect(try letters(store).map { "\($0.text) \($0.count)" } == ["late 0", "stored 2"])
  }

  @Test("a change to a model without other changes is saved", arguments: Engine.allCases)
  func unchanged(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Letter("stored"))
    let errors = try end(of: store) { context in
      context.insert(Trap(1))
      return try #require(try context.fetch(FetchDescriptor<Letter>()).first)
    } _: { (letter: Letter) in
      letter.count = 2
    }
    #expect(errors == [])
    #expect(try letters(store).map { "\($0.text) \($0.count)" } == ["stored 2"])
  }

  @Test("changes to relationships are saved, including the new models that they add", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Letter("stored"), Stamp("stored"), Shop("corner"), Ware("stored"), Student("Cid"))
    let errors = try end(of: store) { context in
      context.insert(Trap(1))
      let student: Student = try context.one("Cid")
      let ware: Ware = try context.one("stored")
      let shop: Shop = try context.one("corner")
      return (
        try #require(try context.fetch(FetchDescriptor<Letter>()).first),
        try #require(try context.fetch(FetchDescriptor<Stamp>()).first), shop, ware, student
      )
    } _: { letter, stamp, shop, ware, student in
      guard letter.seal == nil else { return }
      letter.seal = Stamp("new seal")
      letter.stamps = [stamp, Stamp("new")]
      shop.wares = [ware, Ware("new")]
      student.courses.append(Course("new"))
    }
    #expect(errors == [])
    let letter = try #require(try letters(store).first)
    #expect(letter.seal?.text == "new seal" && letter.stamps.map(\.text).sorted() == ["new", "stored"])
    let context = store.context()
    #expect(try context.one("corner", Shop.self).wares.names == ["stored", "new"])
    #expect(try context.one("new", Course.self).students.names == ["Cid"])
    #expect(try context.fetchCount(FetchDescriptor<Stamp>()) == 3)
  }

  @Test("relating a model that is not written yet to a new model is saved", arguments: Engine.allCases)
  func notWritten(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Film("old"))
    // The save writes inserted traps before changed films. So the film is not written yet when the user code runs.
    let errors = try end(of: store) { context in
      context.insert(Trap(1))
      let letter = Letter("written")
      context.insert(letter)
      let film: Film = try context.one("old")
      film.name = "changed"
      return (letter, film)
    } _: { letter, film in
      guard letter.stamps.isEmpty else { return }
      letter.stamps = [Stamp("new")]
      film.bestReview = Review("new")
    }
    #expect(errors == [])
    #expect(try letters(store).map { $0.stamps.map(\.text) } == [["new"]])
    #expect(try store.context().one("changed", Film.self).bestReview?.name == "new")
  }

  @Test(
    "if each save causes the changes again, they are discarded after a limited number of saves, and an error is logged",
    arguments: Engine.allCases)
  func always(_ engine: Engine) throws {
    let store = try store(engine)
    let errors = try end(of: store) { context in
      let trap = Trap(1)
      context.insert(trap)
      return trap
    } _: { (trap: Trap) in
      trap.wire = Tripwire(trap.wire.number + 1)
    }
    #expect(errors.count == 1 && errors.first?.contains("changed models each time") == true)
    let number = try #require(try store.context().fetch(FetchDescriptor<Trap>()).first).wire.number
    #expect(number > 2 && number < 100)
  }

  @Test("modelContext is nil for code that runs during the last save", arguments: Engine.allCases)
  func noContext(_ engine: Engine) throws {
    let store = try store(engine)
    let found = Log<Bool>()
    let errors = try end(of: store) { context in
      context.insert(Trap(1))
      let letter = Letter("written")
      context.insert(letter)
      return letter
    } _: { (letter: Letter) in
      found.add(letter.modelContext != nil)
    }
    #expect(errors == [] && !found.entries.isEmpty && !found.entries.contains(true))
  }

  @Test(
    "changes made during the last save are checked for conflicts with other contexts' saves",
    arguments: Engine.allCases)
  func conflict(_ engine: Engine) throws {
    let store = try store(engine)
    try store.keep(Letter("stored"))
    let there = store.context()
    let theirs = try #require(try there.fetch(FetchDescriptor<Letter>()).first)
    nonisolated(unsafe) let (unsafeContext, unsafeTheirs) = (there, theirs)
    let errors = try end(of: store) { context in
      context.conflictPolicy = .mergeByProperty(keeping: .theirs)
      context.insert(Trap(1))
      let letter = try #require(try context.fetch(FetchDescriptor<Letter>()).first)
      unsafeTheirs.text = "theirs"
      try unsafeContext.save()
      return letter
    } _: { (letter: Letter) in
      letter.text = "late"
      letter.count = 5
    }
    #expect(errors == [])
    #expect(try letters(store).map { "\($0.text) \($0.count)" } == ["theirs 5"])
  }

  @Test("changes made during saveBeforeClosing() are saved", arguments: Engine.sqlite)
  @MainActor
  func closing(_ engine: Engine) async throws {
    guard engine == .file else { return }
    let store = try store(engine)
    let context = store.container.mainContext
    let letter = Letter("written")
    nonisolated(unsafe) let unsafeLetter = letter
    context.insert(letter)
    context.insert(Trap(1))
    try Tripwire.watching {
      unsafeLetter.text = "late"
    } during: {
      try context.saveBeforeClosing()
    }
    #expect(!context.hasChanges)
    #expect(try letters(store).map(\.text) == ["late"])
  }
}

extension Tripwire {
  fileprivate static func watching(_ onEncode: @escaping @Sendable () -> Void, during body: () throws -> Void) throws {
    var failure: (any Error)?
    watch(onEncode) {
      do { try body() } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
