import PersistenceCore
import SwiftData
import Testing

/// If a store supports batch deletions, a save that consists of one batch deletion calls the store's `delete`. Any
/// other save with a batch deletion passes the deleted rows to the store's `save`.
@Suite("Batch deletions in a custom store that supports them")
struct StoreBatchDeletionTests {
  private let script = StoreScript()
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Schema(libraryModels + [Member.self]), configurations: [BatchingConfiguration(script)])
    let context = ModelContext(container)
    for number in 1...4 { context.insert(Member(number, "\(number)")) }
    let author = Author("Jane Austen")
    context.insert(author)
    author.books = [Book("Emma", pages: 1), Book("Persuasion", pages: 2)]
    try context.save()
    script.forgetCalls()
  }

  private var writes: [String] { script.calls.filter { $0 == "save" || $0.hasPrefix("delete") } }
  private var numbers: [Int] { script.rows(of: "Member").compactMap { $0.value("number", as: Int.self) } }

  @Test("saving a batch deletion makes one call to the store")
  func asked() throws {
    let context = ModelContext(container)
    let held = try context.fetch(FetchDescriptor<Member>(sortBy: [SortDescriptor(\.number)]))
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    #expect(writes.isEmpty && numbers == [1, 2, 3, 4])
    try context.save()
    #expect(writes == ["delete Member"] && numbers == [1, 2])
    #expect(held.map(\.isDeleted) == [false, false, true, true])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == 2)
    try context.delete(model: Member.self)
    try context.save()
    #expect(writes == ["delete Member", "delete Member"] && numbers.isEmpty)
  }

  @Test("if a save has other changes, the store gets the batch deletion as part of the save")
  func more() throws {
    let context = ModelContext(container)
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    context.insert(Member(9, "nine"))
    try context.save()
    #expect(writes == ["save"] && numbers == [1, 2, 9])
    // Two batch deletions are passed to the store as one save, because two calls would not be atomic.
    try context.delete(model: Member.self, where: #Predicate { $0.number == 1 })
    try context.delete(model: Member.self, where: #Predicate { $0.number == 2 })
    try context.save()
    #expect(writes == ["save", "save"] && numbers == [9])
    // The delete rule of authors also deletes their books, so the store gets a save.
    try context.delete(model: Author.self)
    try context.save()
    #expect(writes == ["save", "save", "save"] && script.rows(of: "Book").isEmpty)
  }

  @Test("a batch deletion deletes the models that matched when it was requested, even if rows have changed since")
  func changedSince() throws {
    let context = ModelContext(container)
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    script.with { state in
      let index = state.rows.firstIndex { $0.value("number") == 1 } ?? 0
      state.rows[index] = state.rows[index].with("number", .value(7))
    }
    try context.save()
    #expect(writes == ["save"] && numbers == [7, 2])
  }

  @Test("a batch deletion that was rolled back makes no call to the store")
  func takenBack() throws {
    let context = ModelContext(container)
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    context.rollback()
    context.delete(try #require(try context.fetch(FetchDescriptor<Member>()).first))
    try context.save()
    #expect(writes == ["save"] && numbers == [2, 3, 4])
  }

  @Test("if the store throws, the save throws, and the next save repeats the batch deletion")
  func refused() throws {
    struct Refusal: Error {}
    let context = ModelContext(container)
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    script.with { $0.refusal = Refusal() }
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.hasChanges && numbers.count == 4)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Member>()) == 4)
    script.with { $0.refusal = nil }
    try context.save()
    #expect(writes == ["delete Member", "delete Member"] && numbers == [1, 2])
    // If the store does not support the deletion, the context passes the deleted rows in an ordinary save.
    script.with { $0.refusal = DataStoreError.unsupportedFeature }
    try context.delete(model: Member.self)
    #expect(throws: DataStoreError.unsupportedFeature) { try context.save() }
    #expect(writes.suffix(2) == ["delete Member", "save"])
  }

  @Test("a batch deletion that excludes subclasses does not delete their models")
  func subclasses() throws {
    let script = StoreScript()
    let container = try ModelContainer(
      for: Schema([Vehicle.self, Truck.self]), configurations: [BatchingConfiguration(script)])
    let context = ModelContext(container)
    context.insert(Vehicle(wheels: 4))
    context.insert(Truck(load: 7.5))
    try context.save()
    script.forgetCalls()
    try context.delete(model: Vehicle.self, includeSubclasses: false)
    try context.save()
    #expect(script.calls.contains("delete Vehicle") && !script.calls.contains("save"))
    #expect(script.with(\.rows).map(\.persistentIdentifier.entityName) == ["Truck"])
  }
}
