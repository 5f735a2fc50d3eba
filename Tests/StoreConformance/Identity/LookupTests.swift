import SwiftData
import Testing

@Suite("Looking up models by identifier", .serialized)
struct LookupTests {
  /// Saves and deletes a book, and returns the identifier of the deleted row.
  private func goneIdentifier(_ store: TestStore) throws -> PersistentIdentifier {
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    let identifier = book.persistentModelID
    context.delete(book)
    try context.save()
    return identifier
  }

  @Test("a look-up finds a row that the context has not fetched", arguments: Engine.allCases)
  func found(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try store.save("Emma").book("Emma").persistentModelID
    try store.reopen()
    let model = try #require(store.context().model(for: identifier) as? Book)
    #expect(model.title == "Emma")
    let existing: Book = try store.context().existingModel(for: identifier)
    #expect(existing.title == "Emma")
    #expect(store.context()[identifier, as: Book.self]?.title == "Emma")
  }

  @Test("model(for:) returns a deleted placeholder for a deleted row", arguments: Engine.allCases)
  func standIn(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try goneIdentifier(store)
    let context = store.context()
    let model = try #require(context.model(for: identifier) as? Book)
    #expect(model.isDeleted)
    #expect(model.persistentModelID == identifier)
    _ = (model.title, model.pages, model.rating, model.subtitle, model.isRead, model.genre, model.published)
    #expect(!context.hasChanges)
  }

  @Test("editing a placeholder of a deleted row stores nothing", arguments: Engine.allCases)
  func standInEdited(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try goneIdentifier(store)
    let context = store.context()
    let model = try #require(context.model(for: identifier) as? Book)
    model.title = "Ghost"
    try? context.save()
    #expect(try store.storedTitles() == [])
  }

  @Test("existingModel(for:) throws for a deleted row", arguments: Engine.allCases)
  func existing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try goneIdentifier(store)
    #expect(throws: SwiftDataError.modelNotFound) {
      let _: Book = try store.context().existingModel(for: identifier)
    }
  }

  @Test("the subscript returns nil for a deleted row", arguments: Engine.allCases)
  func subscripted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try goneIdentifier(store)
    #expect(store.context()[identifier, as: Book.self] == nil)
  }

  @Test("the subscript returns nil for a model of another type", arguments: Engine.allCases)
  func type(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try store.save("Emma").book("Emma").persistentModelID
    #expect(store.context()[identifier, as: Loan.self] == nil)
    #expect(throws: SwiftDataError.modelNotFound) {
      let _: Loan = try store.context().existingModel(for: identifier)
    }
  }

  @Test("registeredModel(for:) never fetches", arguments: Engine.allCases)
  func registered(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try store.save("Emma").book("Emma").persistentModelID
    let context = store.context()
    #expect(context.registeredModel(for: identifier) as Book? == nil)
    let book = try context.book("Emma")
    #expect(context.registeredModel(for: identifier) as Book? === book)
    #expect(context.registeredModel(for: identifier) as Loan? == nil)
  }

  @Test("an inserted model is found by the identifier that it has before the save", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    let identifier = book.persistentModelID
    #expect(context.registeredModel(for: identifier) as Book? === book)
    #expect(context.model(for: identifier) === book)
    #expect(context[identifier, as: Book.self] === book)
    #expect(store.context()[identifier, as: Book.self] == nil)
    try context.save()
    #expect(context.model(for: identifier) === book)
    #expect(store.context()[identifier, as: Book.self]?.title == "Emma")
  }

  @Test("no look-up finds a model whose deletion is pending", arguments: Engine.allCases)
  func pendingDelete(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    let identifier = book.persistentModelID
    context.delete(book)
    #expect(context.model(for: identifier).isDeleted)
    #expect(throws: SwiftDataError.modelNotFound) {
      let _: Book = try context.existingModel(for: identifier)
    }
    #expect(context[identifier, as: Book.self] == nil)
  }

  @Test(
    "a look-up of an identifier that the program created for a row that never existed finds nothing",
    arguments: Engine.allCases)
  func invented(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let known = try store.save("Emma").book("Emma").persistentModelID
    let storeIdentifier = try #require(known.storeIdentifier)
    for key in [0, -1, 77, Int.max, Int.min] {
      let identifier = try PersistentIdentifier.identifier(
        for: storeIdentifier, entityName: "Book", primaryKey: key)
      #expect(store.context()[identifier, as: Book.self] == nil)
      #expect(store.context().model(for: identifier).isDeleted)
    }
    let unknown = try PersistentIdentifier.identifier(for: storeIdentifier, entityName: "Nothing", primaryKey: 1)
    #expect(store.context()[unknown, as: Book.self] == nil)
    #expect(store.context().model(for: unknown).isDeleted)
    let text = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Book", primaryKey: "abc")
    #expect(store.context()[text, as: Book.self] == nil)
    #expect(store.context().model(for: text).isDeleted)
  }

  @Test("a model that another context inserted is found after its save", arguments: Engine.allCases)
  func otherContext(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = store.context()
    #expect(try here.titles() == [])
    let identifier = try store.save("Emma").book("Emma").persistentModelID
    #expect(here[identifier, as: Book.self]?.title == "Emma")
  }
}
