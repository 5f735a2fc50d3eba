import SwiftData
import Testing

@Suite("Inserting", .serialized)
struct InsertTests {
  @Test("an inserted model is in the store after the save, and not before", arguments: Engine.allCases)
  func saved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Book("Emma", pages: 474))
    #expect(try store.storedTitles() == [])
    try context.save()
    try store.reopen()
    let found = try store.context().book("Emma")
    #expect(found.pages == 474)
  }

  @Test("a model belongs to no context until it is inserted", arguments: Engine.allCases)
  func context(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    #expect(book.modelContext == nil)
    context.insert(book)
    #expect(book.modelContext == context)
    try context.save()
    #expect(book.modelContext == context)
  }

  @Test("a model that is never inserted is never stored", arguments: Engine.allCases)
  func notInserted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    book.pages = 7
    try context.save()
    #expect(book.pages == 7)
    #expect(try store.storedTitles() == [])
  }

  @Test("inserting a model twice stores it once", arguments: Engine.allCases)
  func twice(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    context.insert(book)
    #expect(context.insertedTitles == ["Emma"])
    try context.save()
    context.insert(book)
    try context.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("inserting a saved model again adds no row", arguments: Engine.allCases)
  func insertedAgain(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    context.insert(book)
    #expect(context.insertedTitles == [])
    #expect(!context.hasChanges)
  }

  @Test("edits between the insertion and the save are stored", arguments: Engine.allCases)
  func edited(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    book.title = "Persuasion"
    try context.save()
    #expect(try store.storedTitles() == ["Persuasion"])
  }

  @Test("the context retains inserted models until the save", arguments: Engine.allCases)
  func kept(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<100 { context.insert(Book("\(number)")) }
    try context.save()
    #expect(try store.context().fetchCount(FetchDescriptor<Book>()) == 100)
  }

  @Test("models of several entities are saved together", arguments: Engine.allCases)
  func kinds(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Book("Emma"))
    context.insert(Note(1, ink: .dry("read it")))
    context.insert(Loan(reader: "Ada"))
    try context.save()
    try store.reopen()
    let other = store.context()
    #expect(try other.titles() == ["Emma"])
    #expect(try other.fetch(FetchDescriptor<Note>()).map(\.ink) == [.dry("read it")])
    #expect(try other.fetch(FetchDescriptor<Loan>()).map(\.reader) == ["Ada"])
  }

  @Test(
    "saving a model that is not in the container's schema throws an error that names the model",
    arguments: Engine.allCases)
  func unlistedModel(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(UnlistedModel(name: "unlisted"))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect("\(try #require(error))".contains("UnlistedModel"))
  }
}
