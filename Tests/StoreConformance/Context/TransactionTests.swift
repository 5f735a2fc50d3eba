import SwiftData
import Testing

@Suite("Transactions", .serialized)
struct TransactionTests {
  @Test("when the block returns, its changes are saved", arguments: Engine.allCases)
  func saved(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    try context.transaction { context.insert(Book("Emma")) }
    #expect(!context.hasChanges)
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a block that throws leaves neither memory nor store changed", arguments: Engine.allCases)
  func thrown(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted")
    let edited = try context.book("edited")
    let deleted = try context.book("deleted")
    #expect(throws: Failure.self) {
      try context.transaction {
        edited.pages = 7
        context.delete(deleted)
        context.insert(Book("inserted"))
        throw Failure()
      }
    }
    #expect(edited.pages == 100)
    #expect(!deleted.isDeleted)
    #expect(!context.hasChanges)
    #expect(try context.titles() == ["deleted", "edited"])
    #expect(try store.storedTitles() == ["deleted", "edited"])
  }

  @Test("a block that saves and then throws leaves neither memory nor store changed", arguments: Engine.allCases)
  func thrownAfterSave(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted")
    let edited = try context.book("edited")
    let deleted = try context.book("deleted")
    #expect(throws: Failure.self) {
      try context.transaction {
        edited.pages = 7
        context.delete(deleted)
        context.insert(Book("inserted"))
        try context.save()
        edited.pages = 8
        throw Failure()
      }
    }
    #expect(try store.storedTitles() == ["deleted", "edited"])
    #expect(try store.context().book("edited").pages == 100)
    #expect(edited.pages == 100)
    #expect(!deleted.isDeleted)
    #expect(!context.hasChanges)
    #expect(try context.titles() == ["deleted", "edited"])
  }

  @Test("changes made before a block that throws stay pending", arguments: Engine.allCases)
  func before(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted")
    let edited = try context.book("edited")
    edited.pages = 7
    context.delete(try context.book("deleted"))
    let inserted = Book("inserted")
    context.insert(inserted)
    #expect(throws: Failure.self) {
      try context.transaction {
        edited.pages = 8
        inserted.pages = 9
        context.insert(Book("undone"))
        throw Failure()
      }
    }
    #expect(edited.pages == 7)
    #expect(inserted.pages == 100)
    #expect(context.insertedTitles == ["inserted"])
    #expect(context.changedTitles == ["edited"])
    #expect(context.deletedTitles == ["deleted"])
    try context.save()
    #expect(try store.storedTitles() == ["edited", "inserted"])
    #expect(try store.context().book("edited").pages == 7)
  }

  @Test("changes made before a block that saves and throws stay pending", arguments: Engine.allCases)
  func beforeSave(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("edited", "deleted")
    let edited = try context.book("edited")
    edited.pages = 7
    context.delete(try context.book("deleted"))
    context.insert(Book("inserted"))
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.save()
        throw Failure()
      }
    }
    #expect(try store.storedTitles() == ["deleted", "edited"])
    #expect(try store.context().book("edited").pages == 100)
    #expect(context.insertedTitles == ["inserted"])
    #expect(context.changedTitles == ["edited"])
    #expect(context.deletedTitles == ["deleted"])
    try context.save()
    #expect(try store.storedTitles() == ["edited", "inserted"])
    #expect(try store.context().book("edited").pages == 7)
  }

  @Test("a block that was rolled back after its save can be repeated with the same models", arguments: Engine.allCases)
  func again(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let book = Book("Emma")
    #expect(throws: Failure.self) {
      try context.transaction {
        context.insert(book)
        try context.save()
        throw Failure()
      }
    }
    #expect(try store.storedTitles() == [])
    try context.transaction { context.insert(book) }
    #expect(try store.storedTitles() == ["Emma"])
  }

  // This test uses a file. A store in memory has a single connection, so other contexts that read on the transaction's
  // thread would read uncommitted rows.
  @Test("other contexts see a save inside a block only after the block returned")
  func isolation() throws {
    let store = try TestStore(.file)
    let context = store.context()
    try context.transaction {
      context.insert(Book("Emma"))
      try context.save()
      #expect(try context.titles() == ["Emma"])
      let seen = try store.storedTitles()
      #expect(seen == [])
    }
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("if a nested block throws, only that block is rolled back", arguments: Engine.allCases)
  func nested(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    try context.transaction {
      context.insert(Book("outer"))
      try? context.transaction {
        context.insert(Book("inner"))
        throw Failure()
      }
      context.insert(Book("last"))
    }
    let stored = try store.storedTitles()
    #expect(stored == ["last", "outer"])
  }

  @Test("if an outer block throws, its nested block is rolled back too", arguments: Engine.allCases)
  func nestedInFailure(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    #expect(throws: Failure.self) {
      try context.transaction {
        try context.transaction { context.insert(Book("inner")) }
        throw Failure()
      }
    }
    #expect(try store.storedTitles() == [])
    #expect(try context.titles() == [])
  }

  @Test("if the save at the end of a block fails, all changes of the block are rolled back", arguments: Engine.allCases)
  func failingSave(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    #expect(throws: SwiftDataError.valueNotStorable) {
      try context.transaction {
        context.insert(Book("Emma"))
        context.insert(Note(1, ink: .wet))
      }
    }
    #expect(try store.storedTitles() == [])
    #expect(!context.hasChanges)
    #expect(try context.titles() == [])
  }
}
