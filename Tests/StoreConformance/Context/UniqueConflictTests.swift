import SwiftData
import Testing

// The stores of this suite have the uniqueness policy `.throwError`: a save that would store a unique value twice
// throws, instead of updating the existing row.

@Suite("Conflicts of unique values", .serialized)
struct UniqueConflictTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, [Card.self, Book.self], uniquenessPolicy: .throwError)
    let context = store.context()
    context.insert(Card(number: 1, holder: "Ada"))
    context.insert(Card(number: 2, holder: "Grace"))
    try context.save()
    return store
  }

  private func holders(_ store: TestStore) throws -> [String] {
    try store.context().fetch(FetchDescriptor<Card>(sortBy: [SortDescriptor(\.number)])).map(\.holder)
  }

  @Test("saving a new model with an existing unique value throws, and nothing is saved", arguments: Engine.allCases)
  func insert(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.insert(Book("Emma"))
    context.insert(Card(number: 1, holder: "Eve"))
    context.insert(Card(number: 3, holder: "Joan"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(context.insertedModelsArray.count == 3)
    #expect(try holders(store) == ["Ada", "Grace"])
    #expect(try store.storedTitles() == [])
  }

  @Test("the error for a duplicate unique value names the entity and the property", arguments: Engine.allCases)
  func naming(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.insert(Card(number: 1, holder: "Eve"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let words = "\(try #require(error))"
    #expect(words.contains("Card") && words.contains("number"), "\(words)")
  }

  @Test("saving an edit to an existing unique value throws, and nothing is saved", arguments: Engine.allCases)
  func edit(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let card = try #require(try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.number == 2 })).first)
    card.number = 1
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(card.number == 1)
    #expect(context.changedModelsArray.count == 1)
    #expect(try holders(store) == ["Ada", "Grace"])
    context.rollback()
    #expect(card.number == 2)
  }

  @Test("saving two new models with the same unique value throws", arguments: Engine.allCases)
  func both(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.insert(Card(number: 3, holder: "Joan"))
    context.insert(Card(number: 3, holder: "Eve"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try holders(store) == ["Ada", "Grace"])
  }

  @Test("after a save failed, it succeeds once the duplicate value is changed", arguments: Engine.allCases)
  func repaired(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let card = Card(number: 1, holder: "Joan")
    context.insert(card)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    card.number = 3
    try context.save()
    #expect(try holders(store) == ["Ada", "Grace", "Joan"])
  }

  @Test("a new model may have the unique value of a row that the same save deletes", arguments: Engine.allCases)
  func deletedInSameSave(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let card = try #require(try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.number == 1 })).first)
    context.delete(card)
    context.insert(Card(number: 1, holder: "Joan"))
    try context.save()
    #expect(try holders(store) == ["Joan", "Grace"])
  }
}
