import SwiftData
import Testing

/// After some errors, such as a full disk, SQLite rolls back the whole transaction and not only the statement.
@Suite("Transactions on a full store")
struct FullStoreTests {
  /// Creates a store that large rows fill almost completely.
  private func scene(_ engine: Engine) throws -> (SmallStore, ModelContext) {
    let store = try SmallStore(engine, [Stamp.self, Card.self, Teacher.self, Pupil.self], bytes: 600 << 10)
    let context = store.context()
    for index in 0..<4 { context.insert(Stamp(String(repeating: "\(index)", count: 90_000))) }
    context.insert(Card(number: 1, holder: "Ada"))
    try context.save()
    return (store, context)
  }

  private func holders(_ store: SmallStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.number)])).map(\.holder)
  }

  /// Deletes the large rows, and saves the pending changes.
  private func makeRoom(in context: ModelContext) throws {
    var stored = FetchDescriptor<Stamp>()
    stored.includePendingChanges = false
    let ballast = try context.fetch(stored)
    for stamp in ballast { context.delete(stamp) }
    try context.save()
  }

  /// A text that fits into the store only after the large rows are deleted.
  private let large = String(repeating: "x", count: 400_000)

  @Test("a transaction throws storeFull, and all its changes are undone", arguments: Engine.allCases)
  func thrown(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let card = try #require(try context.fetch(FetchDescriptor<Card>()).first)
    let pending = Card(number: 9, holder: "pending")
    context.insert(pending)
    let early = pending.persistentModelID
    let fresh = Card(number: 2, holder: "fresh")
    let big = Stamp(large)
    let error = #expect(throws: SwiftDataError.storeFull) {
      try context.transaction {
        card.holder = "Bob"
        context.insert(fresh)
        try context.save()
        context.insert(big)
        try context.save()
      }
    }
    #expect(error?.explanation?.contains("no room left") == true && error?.underlyingError != nil)
    #expect(card.holder == "Ada")
    #expect(fresh.modelContext == nil && big.modelContext == nil && !fresh.isDeleted)
    #expect(pending.modelContext === context && pending.persistentModelID == early)
    #expect(context.insertedModelsArray.count == 1 && context.changedModelsArray.isEmpty)
    #expect(try holders(store) == ["Ada"])
    card.holder = "Eve"
    context.insert(fresh)
    try makeRoom(in: context)
    #expect(try holders(store) == ["Eve", "fresh", "pending"])
    try context.transaction { context.insert(big) }
    #expect(try store.context().fetchCount(FetchDescriptor<Stamp>()) == 1)
    #expect(pending.persistentModelID == early && Set([early]).contains(pending.persistentModelID))
  }

  @Test("a transaction whose block ignores the error is stored completely or not at all", arguments: Engine.allCases)
  func swallowed(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let big = Stamp(large)
    do {
      try context.transaction {
        context.insert(Card(number: 2, holder: "before"))
        try context.save()
        context.insert(big)
        #expect(throws: SwiftDataError.storeFull) { try context.save() }
        context.delete(big)
        context.insert(Card(number: 3, holder: "after"))
      }
      // In this case SQLite rolled back only the failed statement.
      #expect(try holders(store) == ["Ada", "before", "after"])
    } catch {
      #expect(error as? SwiftDataError == .storeFull, "\(error)")
      #expect((error as? SwiftDataError)?.explanation?.contains("undo all of the transaction") == true, "\(error)")
      #expect(try holders(store) == ["Ada"])
    }
    #expect(!context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Card>()).count == holders(store).count)
    try context.transaction { context.insert(Card(number: 4, holder: "later")) }
    #expect(try holders(store).last == "later")
  }

  @Test(
    "a failed nested transaction may roll back the outer transaction if the outer transaction has saved",
    arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    do {
      try context.transaction {
        context.insert(Card(number: 2, holder: "outer"))
        try context.save()
        #expect(throws: SwiftDataError.storeFull) {
          try context.transaction { context.insert(Stamp(large)) }
        }
        context.insert(Card(number: 3, holder: "last"))
      }
      #expect(try holders(store) == ["Ada", "outer", "last"])
    } catch {
      #expect(error as? SwiftDataError == .storeFull, "\(error)")
      #expect(try holders(store) == ["Ada"])
    }
    #expect(!context.hasChanges)
    #expect(try context.fetch(FetchDescriptor<Card>()).count == holders(store).count)
  }

  @Test("a nested transaction is rolled back alone if nothing was saved before it", arguments: Engine.allCases)
  func innerAlone(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    try context.transaction {
      #expect(throws: SwiftDataError.storeFull) {
        try context.transaction { context.insert(Stamp(large)) }
      }
      context.insert(Card(number: 2, holder: "outer"))
    }
    #expect(try holders(store) == ["Ada", "outer"])
  }

  @Test("a save without a transaction on a full store keeps all changes pending", arguments: Engine.allCases)
  func save(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let card = Card(number: 2, holder: "new")
    context.insert(card)
    let big = Stamp(large)
    context.insert(big)
    #expect(throws: SwiftDataError.storeFull) { try context.save() }
    #expect(try holders(store) == ["Ada"])
    #expect(context.insertedModelsArray.count == 2)
    try makeRoom(in: context)
    #expect(try holders(store) == ["Ada", "new"])
    #expect(try store.context().fetch(FetchDescriptor<Stamp>()).map(\.text) == [large])
  }

  @Test("after SQLite rolled back a transaction, no later statement of it is committed, and reads see no changes of it")
  func undoneByRule() throws {
    let store = try TestStore(.file, [Card.self, Stamp.self])
    let context = store.context()
    let ada = Card(number: 1, holder: "Ada")
    context.insert(ada)
    try context.save()
    try store.raw.run(
      "CREATE TRIGGER refuse BEFORE INSERT ON Stamp WHEN NEW.text = 'no' BEGIN SELECT RAISE(ROLLBACK, 'refused'); END")
    var thrown: (any Error)?
    do {
      try context.transaction {
        ada.holder = "Bob"
        context.insert(Card(number: 2, holder: "lost"))
        try context.save()
        let refused = Stamp("no")
        context.insert(refused)
        let first = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(first?.explanation?.contains("refused") == true, "\(String(describing: first))")
        context.delete(refused)
        context.insert(Stamp("yes"))
        #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(try context.fetchCount(FetchDescriptor<Stamp>(predicate: #Predicate { $0.text == "yes" })) == 1)
        #expect(throws: SwiftDataError.self) { try context.transaction { ada.holder = "Eve" } }
      }
    } catch {
      thrown = error
    }
    #expect((thrown as? SwiftDataError)?.explanation?.contains("refused") == true, "\(String(describing: thrown))")
    #expect(ada.holder == "Ada" && !context.hasChanges)
    #expect(try store.context().fetch(FetchDescriptor<Card>()).map(\.holder) == ["Ada"])
    #expect(try store.context().fetchCount(FetchDescriptor<Stamp>()) == 0)
    ada.holder = "Zoe"
    context.insert(Stamp("yes"))
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Card>()).map(\.holder) == ["Zoe"])
  }

  @Test("a failed transaction restores relationships", arguments: Engine.allCases)
  func related(_ engine: Engine) throws {
    let (store, context) = try scene(engine)
    let teacher = Teacher("t")
    let pupils = ["a", "b"].map { Pupil($0) }
    context.insert(teacher)
    pupils.forEach(context.insert)
    pupils[0].friend = pupils[1]
    try context.save()
    #expect(throws: SwiftDataError.storeFull) {
      try context.transaction {
        pupils[0].teacher = teacher
        pupils[0].friend = nil
        context.delete(pupils[1])
        try context.save()
        context.insert(Pupil(large))
        try context.save()
      }
    }
    #expect(pupils[0].teacher == nil && pupils[0].friend === pupils[1] && !pupils[1].isDeleted)
    #expect(!context.hasChanges)
    pupils[0].teacher = teacher
    try makeRoom(in: context)
    // The relationships lead to the fetched objects only as long as their context exists.
    let reader = store.context()
    let stored = try reader.fetch(FetchDescriptor<Pupil>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.name) == ["a", "b"] && stored.map(\.teacher?.name) == ["t", nil])
    #expect(stored[0].friend === stored[1])
    withExtendedLifetime(reader) {}
  }
}
