import SwiftData
import Testing

@Suite("Identifiers", .serialized)
struct IdentifierTests {
  @Test("an identifier obtained before the first save keeps its equality and hash", arguments: Engine.allCases)
  func survives(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    let atBirth = book.persistentModelID
    context.insert(book)
    let inserted = book.persistentModelID
    try context.save()
    let saved = book.persistentModelID
    #expect(atBirth == inserted)
    #expect(inserted == saved)
    #expect(atBirth == saved)
    #expect(atBirth.hashValue == saved.hashValue)
    #expect(inserted.hashValue == saved.hashValue)
    #expect(book.id == saved)
  }

  @Test(
    "an identifier obtained before the first save equals the row's identifier in other contexts",
    arguments: Engine.allCases)
  func elsewhere(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    let early = book.persistentModelID
    try context.save()
    try store.reopen()
    let late = try store.context().book("Emma").persistentModelID
    #expect(early == late)
    #expect(late == early)
    #expect(early.hashValue == late.hashValue)
  }

  @Test("sets and dictionaries made before the first save still find their members", arguments: Engine.allCases)
  func collections(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let books = (0..<100).map { Book("\($0)") }
    books.forEach(context.insert)
    let identifiers = Set(books.map(\.persistentModelID))
    let models = Set(books)
    let titles = Dictionary(uniqueKeysWithValues: books.map { ($0.persistentModelID, $0.title) })
    try context.save()
    for book in books {
      #expect(identifiers.contains(book.persistentModelID))
      #expect(models.contains(book))
      #expect(titles[book.persistentModelID] == book.title)
    }
    for book in try store.context().fetch(FetchDescriptor<Book>()) {
      #expect(titles[book.persistentModelID] == book.title)
      #expect(models.contains(book))
    }
  }

  @Test("identifiers of different models differ, saved or not", arguments: Engine.allCases)
  func different(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let emma = Book("Emma")
    let ulysses = Book("Ulysses")
    let loan = Loan(reader: "Ada")
    #expect(emma.persistentModelID != ulysses.persistentModelID)
    context.insert(emma)
    context.insert(ulysses)
    context.insert(loan)
    try context.save()
    #expect(emma.persistentModelID != ulysses.persistentModelID)
    #expect(emma.persistentModelID != loan.persistentModelID)
  }

  @Test(
    "identifiers always have the entity name, and have the store identifier after the save", arguments: Engine.allCases)
  func names(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    #expect(book.persistentModelID.entityName == "Book")
    #expect(book.persistentModelID.storeIdentifier == nil)
    context.insert(book)
    try context.save()
    #expect(book.persistentModelID.entityName == "Book")
    #expect(book.persistentModelID.storeIdentifier != nil)
  }

  @Test("the identifier of a row is the same after the store is reopened")
  func reopened() throws {
    let store = try TestStore(.file)
    let before = try store.save("Emma").book("Emma").persistentModelID
    try store.reopen()
    let after = try store.context().book("Emma").persistentModelID
    #expect(before == after)
    #expect(before.storeIdentifier == after.storeIdentifier)
  }

  @Test("JSON decodes to an equal identifier", arguments: Engine.allCases)
  func json(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let book = try store.save("Emma").book("Emma")
    let identifier = book.persistentModelID
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    #expect(decoded == identifier)
    #expect(decoded.hashValue == identifier.hashValue)
    #expect(decoded.entityName == "Book")
    #expect(decoded.storeIdentifier == identifier.storeIdentifier)
    #expect(store.context()[decoded, as: Book.self]?.title == "Emma")
  }

  @Test("JSON has Apple's format", arguments: Engine.allCases)
  func appleForm(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let identifier = try store.save("Emma").book("Emma").persistentModelID
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(identifier)) as? [String: Any]
    let inner = try #require(json?["implementation"] as? [String: Any])
    #expect(json?.count == 1)
    let primaryKey = try #require(inner["primaryKey"] as? String)
    let storeIdentifier = try #require(identifier.storeIdentifier)
    #expect(primaryKey.hasPrefix("p"))
    #expect(inner["entityName"] as? String == "Book")
    #expect(inner["storeIdentifier"] as? String == storeIdentifier)
    #expect(inner["isTemporary"] as? Bool == false)
    #expect(inner["uriRepresentation"] as? String == "x-coredata://\(storeIdentifier)/Book/\(primaryKey)")
  }

  @Test(
    "JSON of an identifier without a row states that it is temporary, and decodes to an equal identifier",
    arguments: Engine.allCases)
  func temporaryJSON(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    let data = try JSONEncoder().encode(book.persistentModelID)
    let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let inner = try #require(json?["implementation"] as? [String: Any])
    #expect(inner["isTemporary"] as? Bool == true)
    #expect((inner["primaryKey"] as? String)?.hasPrefix("t") == true)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(decoded == book.persistentModelID)
    try context.save()
    #expect(decoded == book.persistentModelID)
    #expect(decoded.hashValue == book.persistentModelID.hashValue)
  }

  @Test("JSON that was encoded before the save decodes to the row's identifier", arguments: Engine.allCases)
  func temporaryJSONAfterSave(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    let data = try JSONEncoder().encode(book.persistentModelID)
    try context.save()
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(decoded == book.persistentModelID)
    #expect(store.context()[decoded, as: Book.self]?.title == "Emma")
  }

  @Test("malformed JSON throws and does not trap")
  func badJSON() {
    let texts = [
      "{}", #"{"implementation":{}}"#, #"{"implementation":7}"#, "[]",
      #"{"implementation":{"primaryKey":"x","isTemporary":true,"entityName":"Book","uriRepresentation":""}}"#,
    ]
    for text in texts {
      #expect(throws: DecodingError.self, "\(text)") {
        try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
      }
    }
  }

  @Test("identifiers are totally ordered", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let books = (0..<50).map { Book("\($0)") }
    books.forEach(context.insert)
    context.insert(Loan(reader: "Ada"))
    try context.save()
    let all =
      try context.fetchIdentifiers(FetchDescriptor<Book>())
      + context.fetchIdentifiers(FetchDescriptor<Loan>()) + [Book("unsaved").persistentModelID]
    var random = SeededGenerator(seed: 50)
    let sorted = all.shuffled(using: &random).sorted()
    for (index, lower) in sorted.enumerated() {
      for upper in sorted.dropFirst(index + 1) {
        #expect(lower < upper)
        #expect(!(upper < lower))
      }
    }
  }

  @Test("identifiers of different stores differ", arguments: Engine.allCases)
  func stores(_ engine: Engine) throws {
    let first = try TestStore(engine)
    let second = try TestStore(engine)
    let here = try first.save("Emma").book("Emma").persistentModelID
    let there = try second.save("Emma").book("Emma").persistentModelID
    #expect(here != there)
    #expect(second.context()[here, as: Book.self] == nil)
  }
}
