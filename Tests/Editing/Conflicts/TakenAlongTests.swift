import ConformanceSupport
import SwiftData
import Testing

@Model
final class Bookcase {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.bookcase) var books: [Book] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Book {
  var title: String
  var bookcase: Bookcase?
  var borrower: Borrower?
  var topics: [Topic] = []

  init(_ title: String) { self.title = title }
}

@Model
final class Borrower {
  var name: String
  @Relationship(inverse: \Book.borrower) var books: [Book] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Topic {
  var name: String
  @Relationship(inverse: \Book.topics) var books: [Book] = []

  init(_ name: String) { self.name = name }
}

@Suite("A row that a cascade in the store deletes, unknown to the context")
struct TakenAlongTests {
  /// This context's book is in no bookcase. Another context has saved a change that puts the book into the bookcase,
  /// which this context has not read. If this context deletes the bookcase, the store's cascade deletes the book too.
  private struct Scene {
    let store: TestStore
    let here: ModelContext
    let bookcase = Bookcase("tall")
    let book = Book("Emma")
    let borrower = Borrower("Ada")
    let topic = Topic("novels")
    /// So many objects that the context does not read all of its objects again after a commit of another context.
    let others = (0..<9).map { Topic("\($0)") }

    init(_ engine: Engine) throws {
      store = try TestStore(engine, [Bookcase.self, Book.self, Borrower.self, Topic.self])
      here = store.context()
      for topic in others { here.insert(topic) }
      here.insert(bookcase)
      here.insert(book)
      here.insert(borrower)
      here.insert(topic)
      borrower.books = [book]
      topic.books = [book]
      try here.save()
      let there = store.context()
      try there.only(Book.self).bookcase = try there.only(Bookcase.self)
      try there.save()
    }
  }

  @Test(
    "the book's object is removed from all lists of the context, and observers of the lists are notified",
    arguments: Engine.allCases)
  func lists(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(scene.borrower.books == [scene.book] && scene.topic.books == [scene.book])
    let flag = changeFlag { _ = scene.borrower.books }
    scene.here.delete(scene.bookcase)
    try scene.here.save()
    #expect(scene.book.isDeleted)
    #expect(scene.borrower.books.isEmpty && scene.topic.books.isEmpty)
    #expect(flag.isRaised && !scene.here.hasChanges)
    scene.borrower.books.append(Book("Persuasion"))
    try scene.here.save()
    #expect(try scene.store.context().fetch(FetchDescriptor<Book>()).map(\.title) == ["Persuasion"])
  }

  @Test("the book's object is in the lists again after a rollback of the transaction", arguments: Engine.allCases)
  func transaction(_ engine: Engine) throws {
    let scene = try Scene(engine)
    #expect(throws: Failure.self) {
      try scene.here.transaction {
        scene.here.delete(scene.bookcase)
        try scene.here.save()
        #expect(scene.borrower.books.isEmpty && scene.topic.books.isEmpty)
        throw Failure()
      }
    }
    #expect(!scene.book.isDeleted && !scene.here.hasChanges)
    #expect(scene.borrower.books == [scene.book] && scene.topic.books == [scene.book])
  }
}
