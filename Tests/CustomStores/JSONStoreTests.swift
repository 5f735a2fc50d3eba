import ConformanceSupport
import JSONStore
import SwiftData
import Testing

@Suite("The example store in JSON files")
final class JSONStoreTests {
  private let folder: URL

  init() throws { folder = try TestStore.makeFolder() }
  deinit { try? FileManager.default.removeItem(at: folder) }

  private func open() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(libraryModels),
      configurations: [JSONStoreConfiguration(folder: folder)] as [any DataStoreConfiguration])
  }

  private func fill() throws {
    let context = ModelContext(try open())
    let author = Author("Jane Austen")
    context.insert(author)
    author.books = [Book("Emma", pages: 474), Book("Persuasion", pages: 236), Book("Lady Susan", pages: 80)]
    author.books[1].tags = [Tag("last"), Tag("sea")]
    try context.save()
  }

  @Test("keeps saved models, and relationships with their order, when it is opened again")
  func reopening() throws {
    try fill()
    do {
      let context = ModelContext(try open())
      let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
      #expect(author.books.map(\.title) == ["Emma", "Persuasion", "Lady Susan"])
      author.books[0].title = "Emma!"
      author.books.append(Book("Sanditon"))
      context.delete(author.books[2])
      try context.save()
    }
    let context = ModelContext(try open())
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    #expect(author.books.map(\.title) == ["Emma!", "Persuasion", "Sanditon"])
    #expect(author.books[1].tags.map(\.word) == ["last", "sea"])
    let found = try context.fetch(
      FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 200 }, sortBy: [SortDescriptor(\.pages)]))
    #expect(found.map(\.title) == ["Persuasion", "Emma!"])
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 200 })) == 2)
  }

  @Test("has one file for each entity, and other programs can change the file")
  func files() throws {
    try fill()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["Author.json", "Book.json", "Tag.json", "store.json"])
    let context = ModelContext(try open())
    let book = try #require(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 474 })).first)
    let file = folder.appending(path: "Book.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains(#""title" : "Emma""#))
    try text.replacingOccurrences(of: #""Emma""#, with: #""Emma Woodhouse""#)
      .write(to: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.modificationDate: Date() + 5], ofItemAtPath: file.path)
    #expect(
      try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.title).first == "Emma Woodhouse"
    )
    #expect(book.title == "Emma Woodhouse")
    try Data("[{".utf8).write(to: file)
    #expect(throws: JSONStoreError.self) { try ModelContext(try open()).fetch(FetchDescriptor<Book>()) }
  }

  @Test("deletes models by delete rules, and can be erased")
  func deletions() throws {
    try fill()
    let container = try open()
    let context = ModelContext(container)
    for author in try context.fetch(FetchDescriptor<Author>()) { context.delete(author) }
    try context.save()
    let other = ModelContext(try open())
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try other.fetch(FetchDescriptor<Tag>()).map(\.books.count) == [0, 0])
    try container.erase()
    #expect(try ModelContext(try open()).fetchCount(FetchDescriptor<Tag>()) == 0)
  }
}
