import SwiftData
import Testing

@Suite("Store identifiers and names of configurations")
struct StoreIdentifierTests {
  @Test("A container returns the store identifier of a configuration, and the configuration of a store identifier")
  func both() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let configurations = [
      ModelConfiguration("books", schema: Schema([Book.self]), url: folder.appending(path: "books.store")),
      ModelConfiguration("notes", schema: Schema([Note.self]), url: folder.appending(path: "notes.store")),
    ]
    let container = try ModelContainer(for: Schema([Book.self, Note.self]), configurations: configurations)
    let context = ModelContext(container)
    let (book, note) = (Book("Emma"), Note(1, ink: .dry("blue")))
    context.insert(book)
    context.insert(note)
    try context.save()
    let stores = try [book.persistentModelID, note.persistentModelID].map { try #require($0.storeIdentifier) }
    #expect(container.storeIdentifier(forConfigurationNamed: "books") == stores[0])
    #expect(container.storeIdentifier(forConfigurationNamed: "notes") == stores[1])
    #expect(stores.map(container.configurationName(forStoreIdentifier:)) == ["books", "notes"])
    #expect(stores[0] != stores[1])
    #expect(container.storeIdentifier(forConfigurationNamed: "letters") == nil)
    #expect(container.configurationName(forStoreIdentifier: "books") == nil)
    // Changing the container's list of configurations does not affect its open stores.
    container.configurations = []
    #expect(container.configurationName(forStoreIdentifier: stores[1]) == "notes")
  }

  @Test("A configuration without a name has the default name", arguments: Engine.allCases)
  func unnamed(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let name = store.configuration.name
    let identifier = try #require(store.container.storeIdentifier(forConfigurationNamed: name))
    #expect(store.container.configurationName(forStoreIdentifier: identifier) == name)
    let context = store.context()
    let book = Book("Emma")
    context.insert(book)
    try context.save()
    #expect(book.persistentModelID.storeIdentifier == identifier)
  }
}

@Suite("The debug description of a context")
struct ContextDescriptionTests {
  @Test("the description contains stores, pending changes, autosave and author, and reading it reads no rows")
  func description() throws {
    let store = try TestStore(.file)
    try store.save("Emma")
    let context = store.context()
    let book = try context.book("Emma")
    #expect(context.debugDescription.hasPrefix("ModelContext of "))
    #expect(context.debugDescription.contains("test.store: 0 inserted, 0 changed, 0 deleted, autosave off"))
    book.pages += 1
    context.insert(Book("Ulysses"))
    context.autosaveEnabled = true
    context.author = "import"
    #expect(context.debugDescription.contains("1 inserted, 1 changed, 0 deleted, autosave on, author import"))
    context.autosaveEnabled = false
    #expect(context.hasChanges)
  }

  @Test("the description identifies the main context")
  @MainActor func main() throws {
    let store = try TestStore(.memory)
    #expect(store.container.mainContext.debugDescription.hasPrefix("main ModelContext of "))
  }
}
