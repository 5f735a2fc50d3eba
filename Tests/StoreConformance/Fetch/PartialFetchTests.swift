import SwiftData
import Testing

@Suite("Fetching some properties", .serialized)
struct PartialFetchTests {
  private func store(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine)
    try store.context().run { context in
      for number in 0..<20 {
        context.insert(
          Book(
            "\(number)", pages: number, rating: Double(number) / 2, subtitle: "sub \(number)", isRead: number % 2 == 0,
            genre: Genre.allCases[number % 3], shelf: .high, size: .large,
            published: Date(timeIntervalSince1970: Double(number))))
      }
    }
    return store
  }

  private func check(_ books: [Book]) {
    for (number, book) in books.enumerated() {
      #expect(book.title == "\(number)")
      #expect(book.pages == number)
      #expect(book.rating == Double(number) / 2)
      #expect(book.subtitle == "sub \(number)")
      #expect(book.isRead == (number % 2 == 0))
      #expect(book.genre == Genre.allCases[number % 3])
      #expect(book.shelf == .high)
      #expect(book.size == .large)
      #expect(book.published == Date(timeIntervalSince1970: Double(number)))
    }
  }

  @Test("properties that were not fetched have their values when they are read", arguments: Engine.allCases)
  func faults(_ engine: Engine) throws {
    let store = try store(engine)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.propertiesToFetch = [\.title, \.genre]
    let context = store.context()
    let books = try context.fetch(descriptor)
    #expect(books.count == 20)
    check(books)
    #expect(!context.hasChanges)
  }

  @Test("properties in the predicate and in the sort need not be fetched", arguments: Engine.allCases)
  func predicateAndSort(_ engine: Engine) throws {
    let store = try store(engine)
    let predicate = #Predicate<Book> { $0.rating ?? 0 < 3 }
    var descriptor = FetchDescriptor<Book>(predicate: predicate, sortBy: [SortDescriptor(\.pages, order: .reverse)])
    descriptor.propertiesToFetch = [\.subtitle]
    let books = try store.context().fetch(descriptor)
    #expect(books.map(\.title) == ["5", "4", "3", "2", "1", "0"])
    check(books.reversed())
  }

  @Test("setting a property that was not fetched keeps the other properties", arguments: Engine.allCases)
  func edit(_ engine: Engine) throws {
    let store = try store(engine)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.propertiesToFetch = [\.title]
    descriptor.fetchLimit = 1
    let context = store.context()
    let book = try #require(try context.fetch(descriptor).first)
    book.subtitle = "new"
    try context.save()
    #expect(book.pages == 0)
    let found = try store.context().book("0")
    #expect(found.subtitle == "new")
    #expect(found.rating == 0)
    #expect(found.genre == .novel)
  }

  @Test("a rollback of a partially fetched object restores the stored values", arguments: Engine.allCases)
  func rollback(_ engine: Engine) throws {
    let store = try store(engine)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.propertiesToFetch = [\.title]
    let context = store.context()
    let books = try context.fetch(descriptor)
    for book in books { book.subtitle = "changed" }
    context.rollback()
    check(books)
  }

  @Test("a pending edit is not lost by a partial fetch", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try store(engine)
    let context = store.context()
    let book = try context.book("3")
    book.subtitle = "mine"
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title]
    _ = try context.fetch(descriptor)
    #expect(book.subtitle == "mine")
    #expect(book.rating == 1.5)
  }

  @Test("a value that another context saved between the fetch and the access is read", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let store = try store(engine)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.propertiesToFetch = [\.title]
    let context = store.context()
    let books = try context.fetch(descriptor)
    try store.context().run { other in
      (try? other.book("7"))?.subtitle = "newer"
    }
    #expect(books[7].subtitle == "newer")
    #expect(books[7].modelContext == context)
  }

  @Test("an object whose context was released still has all values", arguments: Engine.allCases)
  func withoutContext(_ engine: Engine) throws {
    let store = try store(engine)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])
    descriptor.propertiesToFetch = [\.title]
    let books = try store.context().fetch(descriptor)
    check(books)
  }
}
