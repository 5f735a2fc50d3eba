import SwiftData
import Testing

@Suite("Fetches in batches", .serialized)
struct BatchTests {
  private func store(_ engine: Engine, _ count: Int = 100) throws -> TestStore {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<count { context.insert(Text("\(number)", pages: number, author: number < 5 ? Author("a") : nil)) }
    try context.save()
    return store
  }

  private let order = [SortDescriptor(\Text.pages, order: .reverse)]

  @Test("a collection of results equals the fetch", arguments: Engine.allCases)
  func elements(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    var descriptor = FetchDescriptor<Text>(predicate: #Predicate { $0.pages >= 10 }, sortBy: order)
    for (limit, offset) in [(nil, nil), (7, nil), (20, 75), (nil, 88)] as [(Int?, Int?)] {
      (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
      let wanted = try context.fetch(descriptor)
      for batchSize in [1, 7, 100, 1_000, 0, -1] {
        let results = try context.fetch(descriptor, batchSize: batchSize)
        #expect(results.count == wanted.count)
        #expect(Array(results) == wanted)
        #expect(zip(results.reversed(), wanted.reversed()).allSatisfy { $0 === $1 })
        let identifiers = try context.fetchIdentifiers(descriptor, batchSize: batchSize)
        #expect(Array(identifiers) == wanted.map(\.persistentModelID))
      }
    }
  }

  @Test("a batch is read on first access by one statement, and is released later")
  func lazily() throws {
    let store = try LoggedStore()
    let context = store.context()
    for number in 0..<100 { context.insert(Text("\(number)", pages: number)) }
    try context.save()
    let fresh = store.context()
    var results: FetchResultsCollection<Text>?
    let first = try store.reads { results = try fresh.fetch(FetchDescriptor(sortBy: order), batchSize: 10) }
    #expect(first.count == 1)
    let found = try #require(results)
    #expect(found.count == 100)
    var pages: [Int] = []
    let second = store.reads { pages = [found[15].pages] }
    #expect(second.count == 1 && pages == [84])
    let third = store.reads { pages = found[10...19].map(\.pages) }
    #expect(third.isEmpty && pages == (80...89).reversed())
    weak var kept: Text?
    do { kept = found[15] }
    #expect(kept != nil)
    _ = (found[50], found[70])
    #expect(kept == nil)
  }

  @Test("an element whose row was deleted is marked as deleted", arguments: Engine.allCases)
  func gone(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let results = try context.fetch(FetchDescriptor(sortBy: order), batchSize: 10)
    let other = store.context()
    try other.delete(model: Text.self, where: #Predicate { $0.pages == 99 })
    try other.save()
    #expect(results.count == 100)
    #expect(results[0].isDeleted)
    #expect(results[1].pages == 98)
  }

  @Test("a fetch with unsaved changes throws, unless the descriptor excludes them", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    context.insert(Text("new", pages: 1_000))
    var descriptor = FetchDescriptor<Text>()
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(descriptor, batchSize: 10) }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetchIdentifiers(descriptor, batchSize: 10)
    }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.enumerate(descriptor) { _ in } }
    descriptor.sortBy = order
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) {
      try context.fetchIdentifiers(descriptor, batchSize: 10)
    }
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 10).map(\.pages) == (0..<100).reversed())
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 10).count == 100)
    context.rollback()
    descriptor.includePendingChanges = true
    #expect(try context.fetch(descriptor, batchSize: 10).count == 100)
  }

  @Test("unsaved changes of other entities are allowed")
  func unrelated() throws {
    let store = try store(.memory)
    let context = store.context()
    context.insert(Agency("new"))
    #expect(try context.fetch(FetchDescriptor<Text>(), batchSize: 10).count == 100)
  }

  @Test("a predicate can be evaluated in memory", arguments: Engine.allCases)
  func memoryPredicate(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let regex = #Predicate<Text> { $0.title.contains(/^[1-3]5$/) }
    var descriptor = FetchDescriptor(predicate: regex, sortBy: order)
    #expect(try context.fetch(descriptor, batchSize: 2).map(\.pages) == [35, 25, 15])
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 1
    #expect(try context.fetch(descriptor, batchSize: 2).map(\.pages) == [25])
  }

  @Test("prefetched relationships are read with each batch")
  func prefetching() throws {
    let store = try LoggedStore()
    let context = store.context()
    for number in 0..<20 { context.insert(Text("\(number)", pages: number, author: Author("\(number)"))) }
    try context.save()
    let fresh = store.context()
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.pages)])
    descriptor.relationshipKeyPathsForPrefetching = [\.author]
    let results = try fresh.fetch(descriptor, batchSize: 10)
    let statements = store.reads { _ = results[0] }
    #expect(statements.count == 2)
    var name: String?
    let later = store.reads { name = results[9].author?.name }
    #expect(later.isEmpty && name == "9")
  }

  @Test("a fetch without results has no batch, and enumerates no model")
  func emptyResults() throws {
    let context = try store(.memory, 0).context()
    #expect(try context.fetch(FetchDescriptor<Text>(), batchSize: 10).isEmpty)
    #expect(try context.fetchIdentifiers(FetchDescriptor<Text>(), batchSize: 10).isEmpty)
    try context.enumerate(FetchDescriptor<Text>()) { _ in Issue.record("there is nothing") }
  }
}

@Suite("Batches after reverted changes", .serialized)
struct TakenBackTests {
  @Test("a model that was inserted and deleted again is not a pending change", arguments: Engine.allCases)
  func insertAndDelete(_ engine: Engine) throws {
    let context = try TestStore(engine).context()
    let text = Text("a")
    context.insert(text)
    context.delete(text)
    #expect(try context.fetch(FetchDescriptor<Text>(), batchSize: 10).isEmpty)
    try context.enumerate(FetchDescriptor<Text>()) { _ in Issue.record("there is nothing") }
  }
}
