import OpenSwiftData
import Testing

@Suite("Values of models, fetched without objects")
struct ValueTests {
  private func library(_ engine: Engine) throws -> TestStore {
    let store = try TestStore(engine, valueModels)
    let context = store.context()
    let writers = [Writer("Ada"), Writer("Bo")]
    for index in 1...20 {
      let book = Book(
        "book \(index)", pages: index * 10, code: index, writer: index % 3 == 0 ? nil : writers[index % 2])
      book.tags = Array(repeating: "tag", count: index % 3)
      book.genre = index % 2 == 0 ? .poem : .novel
      book.edition = index % 4 == 0 ? .second : nil
      book.cover = index % 5 == 0 ? Data(repeating: 7, count: index * 20_000) : nil
      book.scores = ["a": index]
      book.draft = Handwriting("draft")
      for chapter in 0..<(index % 4) { book.chapters.append(Chapter("\(index).\(chapter)")) }
      if index % 7 == 0 { book.licence = Licence(index) }
      context.insert(book)
    }
    try context.save()
    return store
  }

  /// Compares a fetched value with the object of the same row, property by property.
  private func check(_ value: Book.Value, _ book: Book) {
    #expect(value.persistentModelID == book.persistentModelID && value.id == book.persistentModelID)
    #expect(value.title == book.title && value.pages == book.pages && value.price == book.price)
    #expect(value.published == book.published && value.genre == book.genre && value.edition == book.edition)
    #expect(value.size == book.size && value.tags == book.tags && value.scores == book.scores)
    #expect(value.cover == book.cover && value.code == book.code)
    #expect(value.writer == book.writer?.persistentModelID)
    #expect(value.chapters == book.chapters.map(\.persistentModelID))
    #expect(value.licence == book.licence?.persistentModelID)
    #expect(value.media == book.media?.map(\.persistentModelID) && value.medium == book.medium?.persistentModelID)
    #expect(value == Book.Value(book))
  }

