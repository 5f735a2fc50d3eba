import SwiftData
import Testing

@Suite(
  "Changes that a context rejects, such as a reference to another context's model, and the saves that report them",
  .serialized)
@MainActor
struct RefusalTests {
  /// A kind of change that a context rejects.
  enum Refused: String, CaseIterable {
    case relationship, insertion, deletion, unknownModel

    /// The error that the next save throws.
    var error: SwiftDataError { self == .unknownModel ? .unknownSchema : .modelOfAnotherContext }
  }

  private struct Scene {
    let store: TestStore
    let elsewhere: TestStore
    let context: ModelContext
    let clock = ManualClock()
    private let there: ModelContext

    @MainActor
    init(_ engine: Engine, _ context: ((TestStore) -> ModelContext)? = nil) throws {
      store = try TestStore(engine)
      elsewhere = try TestStore(engine)
      there = try elsewhere.save("foreign")
      self.context = context?(store) ?? store.container.mainContext
      self.context.autosaveClock = clock
      self.context.autosaveEnabled = true
    }

    func refuse(_ refused: Refused) throws {
      switch refused {
      case .relationship:
        let loan = Loan(reader: "Ada")
        context.insert(loan)
        loan.book = try there.book("foreign")
        #expect(loan.book == nil)
      case .insertion: context.insert(try there.book("foreign"))
      case .deletion: context.delete(try there.book("foreign"))
      case .unknownModel: context.insert(UnlistedModel(name: "unknown"))
      }
    }
  }

  @Test(
    "an autosave keeps a rejected change until a save throws its error", arguments: Engine.allCases, Refused.allCases)
  func autosave(_ engine: Engine, _ refused: Refused) async throws {
    let scene = try Scene(engine)
    scene.context.insert(Book("Emma"))
    try scene.refuse(refused)
    for _ in 0..<3 { await scene.clock.advance(by: .seconds(60)) }
    // The autosaves saved all other changes: one rejected change does not block the others.
    #expect(try scene.store.storedTitles() == ["Emma"])
    #expect(scene.context.hasChanges)
    scene.context.insert(Book("Ulysses"))
    #expect(throws: refused.error) { try scene.context.save() }
    #expect(try scene.store.storedTitles() == ["Emma"])
    try scene.context.save()
    #expect(try scene.store.storedTitles() == ["Emma", "Ulysses"])
    #expect(!scene.context.hasChanges)
    #expect(try scene.elsewhere.storedTitles() == ["foreign"])
  }

  @Test(
    "an autosave that the next fetch triggers keeps a rejected change until a save throws its error",
    arguments: Engine.allCases, Refused.allCases)
  func nextOperation(_ engine: Engine, _ refused: Refused) async throws {
    let scene = try Scene(engine) { $0.context() }
    scene.context.insert(Book("Emma"))
    try scene.refuse(refused)
    scene.clock.pass(.seconds(1))
    #expect(try scene.context.titles() == ["Emma"])
    #expect(try scene.store.storedTitles() == ["Emma"])
    #expect(throws: refused.error) { try scene.context.save() }
    try scene.context.save()
  }

  @Test("a rollback discards a rejected change", arguments: Engine.allCases, Refused.allCases)
  func rollback(_ engine: Engine, _ refused: Refused) async throws {
    let scene = try Scene(engine)
    try scene.refuse(refused)
    await scene.clock.advance(by: .seconds(1))
    scene.context.rollback()
    #expect(!scene.context.hasChanges)
    try scene.context.save()
  }

  @Test(
    "autosaves log a rejected change once, and the release of the context logs it again", arguments: Engine.allCases)
  func log(_ engine: Engine) async throws {
    let recorder = LogRecorder()
    func lines(_ text: String) -> Int { recorder.all.filter { $0.message.contains(text) }.count }
    try recorder.listen {
      let scene = try Scene(engine) { $0.context() }
      scene.context.insert(Book("Emma"))
      try scene.refuse(.insertion)
      for _ in 0..<3 {
        scene.clock.pass(.seconds(1))
        _ = try scene.context.titles()
        scene.context.insert(Book("other"))
      }
      #expect(lines("an autosave did without what was refused") == 1)
      #expect(lines("a context ended before") == 0)
    }
    #expect(lines("a context ended before a save could throw what it refused") == 1)
  }

  @Test(
    "the autosave of a released context saves the other changes despite a rejected change", arguments: Engine.allCases,
    Refused.allCases)
  func closing(_ engine: Engine, _ refused: Refused) throws {
    var scene: Scene? = try Scene(engine) { $0.context() }
    let store = try #require(scene).store
    scene?.context.insert(Book("Emma"))
    try scene?.refuse(refused)
    scene = nil
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test(
    "a rolled-back transaction keeps a change that was rejected before it",
    arguments: Engine.allCases, Refused.allCases)
  func transaction(_ engine: Engine, _ refused: Refused) throws {
    let scene = try Scene(engine)
    scene.context.insert(Book("Emma"))
    try scene.refuse(refused)
    #expect(throws: Failure.self) {
      try scene.context.transaction {
        try scene.refuse(.insertion)
        throw Failure()
      }
    }
    let error = #expect(throws: SwiftDataError.self) { try scene.context.save() }
    #expect(error?.explanation?.split(separator: "\n").count == 1)
    try scene.context.save()
    #expect(try scene.store.storedTitles() == ["Emma"])
  }

  @Test(
    "a change that is rejected in a transaction makes the transaction throw, and is rolled back with it",
    arguments: Engine.allCases)
  func heard(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(throws: SwiftDataError.modelOfAnotherContext) {
      try scene.context.transaction { try scene.refuse(.relationship) }
    }
    try scene.context.save()
    #expect(!scene.context.hasChanges)
  }

  @Test(
    "a rolled-back transaction keeps a rejected reference to a model of another context", arguments: Engine.allCases)
  func foreignReferences(_ engine: Engine) throws {
    let scene = try Scene(engine)
    let foreign = try scene.elsewhere.save("theirs").book("theirs")
    let loan = Loan(reader: "Ada", book: foreign)
    scene.context.insert(loan)
    #expect(throws: SwiftDataError.modelOfAnotherContext) { try scene.context.save() }
    #expect(throws: Failure.self) { try scene.context.transaction { throw Failure() } }
    // Without the rejection, the loan's row would refer to this store's book with the key of the other store's book.
    #expect(throws: SwiftDataError.modelOfAnotherContext) { try scene.context.save() }
    loan.book = nil
    try scene.context.save()
    #expect(try scene.store.context().fetchCount(FetchDescriptor<Loan>()) == 1)
  }
}
