import SwiftData
import Testing

@Suite("Containers", .serialized)
struct ContainerTests {
  @Test("containers in memory share no data", arguments: [nil, "shared"])
  func privateMemory(_ name: String?) throws {
    func make() throws -> ModelContainer {
      try ModelContainer(
        for: Schema(libraryModels), configurations: ModelConfiguration(name, isStoredInMemoryOnly: true))
    }
    let first = try make()
    let second = try make()
    let context = ModelContext(first)
    context.insert(Book("Emma"))
    try context.save()
    #expect(try ModelContext(first).titles() == ["Emma"])
    #expect(try ModelContext(second).titles() == [])
    #expect(first != second)
  }

  @Test("a container in memory creates no file")
  func noFile() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Book("Emma"))
    try context.save()
    #expect(configuration.isStoredInMemoryOnly)
    #expect(!FileManager.default.fileExists(atPath: configuration.url.path) || configuration.url.path == "/dev/null")
  }

  @Test("two containers of one file share saved models")
  func sharedFile() throws {
    let store = try TestStore(.file)
    let other = try ModelContainer(for: store.schema, configurations: [store.configuration])
    try store.save("Emma")
    #expect(try ModelContext(other).titles() == ["Emma"])
    let context = ModelContext(other)
    context.insert(Book("Ulysses"))
    try context.save()
    #expect(try store.storedTitles() == ["Emma", "Ulysses"])
  }

  @Test("every initialiser opens a store")
  func initialisers() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    func file(_ name: String) -> URL { folder.appending(path: name) }
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    let schema = Schema([Book.self, Loan.self])
    let containers = [
      try ModelContainer(for: Book.self, Loan.self, configurations: memory),
      try ModelContainer(for: schema, configurations: memory),
      try ModelContainer(for: schema, configurations: [memory]),
      try ModelContainer(for: schema, migrationPlan: nil, configurations: memory),
      try ModelContainer(for: schema, migrationPlan: nil, configurations: [memory]),
      try ModelContainer(
        for: Loan.self, configurations: ModelConfiguration(for: Loan.self, isStoredInMemoryOnly: true)),
      try ModelContainer(for: Loan.self, configurations: ModelConfiguration(url: file("a.store"))),
      try ModelContainer(for: schema, configurations: ModelConfiguration("b", schema: schema, url: file("b.store"))),
      try ModelContainer(
        for: schema,
        configurations: ModelConfiguration("c", schema: schema, isStoredInMemoryOnly: true, cloudKitDatabase: .none)),
    ]
    for container in containers {
      let context = ModelContext(container)
      context.insert(Loan(reader: "Ada", book: Book("Emma")))
      try context.save()
      #expect(try ModelContext(container).titles() == ["Emma"])
      #expect(container.configurations.count == 1)
      #expect(container.schema.entities.map(\.name).sorted() == ["Book", "Loan"])
    }
  }

  @Test("each store of a container holds only the models of its configuration")
  func partition() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let books = ModelConfiguration("books", schema: Schema([Book.self]), url: folder.appending(path: "books.store"))
    let notes = ModelConfiguration("notes", schema: Schema([Note.self]), url: folder.appending(path: "notes.store"))
    func fill() throws {
      let container = try ModelContainer(for: Schema([Book.self, Note.self]), configurations: [books, notes])
      let context = ModelContext(container)
      context.insert(Book("Emma"))
      context.insert(Note(1, ink: .dry("x")))
      try context.save()
      #expect(try ModelContext(container).titles() == ["Emma"])
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    }
    try fill()
    let container = try ModelContainer(for: Schema([Book.self]), configurations: [books])
    #expect(try ModelContext(container).titles() == ["Emma"])
  }

  @Test("erasing removes every row, and objects keep their last values", arguments: Engine.allCases)
  func erase(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma", "Ulysses")
    let book = try context.book("Emma")
    context.insert(Loan(reader: "Ada", book: book))
    try context.save()
    try store.container.erase()
    #expect(try store.storedTitles() == [])
    #expect(try store.context().fetchCount(FetchDescriptor<Loan>()) == 0)
    #expect(book.title == "Emma")
    #expect(try context.titles() == [])
  }

  @Test("a container stays usable after it is erased", arguments: Engine.allCases)
  func afterErase(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let before = try store.save("Emma")
    try store.container.erase()
    try store.save("Ulysses")
    #expect(try store.storedTitles() == ["Ulysses"])
    before.insert(Book("Persuasion"))
    try before.save()
    try store.reopen()
    #expect(try store.storedTitles() == ["Persuasion", "Ulysses"])
    store.container.deleteAllData()
    #expect(try store.storedTitles() == [])
  }

  @Test(
    "a row saved after erasing gets a new object, not the object of an erased row", arguments: Engine.allCases)
  func identityAfterErase(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = try store.save("Emma")
    let old = try context.book("Emma")
    try store.container.erase()
    try store.save("Ulysses")
    #expect(try context.titles() == ["Ulysses"])
    #expect(old.title == "Emma")
    #expect(try context.book("Ulysses") !== old)
  }

  @Test("mainContext always returns the same context, and its container is the container", arguments: Engine.allCases)
  @MainActor
  func mainContext(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let container = store.container
    #expect(container.mainContext === container.mainContext)
    #expect(container.mainContext == container.mainContext)
    #expect(container.mainContext.container == container)
    let other = store.context()
    #expect(other != container.mainContext)
    #expect(other.container == container)
    container.mainContext.insert(Book("Emma"))
    try container.mainContext.save()
    #expect(try other.titles() == ["Emma"])
  }

  @Test("a container is equal only to itself", arguments: Engine.allCases)
  func equality(_ engine: Engine) throws {
    let first = try TestStore(engine)
    let second = try TestStore(engine)
    #expect(first.container == first.container)
    #expect(first.container != second.container)
  }
}
