import SwiftData
import Testing

@Suite("Rolling back", .serialized)
struct RollbackTests {
  @Test("a rollback restores the stored values of an edited object", arguments: Engine.allCases)
  func edits(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    book.title = "Persuasion"
    book.rating = 3
    context.rollback()
    #expect(book.title == "Emma")
    #expect(book.rating == nil)
    #expect(!context.hasChanges)
    #expect(!book.hasChanges)
    try context.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a rollback removes an inserted model from the context", arguments: Engine.allCases)
  func inserts(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(try context.titles() == [])
    #expect(book.title == "Emma")
    try context.save()
    #expect(try store.storedTitles() == [])
  }

  @Test("a model whose insert was rolled back can be inserted again", arguments: Engine.allCases)
  func insertAgain(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    context.rollback()
    context.insert(book)
    try context.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a rollback restores a deleted model", arguments: Engine.allCases)
  func deletes(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    book.pages = 1
    context.delete(book)
    context.rollback()
    #expect(!book.isDeleted)
    #expect(book.pages == 100)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(try context.book("Emma") === book)
    try context.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a rollback reads values that another context saved meanwhile", arguments: Engine.allCases)
  func meanwhile(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let here = try store.save("Emma")
    let book = try here.book("Emma")
    book.pages = 1
    let there = store.context()
    try there.book("Emma").pages = 2
    try there.save()
    here.rollback()
    #expect(book.pages == 2)
  }

  @Test("a rollback restores the stored reference", arguments: Engine.allCases)
  func reference(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let emma = Book("Emma")
    let loan = Loan(reader: "Ada", book: emma)
    context.insert(loan)
    try context.save()
    loan.book = nil
    context.rollback()
    #expect(loan.book === emma)
  }

  @Test("rolling back twice, or without changes, has no effect", arguments: Engine.allCases)
  func nothing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    context.rollback()
    try context.book("Emma").pages = 1
    context.rollback()
    context.rollback()
    #expect(try context.book("Emma").pages == 100)
    #expect(!context.hasChanges)
  }

  @Test("a rollback does not undo saved changes", arguments: Engine.allCases)
  func savedBefore(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let book = try context.book("Emma")
    book.pages = 1
    try context.save()
    book.pages = 2
    context.rollback()
    #expect(book.pages == 1)
  }
}
