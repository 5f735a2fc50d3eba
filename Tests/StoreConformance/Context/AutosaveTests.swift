import SwiftData
import Testing

@Suite("Autosave", .serialized)
@MainActor
struct AutosaveTests {
  /// Longer than the delay that is documented, for a busy machine.
  private func wait(until condition: () throws -> Bool) async throws -> Bool {
    for _ in 0..<200 {
      if try condition() { return true }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  @Test("is on in the main context and off in others", arguments: Engine.allCases)
  func defaults(_ engine: Engine) throws {
    let store = try TestStore(engine)
    #expect(store.container.mainContext.autosaveEnabled)
    #expect(!store.context().autosaveEnabled)
  }

  @Test("saves the main context a while after a change", arguments: Engine.allCases)
  func mainContext(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.container.mainContext
    context.insert(Book("Emma"))
    #expect(context.hasChanges)
    #expect(try await wait { try store.storedTitles() == ["Emma"] })
    #expect(!context.hasChanges)
  }

  @Test("saves edits and deletes too", arguments: Engine.allCases)
  func editsAndDeletes(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    try store.save("edited", "deleted")
    let context = store.container.mainContext
    let edited = try context.book("edited")
    edited.title = "new"
    #expect(try await wait { try store.storedTitles() == ["deleted", "new"] })
    context.delete(try context.book("deleted"))
    #expect(try await wait { try store.storedTitles() == ["new"] })
  }

  @Test("does not save in the middle of the code that changes", arguments: Engine.allCases)
  func delay(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.container.mainContext
    context.insert(Book("Emma"))
    #expect(try store.storedTitles() == [])
    context.rollback()
  }

  @Test("does not happen when it is off", arguments: Engine.allCases)
  func off(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let main = store.container.mainContext
    main.autosaveEnabled = false
    main.insert(Book("Emma"))
    let manual = store.context()
    manual.insert(Book("Ulysses"))
    try await Task.sleep(for: .seconds(1.5))
    #expect(try store.storedTitles() == [])
    #expect(main.hasChanges)
    #expect(manual.hasChanges)
  }

  @Test("saves what was pending when it is turned on", arguments: Engine.allCases)
  func turnedOn(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let main = store.container.mainContext
    main.autosaveEnabled = false
    main.insert(Book("Emma"))
    main.autosaveEnabled = true
    #expect(try await wait { try store.storedTitles() == ["Emma"] })
  }

  @Test("that fails keeps the changes pending", arguments: Engine.allCases)
  func failure(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.container.mainContext
    let note = Note(1, ink: .wet)
    context.insert(note)
    context.insert(Book("Emma"))
    try await Task.sleep(for: .seconds(1.5))
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 2)
    #expect(note.ink == .wet)
    #expect(try store.storedTitles() == [])
    context.rollback()
  }

  @Test("that failed is tried again when its cause is mended", arguments: Engine.allCases)
  func secondAttempt(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.container.mainContext
    let note = Note(1, ink: .wet)
    context.insert(note)
    context.insert(Book("Emma"))
    try await Task.sleep(for: .seconds(1.5))
    note.ink = .dry("now")
    #expect(try await wait { try store.storedTitles() == ["Emma"] })
  }

  @Test("that failed is tried again with the next insert", arguments: Engine.allCases)
  func nextInsert(_ engine: Engine) async throws {
    let store = try TestStore(engine)
    let context = store.container.mainContext
    let note = Note(1, ink: .wet)
    context.insert(note)
    try await Task.sleep(for: .seconds(1.5))
    note.ink = .dry("now")
    context.insert(Book("Emma"))
    #expect(try await wait { try store.storedTitles() == ["Emma"] })
  }

  @Test("saves what is pending when the context goes", arguments: Engine.allCases)
  func contextGoes(_ engine: Engine) throws {
    let store = try TestStore(engine)
    do {
      let context = store.context()
      context.autosaveEnabled = true
      context.insert(Book("Emma"))
    }
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("saves what is pending in the main context when the container closes")
  func containerCloses() throws {
    let store = try TestStore(.file)
    store.container.mainContext.insert(Book("Emma"))
    try store.reopen()
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("a context without it drops what is pending when it goes", arguments: Engine.allCases)
  func manualContextGoes(_ engine: Engine) throws {
    let store = try TestStore(engine)
    do {
      let context = store.context()
      context.insert(Book("Emma"))
    }
    #expect(try store.storedTitles() == [])
  }
}
