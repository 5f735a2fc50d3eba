import OpenSwiftData
import Testing

@Suite("Fetches that run inside another context's transaction and read its uncommitted rows")
struct UncommittedReadTests {
  @Test(
    "rows that another context read inside a transaction are read again after the rollback", arguments: Engine.allCases)
  func undone(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let writer = try store.save("first", "second")
    let reader = store.context()
    #expect(throws: Failure.self) {
      try writer.transaction {
        try writer.book("first").pages = 7
        writer.insert(Book("third"))
        try writer.save()
        _ = try reader.fetch(FetchDescriptor<Book>()).map(\.pages)
        throw Failure()
      }
    }
    #expect(try reader.fetch(FetchDescriptor<Book>()).map(\.title).sorted() == ["first", "second"])
    #expect(try reader.book("first").pages == 100)
    // The save of a changed title must not write the uncommitted page count, which this context had read.
    try reader.book("first").title = "renamed"
    try reader.save()
    #expect(try store.context().book("renamed").pages == 100)
  }

  @Test(
    "after the rollback, an object of another context has the store's value without being fetched again",
    arguments: Engine.allCases)
  func registered(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let writer = try store.save("first")
    let reader = store.context()
    var books: [Book] = []
    try? writer.transaction {
      try writer.book("first").pages = 7
      try writer.save()
      books = try reader.fetch(FetchDescriptor<Book>())
      _ = books.map(\.pages)
      throw Failure()
    }
    _ = try reader.fetchCount(FetchDescriptor<Book>())
    #expect(books.map(\.pages) == [100])
  }

  @Test(
    "rows that a nested transaction rolled back are read again after the outer transaction commits",
    arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let writer = try store.save("first", "second")
    let reader = store.context()
    try writer.transaction {
      try writer.book("second").pages = 1
      try writer.save()
      try? writer.transaction {
        try writer.book("first").pages = 7
        try writer.save()
        _ = try reader.fetch(FetchDescriptor<Book>()).map(\.pages)
        throw Failure()
      }
    }
    #expect(try reader.book("first").pages == 100)
    #expect(try reader.book("second").pages == 1)
  }
}
