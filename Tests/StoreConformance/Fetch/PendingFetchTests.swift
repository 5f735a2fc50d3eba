import SwiftData
import Testing

@Suite("Fetching with pending changes", .serialized)
struct PendingFetchTests {
  private func store(_ engine: Engine) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(engine)
    let context = store.context()
    for number in [10, 20, 30, 40] { context.insert(Book("\(number)", pages: number)) }
    try context.save()
    return (store, context)
  }

  private func pages(
    _ context: ModelContext, limit: Int? = nil, offset: Int? = nil, order: SortOrder = .forward,
    pending: Bool = true, _ predicate: Predicate<Book>? = nil
  ) throws -> [Int] {
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.pages, order: order)])
    descriptor.fetchLimit = limit
    descriptor.fetchOffset = offset
    descriptor.includePendingChanges = pending
    return try context.fetch(descriptor).map(\.pages)
  }

  @Test("an inserted model is sorted among the saved models", arguments: Engine.allCases)
  func insertSorted(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.insert(Book("25", pages: 25))
    context.insert(Book("5", pages: 5))
    context.insert(Book("50", pages: 50))
    #expect(try pages(context) == [5, 10, 20, 25, 30, 40, 50])
    #expect(try pages(context, order: .reverse) == [50, 40, 30, 25, 20, 10, 5])
    _ = store
  }

  @Test("an inserted model that does not match is omitted", arguments: Engine.allCases)
  func insertFiltered(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.insert(Book("25", pages: 25))
    context.insert(Book("5", pages: 5))
    #expect(try pages(context, #Predicate { $0.pages > 15 }) == [20, 25, 30, 40])
    _ = store
  }

  @Test("a deleted model is omitted", arguments: Engine.allCases)
  func delete(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.delete(try context.book("20"))
    #expect(try pages(context) == [10, 30, 40])
    #expect(try pages(context, limit: 2) == [10, 30])
    #expect(try pages(context, limit: 2, offset: 1) == [30, 40])
    _ = store
  }

  @Test("an edited model is found and sorted by its new values", arguments: Engine.allCases)
  func edit(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    let book = try context.book("20")
    book.pages = 35
    #expect(try pages(context) == [10, 30, 35, 40])
    #expect(try pages(context, #Predicate { $0.pages > 32 }) == [35, 40])
    #expect(try pages(context, #Predicate { $0.pages == 20 }) == [])
    #expect(try pages(context, #Predicate { $0.pages == 35 }) == [35])
    _ = store
  }

  @Test("limit and offset apply to the merged list", arguments: Engine.allCases)
  func limits(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.insert(Book("5", pages: 5))
    context.insert(Book("25", pages: 25))
    context.delete(try context.book("30"))
    try context.book("10").pages = 45
    let all = [5, 20, 25, 40, 45]
    #expect(try pages(context) == all)
    for offset in 0...6 {
      for limit in 1...6 {
        let wanted = Array(all.dropFirst(offset).prefix(limit))
        #expect(try pages(context, limit: limit, offset: offset) == wanted, "limit \(limit), offset \(offset)")
      }
      #expect(try pages(context, offset: offset) == Array(all.dropFirst(offset)), "offset \(offset)")
    }
    _ = store
  }

  @Test("a fetch without pending changes returns the stored rows", arguments: Engine.allCases)
  func without(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.insert(Book("25", pages: 25))
    context.delete(try context.book("30"))
    let edited = try context.book("10")
    edited.pages = 45
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.title) == ["10", "20", "30", "40"])
    #expect(try context.fetchCount(descriptor) == 4)
    #expect(edited.pages == 45)
    #expect(context.hasChanges)
    let predicate = #Predicate<Book> { $0.pages == 10 }
    var matching = FetchDescriptor(predicate: predicate)
    matching.includePendingChanges = false
    #expect(try context.fetch(matching).map(\.title) == ["10"])
    _ = store
  }

  @Test("the default is to include pending changes")
  func defaults() {
    let descriptor = FetchDescriptor<Book>()
    #expect(descriptor.includePendingChanges)
    #expect(descriptor.fetchLimit == nil)
    #expect(descriptor.fetchOffset == nil)
    #expect(descriptor.propertiesToFetch.isEmpty)
    #expect(descriptor.relationshipKeyPathsForPrefetching.isEmpty)
  }

  @Test("a predicate follows a reference to a pending model", arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.insert(Loan(reader: "Ada", book: Book("new")))
    let found = try context.fetch(FetchDescriptor<Loan>(predicate: #Predicate { $0.book?.title == "new" }))
    #expect(found.map(\.reader) == ["Ada"])
    try context.book("20").title = "renamed"
    let loan = Loan(reader: "Grace", book: try context.book("renamed"))
    context.insert(loan)
    try context.save()
    try context.book("renamed").title = "again"
    let again = try context.fetch(FetchDescriptor<Loan>(predicate: #Predicate { $0.book?.title == "again" }))
    #expect(again.map(\.reader) == ["Grace"])
    _ = store
  }

  @Test("a fetch saves nothing", arguments: Engine.allCases)
  func savesNothing(_ engine: Engine) throws {
    let (store, context) = try store(engine)
    context.insert(Book("25", pages: 25))
    _ = try pages(context)
    #expect(context.hasChanges)
    #expect(try pages(store.context()) == [10, 20, 30, 40])
  }
}
