import SwiftData
import Testing

@Suite("Limits, offsets and counts", .serialized)
struct LimitTests {
  private func context(_ engine: Engine) throws -> (store: TestStore, context: ModelContext) {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<10 { context.insert(Book("\(number)", pages: number)) }
    try context.save()
    return (store, store.context())
  }

  private func descriptor(limit: Int? = nil, offset: Int? = nil) -> FetchDescriptor<Book> {
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.fetchLimit = limit
    descriptor.fetchOffset = offset
    return descriptor
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    var limit: Int?
    var offset: Int?
    var wanted: [Int]
    var testDescription: String {
      "limit \(limit.map(String.init) ?? "nil"), offset \(offset.map(String.init) ?? "nil")"
    }
  }

  private static let cases = [
    Case(limit: nil, offset: nil, wanted: Array(0..<10)), Case(limit: 3, offset: nil, wanted: [0, 1, 2]),
    Case(limit: 3, offset: 0, wanted: [0, 1, 2]), Case(limit: 3, offset: 4, wanted: [4, 5, 6]),
    Case(limit: nil, offset: 7, wanted: [7, 8, 9]), Case(limit: 5, offset: 8, wanted: [8, 9]),
    Case(limit: 5, offset: 10, wanted: []), Case(limit: 5, offset: 1000, wanted: []),
    Case(limit: 1000, offset: nil, wanted: Array(0..<10)),
  ]

  @Test("limit and offset apply to the sorted list", arguments: Engine.allCases)
  func cut(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    for item in Self.cases {
      let found = try context.fetch(descriptor(limit: item.limit, offset: item.offset)).map(\.pages)
      #expect(found == item.wanted, "\(item.testDescription)")
    }
    _ = store
  }

  @Test("limit and offset apply to pending models like to saved models", arguments: Engine.allCases)
  func cutPending(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    for number in (0..<10).reversed() { context.insert(Book("\(number)", pages: number)) }
    for item in Self.cases {
      let found = try context.fetch(descriptor(limit: item.limit, offset: item.offset)).map(\.pages)
      #expect(found == item.wanted, "\(item.testDescription)")
    }
  }

  @Test("a limit of 0 returns nothing", arguments: Engine.allCases)
  func noRoom(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    let saved = try context.fetch(descriptor(limit: 0)).map(\.pages)
    #expect(saved == [])
    let count = try context.fetchCount(descriptor(limit: 0))
    #expect(count == 0)
    context.insert(Book("10", pages: 10))
    let merged = try context.fetch(descriptor(limit: 0, offset: 3)).map(\.pages)
    #expect(merged == [])
    _ = store
  }

  @Test("a fetch with the greatest limit or offset does not trap", arguments: Engine.allCases)
  func hugeLimits(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    let numbers: [(limit: Int?, offset: Int?, wanted: [Int])] = [
      (.max, nil, Array(0..<11)), (.max, 9, [9, 10]), (.max, .max, []), (nil, .max, []), (1, .max, []),
    ]
    context.insert(Book("10", pages: 10))
    for (limit, offset, wanted) in numbers {
      #expect(try context.fetch(descriptor(limit: limit, offset: offset)).map(\.pages) == wanted)
      #expect(try context.fetchCount(descriptor(limit: limit, offset: offset)) == wanted.count)
    }
    _ = store
  }

  @Test("fetchCount and fetchIdentifiers agree with the fetch", arguments: Engine.allCases)
  func countAndIdentifiers(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    for item in Self.cases {
      let descriptor = descriptor(limit: item.limit, offset: item.offset)
      #expect(try context.fetchCount(descriptor) == item.wanted.count, "\(item.testDescription)")
      let identifiers = try context.fetchIdentifiers(descriptor)
      let pages = identifiers.map { context[$0, as: Book.self]?.pages }
      #expect(pages == item.wanted, "\(item.testDescription)")
    }
    _ = store
  }

  @Test("fetchCount applies the predicate", arguments: Engine.allCases)
  func count(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 10)
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 6 })) == 3)
    #expect(try context.fetchCount(FetchDescriptor<Loan>()) == 0)
    _ = store
  }

  @Test("counts and identifiers include pending inserts, edits and deletes", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    let new = Book("new", pages: 8)
    context.insert(new)
    context.delete(try context.book("9"))
    try context.book("0").pages = 100
    let predicate = #Predicate<Book> { $0.pages > 6 }
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.pages), SortDescriptor(\.title)])
    #expect(try context.fetchCount(descriptor) == 4)
    let identifiers = try context.fetchIdentifiers(descriptor)
    #expect(identifiers == (try context.fetch(descriptor).map(\.persistentModelID)))
    #expect(identifiers.contains(new.persistentModelID))
    #expect(identifiers.map { context[$0, as: Book.self]?.title } == ["7", "8", "new", "0"])
    _ = store
  }

  @Test("fetchIdentifiers returns the identifiers of the fetched objects", arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    let identifiers = try store.context().fetchIdentifiers(descriptor())
    #expect(identifiers == (try context.fetch(descriptor()).map(\.persistentModelID)))
    #expect(Set(identifiers).count == 10)
  }

  @Test("fetchCount and fetchIdentifiers register no object", arguments: Engine.allCases)
  func registersNothing(_ engine: Engine) throws {
    let (store, context) = try context(engine)
    _ = try context.fetchCount(descriptor())
    for identifier in try context.fetchIdentifiers(descriptor()) {
      #expect(context.registeredModel(for: identifier) as Book? == nil)
    }
    _ = store
  }
}
