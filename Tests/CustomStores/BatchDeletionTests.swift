import PersistenceCore
import SwiftData
import Testing

/// A store that supports batch deletions gets a batch deletion if the save consists of this deletion only.
@Suite("A batch deletion in a custom store that supports it")
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

  @Test("is one call to the store when the context is saved")
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

  @Test("is part of the save if the save has other changes")
  func more() throws {
    let context = ModelContext(container)
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    context.insert(Member(9, "nine"))
    try context.save()
    #expect(writes == ["save"] && numbers == [1, 2, 9])
    // Two deletions are one save, because two calls would not be atomic.
    try context.delete(model: Member.self, where: #Predicate { $0.number == 1 })
    try context.delete(model: Member.self, where: #Predicate { $0.number == 2 })
    try context.save()
    #expect(writes == ["save", "save"] && numbers == [9])
    // Its delete rule deletes further models.
    try context.delete(model: Author.self)
    try context.save()
    #expect(writes == ["save", "save", "save"] && script.rows(of: "Book").isEmpty)
  }

  @Test("deletes the models that it selected, even if other programs changed their rows since")
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

  @Test("makes no call to the store if it was rolled back")
  func takenBack() throws {
    let context = ModelContext(container)
    try context.delete(model: Member.self, where: #Predicate { $0.number > 2 })
    context.rollback()
    context.delete(try #require(try context.fetch(FetchDescriptor<Member>()).first))
    try context.save()
    #expect(writes == ["save"] && numbers == [2, 3, 4])
  }

  @Test("makes the save throw if the store throws; the next save repeats it")
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
    // A deletion that the store does not support becomes an ordinary save.
    script.with { $0.refusal = DataStoreError.unsupportedFeature }
    try context.delete(model: Member.self)
    #expect(throws: DataStoreError.unsupportedFeature) { try context.save() }
    #expect(writes.suffix(2) == ["delete Member", "save"])
  }

  @Test("does not delete models of subclasses if they are excluded")
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
