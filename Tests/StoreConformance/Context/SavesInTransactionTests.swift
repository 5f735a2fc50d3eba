import SwiftData
import Testing

@Suite("Saves inside a transaction")
struct SavesInTransactionTests {
  @Test(
    "a failed save is undone, and the saves before and after it in the same transaction are kept",
    arguments: Engine.allCases)
  func failing(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    try context.transaction {
      for index in 0..<10 {
        context.insert(Book("kept \(index)"))
        try context.save()
        let wet = Note(index, ink: .wet)
        context.insert(Book("again \(index)"))
        context.insert(wet)
        #expect(throws: SwiftDataError.valueNotStorable) { try context.save() }
        context.delete(wet)
        try context.save()
      }
    }
    let expected = (0..<10).flatMap { ["again \($0)", "kept \($0)"] }.sorted()
    #expect(try store.storedTitles() == expected)
    #expect(try store.context().fetchCount(FetchDescriptor<Note>()) == 0)
    #expect(!context.hasChanges)
  }

  @Test(
    "saves, nested transactions and failures of both in any order keep memory and store consistent",
    arguments: Engine.allCases)
  func mixed(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("first")
    let first = try context.book("first")
    try context.transaction {
      first.pages = 1
      try context.save()
      try context.transaction {
        context.insert(Book("a"))
        try context.save()
        #expect(throws: Failure.self) {
          try context.transaction {
            first.pages = 2
            context.insert(Book("undone"))
            try context.save()
            try context.transaction { first.pages = 3 }
            throw Failure()
          }
        }
        #expect(first.pages == 1)
        context.insert(Book("b"))
      }
      try? context.transaction {
        first.pages = 4
        try context.save()
        throw Failure()
      }
      try context.transaction { context.insert(Book("c")) }
    }
    #expect(first.pages == 1)
    #expect(try store.storedTitles() == ["a", "b", "c", "first"])
    #expect(try store.context().book("first").pages == 1)
  }

  @Test(
    "the outer transaction undoes changes of a nested one, regardless of which transaction changed the objects first",
    arguments: Engine.allCases)
  func undoneWithOuter(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("a", "b")
    let (a, b) = (try context.book("a"), try context.book("b"))
    #expect(throws: Failure.self) {
      try context.transaction {
        a.pages = 1
        try context.transaction {
          a.pages = 2
          b.pages = 2
          try context.transaction {
            a.pages = 3
            b.pages = 3
          }
        }
        // So far only the nested transactions have changed b; now the outer transaction changes it too.
        b.pages = 4
        try context.save()
        throw Failure()
      }
    }
    #expect((a.pages, b.pages) == (100, 100))
    #expect(!context.hasChanges)
    a.pages = 5
    b.pages = 6
    try context.save()
    #expect(try store.context().book("a").pages == 5)
    #expect(try store.context().book("b").pages == 6)
  }

  @Test("of several successive nested transactions, only those that throw are undone", arguments: Engine.allCases)
  func inTurn(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("a")
    let book = try context.book("a")
    try context.transaction {
      for pages in 1...6 {
        try? context.transaction {
          book.pages = pages
          try context.save()
          if pages.isMultiple(of: 2) { throw Failure() }
        }
        #expect(book.pages == (pages - 1) / 2 * 2 + 1)
      }
    }
    #expect(try store.context().book("a").pages == 5)
  }

  @Test(
    "a model that a transaction deletes, saves and inserts again belongs to its old row after the rollback",
    arguments: Engine.allCases,
    [true, false])
  func insertedAgain(_ engine: Engine, isSaved: Bool) throws {
    let store = try TestStore(engine)
    let context = try store.save("a")
    let book = try context.book("a")
    let identifier = book.persistentModelID
    #expect(throws: Failure.self) {
      try context.transaction {
        context.delete(book)
        try context.save()
        context.insert(book)
        book.pages = 1
        if isSaved { try context.save() }
        throw Failure()
      }
    }
    #expect(book.modelContext === context && !book.isDeleted && book.pages == 100)
    #expect(book.persistentModelID == identifier)
    #expect(try context.book("a") === book)
    book.pages = 7
    try context.save()
    #expect(try store.context().book("a").pages == 7)
    #expect(try store.storedTitles() == ["a"])
  }
}
