import SwiftData
import Testing

@Suite("To-one references", .serialized)
struct ReferenceTests {
  @Test("a reference is stored, and inserts its destination", arguments: Engine.allCases)
  func stored(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.context().run { $0.insert(Loan(reader: "Ada", book: Book("Emma", pages: 474))) }
    try store.reopen()
    let context = store.context()
    let loan = try #require(try context.fetch(FetchDescriptor<Loan>()).first)
    #expect(loan.book?.modelContext == context)
    #expect(loan.book?.title == "Emma")
    #expect(loan.book?.pages == 474)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a nil reference is stored", arguments: Engine.allCases)
  func nothing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.context().run { $0.insert(Loan(reader: "Ada")) }
    let loan = try #require(try store.context().fetch(FetchDescriptor<Loan>()).first)
    #expect(loan.book == nil)
  }

  @Test("a reference can be set, changed and set to nil", arguments: Engine.allCases)
  func changed(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let loan = Loan(reader: "Ada")
    context.insert(loan)
    try context.save()
    func stored() throws -> String? {
      let other = store.context()
      return try withExtendedLifetime(other) { try other.fetch(FetchDescriptor<Loan>()).first?.book?.title }
    }
    loan.book = Book("Emma")
    #expect(loan.hasChanges)
    try context.save()
    #expect(try stored() == "Emma")
    loan.book = Book("Ulysses")
    try context.save()
    #expect(try stored() == "Ulysses")
    loan.book = nil
    try context.save()
    #expect(try stored() == nil)
    #expect(try store.storedTitles() == ["Emma", "Ulysses"])
  }

  @Test("several models may refer to one model, in any order of insertion", arguments: Engine.allCases)
  func shared(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    let loans = (0..<5).map { Loan(reader: "\($0)", book: book) }
    context.insert(loans[0])
    context.insert(book)
    loans.dropFirst().forEach(context.insert)
    try context.save()
    let other = store.context()
    let found = try other.fetch(FetchDescriptor<Loan>())
    #expect(found.count == 5)
    #expect(Set(found.compactMap { $0.book.map(ObjectIdentifier.init) }).count == 1)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a reference to a deleted model is nil after the next fetch", arguments: Engine.allCases)
  func deleted(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    let loan = Loan(reader: "Ada", book: book)
    context.insert(loan)
    try context.save()
    context.delete(book)
    try context.save()
    let fetched = try context.fetch(FetchDescriptor<Loan>())
    #expect(fetched.first === loan)
    #expect(loan.book == nil)
    #expect(!loan.hasChanges)
    try store.reopen()
    let other = store.context()
    let found = try #require(try other.fetch(FetchDescriptor<Loan>()).first)
    #expect(found.reader == "Ada")
    #expect(found.book == nil)
    #expect(found.modelContext == other)
  }
}
