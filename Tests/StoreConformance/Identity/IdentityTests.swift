import SwiftData
import Testing

@Suite("One instance per row and context", .serialized)
struct IdentityTests {
  @Test("every access to a row returns the same instance", arguments: Engine.allCases)
  func ways(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    let context = store.context()
    let book = try context.book("Emma")
    let identifier = book.persistentModelID
    #expect(try context.fetch(FetchDescriptor<Book>()).first === book)
    #expect(context.model(for: identifier) === book)
    #expect(context.registeredModel(for: identifier) as Book? === book)
    #expect(try context.existingModel(for: identifier) as Book === book)
    #expect(context[identifier, as: Book.self] === book)
  }

  @Test("the inserted object is the row's instance after the save", arguments: Engine.allCases)
  func inserted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    #expect(try context.book("Emma") === book)
    #expect(context[book.persistentModelID, as: Book.self] === book)
    try context.save()
    #expect(try context.book("Emma") === book)
    #expect(context[book.persistentModelID, as: Book.self] === book)
  }

  @Test("a reference leads to the same instance as a fetch", arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.context().run { $0.insert(Loan(reader: "Ada", book: Book("Emma"))) }
    let context = store.context()
    let loan = try #require(try context.fetch(FetchDescriptor<Loan>()).first)
    #expect(try context.book("Emma") === loan.book)
  }

  @Test("a fetch returns each row once, even if it is saved and edited", arguments: Engine.allCases)
  func once(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("a", "b", "c")
    for book in try context.fetch(FetchDescriptor<Book>()) { book.pages += 1 }
    #expect(try context.titles() == ["a", "b", "c"])
  }

  @Test(
    "an object without references is released, and its row is loaded again with its values", arguments: Engine.allCases)
  func weak(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    let context = store.context()
    weak var gone: Book?
    let identifier: PersistentIdentifier
    do {
      let book = try context.book("Emma")
      gone = book
      identifier = book.persistentModelID
    }
    #expect(gone == nil)
    #expect(context.registeredModel(for: identifier) as Book? == nil)
    #expect(context[identifier, as: Book.self]?.title == "Emma")
  }

  @Test("each row has one instance, even among many rows with gaps between their keys", arguments: Engine.allCases)
  func gaps(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let books = (0..<3000).map { Book("\($0)", pages: $0) }
    books.forEach(context.insert)
    try context.save()
    for book in books where book.pages % 3 == 0 { context.delete(book) }
    try context.save()
    let rest = books.filter { $0.pages % 3 != 0 }
    let found = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    try #require(found.count == rest.count)
    #expect(zip(found, rest).allSatisfy { $0 === $1 })
  }

  @Test("releasing objects on another thread does not corrupt the context", arguments: Engine.allCases)
  func threads(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<500 { context.insert(Book("book", pages: number)) }
    try context.save()
    for _ in 0..<20 {
      nonisolated(unsafe) var books = try context.fetch(FetchDescriptor<Book>())
      let thread = Thread { books.removeAll() }
      thread.start()
      while !thread.isFinished {
        let again = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
        try #require(again.map(\.pages) == Array(0..<500))
      }
    }
  }
}