  @Test("fetched values equal the objects' properties, and have the same order", arguments: Engine.allCases)
  func equality(_ engine: Engine) throws {
    let store = try library(engine)
    var limited = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 50 && $0.writer?.name == "Ada" },
      sortBy: [SortDescriptor(\.title, order: .reverse)])
    limited.fetchLimit = 3
    limited.fetchOffset = 1
    for descriptor in [FetchDescriptor<Book>(), limited] {
      let values = try store.context().fetchValues(descriptor)
      let books = try store.context().fetch(descriptor)
      #expect(values.count == books.count && !values.isEmpty)
      for (value, book) in zip(values, books) { check(value, book) }
    }
  }

  @Test("fetching values creates no objects", arguments: Engine.allCases)
  func noObjects(_ engine: Engine) throws {
    let store = try library(engine)
    let context = store.context()
    for value in try context.fetchValues(FetchDescriptor<Book>()) {
      let book: Book? = context.registeredModel(for: value.persistentModelID)
      #expect(book == nil)
      if let id = value.writer {
        let writer: Writer? = context.registeredModel(for: id)
        #expect(writer == nil)
      }
    }
  }

  @Test("a value can be sent to another task, encoded as JSON and decoded again", arguments: Engine.allCases)
  func json(_ engine: Engine) async throws {
    let store = try library(engine)
    let container = store.container
    let values = try await Task.detached { try ModelContext(container).fetchValues(FetchDescriptor<Book>()) }.value
    let data = try JSONEncoder().encode(values)
    #expect(try JSONDecoder().decode([Book.Value].self, from: data) == values)
    #expect(Set(values).count == 20)
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(values[0])) as? [String: Any]
    #expect(object?["title"] as? String == "book 1")
    #expect(object?["genre"] as? String == "novel")
    #expect(object?["draft"] == nil && object?["secret"] == nil && object?["isOpen"] == nil)
    #expect(object?["writer"] is [String: Any])
  }

  @Test("an identifier in a value resolves to its model", arguments: Engine.allCases)
  func identifiers(_ engine: Engine) throws {
    let store = try library(engine)
    let context = store.context()
    let value = try #require(try context.fetchValues(FetchDescriptor<Book>()).first { $0.chapters.count == 3 })
    let book: Book = try context.existingModel(for: value.id)
    #expect(book.title == value.title)
    let headings = try value.chapters.map { try (context.existingModel(for: $0) as Chapter).heading }
    #expect(headings == ["\(value.code).0", "\(value.code).1", "\(value.code).2"])
    let writers = try context.fetchValues(FetchDescriptor<Writer>(sortBy: [SortDescriptor(\.name)]))
    #expect(writers.map(\.name) == ["Ada", "Bo"])
    #expect(writers[0].books.count == 7 && writers[0].id != writers[1].id)
  }

  @Test("a list of identifiers in a value has the order of the relationship", arguments: Engine.allCases)
  func order(_ engine: Engine) throws {
    let store = try TestStore(engine, valueModels)
    let context = store.context()
    let book = Book("book")
    book.chapters = ["a", "b", "c", "d"].map(Chapter.init)
    context.insert(book)
    try context.save()
    book.chapters.move(from: 3, to: 0)
    book.chapters.insert(Chapter("e"), at: 2)
    try context.save()
    let value = try #require(try store.context().fetchValues(FetchDescriptor<Book>()).first)
    #expect(value.chapters == book.chapters.map(\.persistentModelID))
    #expect(
      try value.chapters.map { try (context.existingModel(for: $0) as Chapter).heading } == ["d", "a", "e", "b", "c"])
  }

  @Test("the results include unsaved changes if the caller requests them", arguments: Engine.allCases)
  func pending(_ engine: Engine) throws {
    let store = try library(engine)
    let context = store.context()
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    books[0].pages = 1000
    context.delete(books[1])
    let new = Book("new", pages: 2000)
    context.insert(new)
    var descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.pages >= 195 }, sortBy: [SortDescriptor(\.pages)])
    let values = try context.fetchValues(descriptor)
    #expect(values.map(\.pages) == [200, 1000, 2000])
    #expect(values[2].persistentModelID == new.persistentModelID && values[2].title == "new")
    #expect(try context.fetchValues(FetchDescriptor<Book>()).count == 20)
    descriptor.includePendingChanges = false
    #expect(try context.fetchValues(descriptor).map(\.pages) == [200])
    try context.save()
    #expect(try context.fetchValues(descriptor).map(\.pages) == [200, 1000, 2000])
    #expect(try context.fetchValues(descriptor).contains { $0.id == values[2].id })
  }

  @Test("values are sorted by the unsaved values of related models", arguments: Engine.allCases)
  func pendingOrder(_ engine: Engine) throws {
    let store = try library(engine)
    let context = store.context()
    let writer = try #require(try context.fetch(FetchDescriptor<Writer>()).first { $0.name == "Ada" })
    writer.name = "Zoe"
    let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.writer?.name), SortDescriptor(\.pages)])
    let books = try context.fetch(descriptor)
    #expect(books.last?.writer?.name == "Zoe")
    #expect(try context.fetchValues(descriptor).map(\.title) == books.map(\.title))
  }

  @Test("a fetch of values in a transaction includes the transaction's changes", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let store = try library(engine)
    let context = store.context()
    try context.transaction {
      context.insert(Book("within", pages: 5000))
      try context.save()
      #expect(try context.fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 5000 })).count == 1)
      if engine == .file { #expect(try store.context().fetchValues(FetchDescriptor<Book>()).count == 20) }
    }
    #expect(try store.context().fetchValues(FetchDescriptor<Book>()).count == 21)
  }

  @Test("a fetch whose predicate is evaluated in memory returns the same values", arguments: Engine.allCases)
  func memory(_ engine: Engine) throws {
    let store = try library(engine)
    let predicate = #Predicate<Book> { $0.title.count % 2 == 0 && $0.tags.count > 0 }
    let descriptor = FetchDescriptor(
      predicate: predicate, sortBy: [SortDescriptor(\.writer?.name), SortDescriptor(\.title)])
    let books = try store.context().fetch(descriptor)
    let values = try store.context().fetchValues(descriptor)
    #expect(!books.isEmpty && values.map(\.title) == books.map(\.title))
    for (value, book) in zip(values, books) { check(value, book) }
  }

  @Test(
    "a value contains the identifiers of related models, with the names of their actual classes",
    arguments: Engine.allCases)
  func hierarchy(_ engine: Engine) throws {
    let store = try TestStore(engine, valueModels)
    let context = store.context()
    let book = Book("book")
    let film = Film("film", minutes: 90)
    let plain = Medium("plain")
    book.media = [film, plain]
    book.medium = film
    context.insert(book)
    context.insert(Book("other"))
    try context.save()
    let values = try store.context().fetchValues(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(values[0].media == [film.persistentModelID, plain.persistentModelID])
    #expect(values[0].medium == film.persistentModelID)
    #expect(values[0].medium?.entityName == "Film")
    #expect(values[1].media == [] && values[1].medium == nil)
    let media = try store.context().fetchValues(FetchDescriptor<Medium>(sortBy: [SortDescriptor(\.name)]))
    #expect(media.map(\.name) == ["film", "plain"] && media[0].id == film.persistentModelID)
    let films: [Medium.Value] = try store.context().fetchValues(FetchDescriptor<Film>())
    #expect(films == [media[0]])
  }

  @Test("an attribute may have the type PersistentIdentifier", arguments: Engine.allCases)
  func storedIdentifier(_ engine: Engine) throws {
    let store = try library(engine)
    let context = store.context()
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    book.reader = book.writer?.persistentModelID
    try context.save()
    let id = book.persistentModelID
    let found = try store.context().fetchValues(
      FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == id }))
    #expect(found.first?.reader != nil && found.first?.reader == book.reader)
  }

  @Test("a stored value that is invalid for its property makes the fetch throw")
  func damage() throws {
    let store = try library(.file)
    try store.tamper("UPDATE Book SET genre = 'play' WHERE pages = 30")
    let error = #expect(throws: SwiftDataError.corruptValue) {
      try store.context().fetchValues(FetchDescriptor<Book>())
    }
    #expect(error.map { "\($0)".contains("Book.genre") } == true)
    #expect(try store.context().fetchValues(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 30 })).count == 17)
  }

  @Test("the value of an actor is created from the actor or fetched from its row", arguments: Engine.allCases)
  func isolated(_ engine: Engine) async throws {
    let store = try TestStore(engine, valueModels)
    let shelf = Shelf(store.container)
    let last = Leaf(code: 2, text: "last")
    let leaf = Leaf(code: 1, text: "leaf", next: last)
    await shelf.perform { $0.insert(leaf) }
    try await shelf.save()
    let values = try store.context().fetchValues(
      FetchDescriptor<Leaf>(
        predicate: #Predicate { $0._text != "" }, sortBy: [SortDescriptor(\._text, order: .reverse)]))
    #expect(values.map(\.text) == ["leaf", "last"] && values[0].next == last.id && values[0].code == 1)
    #expect(await Leaf.Value(leaf) == values[0])
    let container = store.container
    try await MainActor.run {
      let mark = Shelfmark("mark")
      container.mainContext.insert(mark)
      #expect(Shelfmark.Value(mark).text == "mark")
      try container.mainContext.save()
    }
    #expect(try store.context().fetchValues(FetchDescriptor<Shelfmark>()).map(\.count) == [3])
  }
}

extension Array {
  fileprivate mutating func move(from start: Int, to end: Int) { insert(remove(at: start), at: end) }
}
