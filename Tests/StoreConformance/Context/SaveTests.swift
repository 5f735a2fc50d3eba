import SwiftData
import Testing

@Suite("Saving", .serialized)
struct SaveTests {
  @Test("an edit is in the store after the save, and not before", arguments: Engine.allCases)
  func edit(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma", "Ulysses")
    let book = try context.book("Emma")
    book.title = "Persuasion"
    book.subtitle = "a novel"
    #expect(try store.storedTitles() == ["Emma", "Ulysses"])
    try context.save()
    try store.reopen()
    #expect(try store.storedTitles() == ["Persuasion", "Ulysses"])
    #expect(try store.context().book("Persuasion").subtitle == "a novel")
  }

  @Test("a value set to nil is nil in the store", arguments: Engine.allCases)
  func editToNil(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma", rating: 4.5, subtitle: "x")
    context.insert(book)
    try context.save()
    book.rating = nil
    book.subtitle = nil
    try context.save()
    let found = try store.context().book("Emma")
    #expect(found.rating == nil)
    #expect(found.subtitle == nil)
  }

  @Test("saving nothing succeeds", arguments: Engine.allCases)
  func nothing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    try context.save()
    try context.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("an edit writes only the changed properties", arguments: Engine.allCases)
  func columns(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let first = try store.save("Emma")
    let second = store.context()
    let here = try first.book("Emma")
    let there = try second.book("Emma")
    here.pages = 1
    there.subtitle = "both"
    try first.save()
    try second.save()
    let found = try store.context().book("Emma")
    #expect(found.pages == 1)
    #expect(found.subtitle == "both")
  }

  @Test("a save that fails stores nothing and keeps the changes pending", arguments: Engine.allCases)
  func failure(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted")
    let edited = try context.book("edited")
    let deleted = try context.book("deleted")
    let inserted = Book("inserted")
    let note = Note(1, ink: .wet)
    edited.pages = 7
    context.delete(deleted)
    context.insert(inserted)
    context.insert(note)
    #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }

    #expect(try store.storedTitles() == ["deleted", "edited"])
    #expect(try store.context().book("edited").pages == 100)
    #expect(context.hasChanges)
    #expect(context.insertedTitles == ["inserted"])
    #expect(context.insertedModelsArray.count == 2)
    #expect(context.changedTitles == ["edited"])
    #expect(context.deletedTitles == ["deleted"])
    #expect(edited.pages == 7)
  }

  @Test("a failed save succeeds once its cause is removed", arguments: Engine.allCases)
  func secondAttempt(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let note = Note(1, ink: .wet)
    context.insert(note)
    context.insert(Book("Emma"))
    #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
    note.ink = .dry("now")
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.storedTitles() == ["Emma"])
    #expect(try store.context().fetch(FetchDescriptor<Note>()).map(\.ink) == [.dry("now")])
  }

  @Test("the error for a value that cannot be stored names its entity and property", arguments: Engine.allCases)
  func naming(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    context.insert(Note(1, ink: .wet))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    let text = "\(try #require(error))"
    #expect(text.contains("Note"), "\(text)")
    #expect(text.contains("ink"), "\(text)")
  }

  @Test("an edit that a failed save left pending is rolled back to the stored value", arguments: Engine.allCases)
  func rollbackAfterFailure(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let note = Note(1, ink: .dry("first"))
    context.insert(note)
    try context.save()
    note.ink = .wet
    #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
    context.rollback()
    #expect(note.ink == .dry("first"))
    try context.save()
    #expect(try store.context().fetch(FetchDescriptor<Note>()).map(\.ink) == [.dry("first")])
  }

  @Test("ten thousand models are saved at once", arguments: Engine.allCases)
  func many(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    for number in 0..<10_000 { context.insert(Book("book", pages: number)) }
    try context.save()
    let pages = try store.context().fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])).map(\.pages)
    #expect(pages == Array(0..<10_000))
  }
}
