import SwiftData
import Testing

@Suite("Pending changes", .serialized)
struct PendingChangesTests {
  @Test("a new context has no pending changes", arguments: Engine.allCases)
  func none(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    #expect(!context.hasChanges)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(context.changedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty)
  }

  @Test("an inserted model is in insertedModelsArray until the save", arguments: Engine.allCases)
  func inserted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.map { $0 === book } == [true])
    #expect(context.changedModelsArray.isEmpty)
    try context.save()
    #expect(!context.hasChanges)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(!book.hasChanges)
  }

  @Test("an inserted model that is edited is in insertedModelsArray only", arguments: Engine.allCases)
  func insertedAndEdited(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    book.pages = 1
    #expect(context.insertedTitles == ["Emma"])
    #expect(context.changedModelsArray.isEmpty)
  }

  @Test("an edited model is in changedModelsArray until the save", arguments: Engine.allCases)
  func changed(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma", "Ulysses")
    let book = try context.book("Emma")
    #expect(!book.hasChanges)
    book.pages = 1
    book.pages = 2
    #expect(book.hasChanges)
    #expect(context.hasChanges)
    #expect(context.changedModelsArray.map { $0 === book } == [true])
    #expect(context.insertedModelsArray.isEmpty)
    try context.save()
    #expect(!book.hasChanges)
    #expect(!context.hasChanges)
    #expect(context.changedModelsArray.isEmpty)
  }

  @Test("a deleted model is in deletedModelsArray until the save", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    context.delete(book)
    #expect(context.hasChanges)
    #expect(context.deletedModelsArray.map { $0 === book } == [true])
    try context.save()
    #expect(!context.hasChanges)
    #expect(context.deletedModelsArray.isEmpty)
  }

  @Test("a model that is edited and then deleted is in deletedModelsArray only", arguments: Engine.allCases)
  func editedAndDeleted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    book.pages = 1
    context.delete(book)
    #expect(context.changedModelsArray.isEmpty)
    #expect(context.deletedTitles == ["Emma"])
  }

  @Test("inserting a deleted model again removes it from deletedModelsArray", arguments: Engine.allCases)
  func deletedAndInserted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    context.delete(book)
    context.insert(book)
    #expect(!book.isDeleted)
    #expect(context.deletedModelsArray.isEmpty)
    try context.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("reading changes nothing", arguments: Engine.allCases)
  func reading(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    let context = store.context()
    let book = try context.book("Emma")
    _ = (book.title, book.pages, book.rating, book.published)
    #expect(!book.hasChanges)
    #expect(!context.hasChanges)
  }

  @Test("changes of one context are not pending in another", arguments: Engine.allCases)
  func separate(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let there = store.context()
    try here.book("Emma").pages = 1
    #expect(!there.hasChanges)
    #expect(try there.book("Emma").pages == 100)
    try there.save()
    #expect(here.hasChanges)
  }

  @Test("a context retains an edited model until the save", arguments: Engine.allCases)
  func held(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Emma")
    let context = store.context()
    try context.book("Emma").pages = 7
    #expect(context.changedTitles == ["Emma"])
    try context.save()
    #expect(try store.context().book("Emma").pages == 7)
  }

  @Test("the three arrays together contain every change", arguments: Engine.allCases)
  func together(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("a", "b", "c", "d")
    context.insert(Book("new"))
    try context.book("a").pages = 1
    try context.book("b").pages = 2
    context.delete(try context.book("c"))
    #expect(context.insertedTitles == ["new"])
    #expect(context.changedTitles == ["a", "b"])
    #expect(context.deletedTitles == ["c"])
    context.rollback()
    #expect(context.insertedTitles == [])
    #expect(context.changedTitles == [])
    #expect(context.deletedTitles == [])
  }

  @Test("processing pending changes leaves them pending", arguments: Engine.allCases)
  func processing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Book("Emma"))
    context.processPendingChanges()
    #expect(context.insertedTitles == ["Emma"])
    #expect(try store.storedTitles() == [])
  }
}
