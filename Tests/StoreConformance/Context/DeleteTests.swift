import SwiftData
import Testing

@Suite("Deletion of models", .serialized)
struct DeleteTests {
  @Test("a deleted model is removed from the store by the save, and not before", arguments: Engine.allCases)
  func saved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma", "Ulysses")
    context.delete(try context.book("Emma"))
    #expect(try store.storedTitles() == ["Emma", "Ulysses"])
    try context.save()
    try store.reopen()
    #expect(try store.storedTitles() == ["Ulysses"])
  }

  @Test("isDeleted is true between the deletion and the save", arguments: Engine.allCases)
  func isDeleted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    #expect(!book.isDeleted)
    context.delete(book)
    #expect(book.isDeleted)
  }

  @Test("deleting a model that was never saved discards it immediately", arguments: Engine.allCases)
  func unsaved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    context.delete(book)
    #expect(!context.hasChanges)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(try context.titles() == [])
    try context.save()
    #expect(try store.storedTitles() == [])
    #expect(book.title == "Emma")
  }

  @Test("deleting twice deletes once", arguments: Engine.allCases)
  func twice(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma", "Ulysses")
    let book = try context.book("Emma")
    context.delete(book)
    context.delete(book)
    #expect(context.deletedModelsArray.count == 1)
    try context.save()
    context.delete(book)
    try context.save()
    #expect(try store.storedTitles() == ["Ulysses"])
  }

  @Test("a deleted object keeps its last property values, before and after the save", arguments: Engine.allCases)
  func lastValues(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    book.pages = 7
    context.delete(book)
    #expect(book.title == "Emma")
    #expect(book.pages == 7)
    try context.save()
    #expect(book.title == "Emma")
    #expect(book.pages == 7)
  }

  @Test(
    "properties that were not fetched have their last values after the object is deleted",
    arguments: Engine.allCases)
  func lastValuesOfFaults(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.context().run { $0.insert(Book("Emma", pages: 474, rating: 4.5)) }
    let context = store.context()
    var descriptor = FetchDescriptor<Book>()
    descriptor.propertiesToFetch = [\.title]
    let book = try #require(try context.fetch(descriptor).first)
    context.delete(book)
    try context.save()
    #expect(book.title == "Emma")
    #expect(book.pages == 474)
    #expect(book.rating == 4.5)
  }

  @Test("setting a property of a deleted object has no effect on the store", arguments: Engine.allCases)
  func setAfterwards(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    context.delete(book)
    book.title = "Ghost"
    try context.save()
    book.title = "Ghost of a ghost"
    try context.save()
    #expect(try store.storedTitles() == [])
  }

  @Test("an object whose row another context has deleted stays readable", arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let book = try here.book("Emma")
    let there = store.context()
    there.delete(try there.book("Emma"))
    try there.save()
    #expect(try here.titles() == [])
    #expect(book.title == "Emma")
    #expect(book.pages == 100)
  }

  @Test("editing a model that another context deleted does not restore it", arguments: Engine.allCases)
  func editElsewhere(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let book = try here.book("Emma")
    let there = store.context()
    there.delete(try there.book("Emma"))
    try there.save()
    book.pages = 1
    try? here.save()
    #expect(try store.storedTitles() == [])
  }

  @Test("two contexts may delete one row", arguments: Engine.allCases)
  func both(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let there = store.context()
    here.delete(try here.book("Emma"))
    there.delete(try there.book("Emma"))
    try here.save()
    try? there.save()
    #expect(try store.storedTitles() == [])
  }

  @Test(
    "a new model that is saved together with a deletion does not get the deleted row's identifier",
    arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    let other = Book("Ulysses")
    context.delete(book)
    context.insert(other)
    try context.save()
    #expect(book.persistentModelID != other.persistentModelID)
    #expect(book != other)
  }
}

extension ModelContext {
  /// Runs `body` and then saves the context.
  func run(_ body: (ModelContext) -> Void) throws {
    body(self)
    try save()
  }
}
