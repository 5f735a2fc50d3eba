import SwiftData
import Testing

@Suite("Models of another context", .serialized)
struct ForeignModelTests {
  private func text(_ error: (any Error)?) throws -> String { "\(try #require(error))" }

  @Test("inserting a model that another context saved adds no row", arguments: Engine.allCases)
  func savedElsewhere(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let there = try store.save("Emma")
    let book = try there.book("Emma")
    let here = store.context()
    here.insert(book)
    try? here.save()
    #expect(try store.storedTitles() == ["Emma"])
    #expect(book.modelContext == there)
  }

  @Test(
    "inserting an unsaved model of another context makes the save throw, and nothing is saved",
    arguments: Engine.allCases)
  func unsavedElsewhere(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let there = store.context()
    let book = Book("Emma")
    there.insert(book)
    let here = store.context()
    here.insert(Book("Ulysses"))
    here.insert(book)
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(SwiftDataError.modelOfAnotherContext ~= (try #require(error)))
    #expect(try text(error).contains("Book"))
    #expect(try store.storedTitles() == [])
    #expect(here.insertedTitles == ["Ulysses"])
    #expect(book.modelContext == there)
    try there.save()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("inserting a model of another container makes the save throw, and nothing is saved", arguments: Engine.allCases)
  func otherContainer(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try TestStore(engine)
    let there = try other.save("Emma")
    let book = try there.book("Emma")
    let here = store.context()
    here.insert(Book("Ulysses"))
    here.insert(book)
    #expect(throws: SwiftDataError.modelOfAnotherContext) { try here.save() }
    #expect(try store.storedTitles() == [])
    #expect(try other.storedTitles() == ["Emma"])
  }

  @Test("deleting a model of another container does not delete its row", arguments: Engine.allCases)
  func deleteElsewhere(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try TestStore(engine)
    try store.save("mine")
    let there = try other.save("Emma")
    let book = try there.book("Emma")
    let here = store.context()
    here.delete(book)
    try? here.save()
    try there.save()
    #expect(try other.storedTitles() == ["Emma"])
    #expect(try store.storedTitles() == ["mine"])
  }

  @Test(
    "assigning another context's object to a relationship assigns this context's object of the row",
    arguments: Engine.allCases)
  func relating(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let there = try store.save("Emma")
    let theirs = try there.book("Emma")
    let here = store.context()
    let loan = Loan(reader: "Ada")
    here.insert(loan)
    loan.book = theirs
    #expect(theirs.modelContext == there)
    let ours = try #require(loan.book)
    #expect(ours !== theirs)
    #expect(ours == theirs)
    #expect(ours.modelContext == here)
    #expect(try here.book("Emma") === ours)
    try here.save()
    let third = store.context()
    let stored = try withExtendedLifetime(third) { try third.fetch(FetchDescriptor<Loan>()).first?.book?.title }
    #expect(stored == "Emma")
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test(
    "assigning an unsaved model of another context keeps the old value and makes the save throw",
    arguments: Engine.allCases)
  func relatingUnsaved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let there = store.context()
    let theirs = Book("Emma")
    there.insert(theirs)
    let here = store.context()
    let mine = Book("Ulysses")
    let loan = Loan(reader: "Ada", book: mine)
    here.insert(loan)
    loan.book = theirs
    #expect(loan.book === mine)
    let error = #expect(throws: SwiftDataError.self) { try here.save() }
    #expect(SwiftDataError.modelOfAnotherContext ~= (try #require(error)))
    let words = try text(error)
    #expect(words.contains("Loan") && words.contains("Book") && words.contains("book"), "\(words)")
    #expect(try store.storedTitles() == [])
  }

  @Test(
    "assigning a model of another container keeps the old value and makes the save throw",
    arguments: Engine.allCases)
  func relatingOtherContainer(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let other = try TestStore(engine)
    let theirs = try other.save("Emma").book("Emma")
    let here = store.context()
    let loan = Loan(reader: "Ada")
    here.insert(loan)
    loan.book = theirs
    #expect(loan.book == nil)
    #expect(throws: SwiftDataError.modelOfAnotherContext) { try here.save() }
  }
}
