import PersistenceCore
import SwiftData
import Testing

/// Identifiers that a program reads before the store assigns the permanent ones.
@Suite("Temporary identifiers in a custom store")
struct EarlyIdentifierTests {
  @Test("after the first save, a temporary identifier has the text and the encoding of the permanent one")
  func encoding() throws {
    let lab = try StoreLab()
    let context = lab.context()
    let author = Author("Jane Austen")
    context.insert(author)
    let early = author.persistentModelID
    #expect(early.isTemporary && early.description.contains("t"))
    try context.save()
    let own = author.persistentModelID
    #expect(own.description.hasSuffix("Author/key-1)"))
    #expect(early.description == own.description && "\(early)" == "\(own)" && !early.isTemporary)
    let data = try JSONEncoder().encode(early)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("key-1") && text.contains("x-swiftdata"))
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(decoded == own)
    // The new container has never seen the temporary identifier.
    let fresh = try lab.fresh()
    #expect((fresh.context().model(for: decoded) as? Author)?.name == "Jane Austen")
  }

  @Test("after the save, a temporary identifier is sorted like the permanent one")
  func order() throws {
    let lab = try StoreLab()
    let context = lab.context()
    let authors = ["a", "b", "c"].map(Author.init)
    authors.forEach(context.insert)
    let early = authors.map(\.persistentModelID)
    try context.save()
    let own = authors.map(\.persistentModelID)
    for (first, second) in [(0, 1), (1, 2), (0, 2)] {
      let isLess = own[first] < own[second]
      #expect((early[first] < own[second]) == isLess && (own[first] < early[second]) == isLess)
      #expect((early[first] < early[second]) == isLess)
    }
  }

  @Test("a reported conflict contains the permanent identifier instead of the temporary one")
  func conflicts() throws {
    let lab = try StoreLab()
    let (here, there) = (lab.context(), lab.context())
    let (authors, book) = (["a", "b", "c"].map(Author.init), Book("book"))
    authors.forEach(here.insert)
    here.insert(book)
    book.author = authors[0]
    // The test reads the identifiers of the book and the authors before the save.
    let early = ([book] as [any PersistentModel] + authors).map(\.persistentModelID)
    try here.save()
    let theirs = try #require(try there.fetch(FetchDescriptor<Book>()).first)
    theirs.author = try there.fetch(FetchDescriptor<Author>()).first { $0.name == "b" }
    book.author = authors[2]
    try there.save()
    try here.save()
    let conflict = try #require(here.resolvedConflicts.first)
    let texts = Dictionary(
      uniqueKeysWithValues: lab.script.rows(of: "Author").map { row in
        (row.value("name", as: String.self), row.persistentIdentifier.description)
      })
    #expect([conflict.read, conflict.ours, conflict.theirs].allSatisfy { $0?.hasPrefix("Author key-") == true })
    for (value, name) in [(conflict.read, "a"), (conflict.ours, "c"), (conflict.theirs, "b")] {
      let key = try #require(value?.split(separator: " ").last)
      #expect(texts[name]?.hasSuffix("/\(key))") == true, "\(conflict)")
    }
    #expect(conflict.description.contains("Book key-") && !conflict.description.contains(" p"))
    withExtendedLifetime(early) {}
  }

  @Test("the error for a row of another class contains the permanent identifier")
  func classes() throws {
    let lab = try StoreLab([Craft.self, Glider.self])
    let context = lab.context()
    let craft = Craft(sign: 7)
    context.insert(craft)
    let early = craft.persistentModelID
    try context.save()
    context.insert(Glider(sign: 7, span: 15))
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("of Craft key-1,") == true, "\(String(describing: error))")
    withExtendedLifetime(early) {}
  }
}
