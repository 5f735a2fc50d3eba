import SwiftData
import Testing

@Suite("Lifetimes", .serialized)
struct LifetimeTests {
  @Test("objects stay readable when the container is released", arguments: Engine.allCases)
  func containerReleased(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma", "Ulysses")
    let context = store.context()
    weak let container = store.container
    let book = try context.book("Emma")
    store.releaseContainer()
    #expect(book.title == "Emma")
    #expect(book.pages == 100)
    book.pages = 7
    #expect(book.pages == 7)
    #expect(context.hasChanges)
    _ = container
  }

  @Test("a context works when the container is released", arguments: Engine.allCases)
  func contextOutlives(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    let context = store.context()
    store.releaseContainer()
    #expect(try context.titles() == ["Emma"])
    context.insert(Book("Ulysses"))
    try context.save()
    #expect(try ModelContext(context.container).titles() == ["Emma", "Ulysses"])
  }

  @Test(
    "objects whose properties were not fetched are readable when the container is released",
    arguments: Engine.allCases)
  func faults(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.context().run { $0.insert(Loan(reader: "Ada", book: Book("Emma", pages: 474))) }
    let context = store.context()
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title]
    let book = try #require(try context.fetch(descriptor).first)
    let loan = try #require(try context.fetch(FetchDescriptor<Loan>()).first)
    store.releaseContainer()
    #expect(book.pages == 474)
    #expect(loan.book === book)
    #expect(context.hasChanges == false)
  }

  @Test("objects stay readable when their context is released", arguments: Engine.allCases)
  func contextReleased(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    var context: ModelContext? = store.context()
    weak let released = context
    let book = try #require(try context?.book("Emma"))
    context = nil
    #expect(released == nil)
    #expect(book.modelContext == nil)
    #expect(book.title == "Emma")
    #expect(book.rating == nil)
    #expect(book.persistentModelID.entityName == "Book")
  }

  @Test("properties of an object whose context is released can be set, and are not stored", arguments: Engine.allCases)
  func editWithoutContext(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    let book: Book
    do {
      let context = store.context()
      book = try context.book("Emma")
    }
    book.pages = 7
    #expect(book.pages == 7)
    #expect(try store.context().book("Emma").pages == 100)
  }

  @Test("pending models stay readable when their context is released", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("deleted", "edited")
    var context: ModelContext? = store.context()
    let inserted = Book("inserted")
    context?.insert(inserted)
    let edited = try #require(try context?.book("edited"))
    let deleted = try #require(try context?.book("deleted"))
    edited.pages = 7
    context?.delete(deleted)
    context = nil
    #expect(inserted.title == "inserted")
    #expect(edited.pages == 7)
    #expect(deleted.title == "deleted")
    #expect(try store.storedTitles() == ["deleted", "edited"])
  }

  @Test("container, context and objects may be released in any order", arguments: Engine.allCases)
  func everything(_ engine: Engine) throws {
    for order in 0..<6 {
      let store = try TestStore(engine)
      try store.save("Emma")
      var context: ModelContext? = store.context()
      var books: [Book]? = try context?.fetch(FetchDescriptor<Book>())
      let steps: [() -> Void] = [{ context = nil }, { books = nil }, { store.releaseContainer() }]
      let first = order % 3
      let second = (first + 1 + order / 3) % 3
      steps[first]()
      steps[second]()
      if let books { #expect(books.map(\.title) == ["Emma"]) }
      steps[3 - first - second]()
      #expect(books == nil)
      #expect(context == nil)
    }
  }

  @Test("a released context is deallocated, and retains no object", arguments: Engine.allCases)
  func leaks(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    weak var context: ModelContext?
    weak var book: Book?
    do {
      let living = store.context()
      context = living
      book = try living.book("Emma")
      living.insert(Loan(reader: "Ada", book: book))
      book?.pages = 7
      try living.save()
    }
    #expect(context == nil)
    #expect(book == nil)
  }

  @Test("a released container is deallocated")
  func containerLeak() throws {
    let store = try TestStore(.file)
    weak let container = store.container
    try store.save("Emma")
    store.releaseContainer()
    #expect(container == nil)
  }

  @Test("a file can be opened again while a context of its previous container exists")
  func reopenBeside() throws {
    let store = try TestStore(.file)
    let context = try store.save("Emma")
    try store.reopen()
    try store.save("Ulysses")
    #expect(try context.titles() == ["Emma", "Ulysses"])
  }
}
