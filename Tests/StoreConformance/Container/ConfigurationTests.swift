import SwiftData
import Testing

@Suite("Configurations", .serialized)
struct ConfigurationTests {
  @Test("a read-only store opens and reads; saving and erasing it throw")
  func readOnly() throws {
    let store = try TestStore(.file)
    try store.save("Emma")
    let url = try #require(store.container.configurations.first).url
    let container = try ModelContainer(
      for: store.schema, configurations: ModelConfiguration(schema: store.schema, url: url, allowsSave: false))
    let context = ModelContext(container)
    #expect(try context.titles() == ["Emma"])
    try context.book("Emma").pages = 7
    context.insert(Book("Ulysses"))
    #expect(throws: SwiftDataError.storeReadOnly) { try context.save() }
    #expect(context.hasChanges)
    #expect(context.insertedTitles == ["Ulysses"])
    #expect(try store.storedTitles() == ["Emma"])
    #expect(try store.context().book("Emma").pages == 100)
    #expect(throws: SwiftDataError.storeReadOnly) { try container.erase() }
    #expect(try store.storedTitles() == ["Emma"])
  }

  @Test("opening a missing read-only store throws, and no file is created")
  func readOnlyMissing() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "missing.store")
    #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url, allowsSave: false))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test("a name that is too long is an error")
  func longName() {
    let configuration = ModelConfiguration(String(repeating: "n", count: 300))
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelContainer(for: Book.self, configurations: configuration)
    }
  }

  @Test("a name that is not a valid file name is an error", arguments: ["a/b", "../up", "nul\0byte", "/"])
  func badName(_ name: String) {
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(name))
    }
  }

  @Test("two configurations of one file are an error")
  func duplicateFile() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "one.store")
    let books = ModelConfiguration("books", schema: Schema([Book.self]), url: url)
    let notes = ModelConfiguration("notes", schema: Schema([Note.self]), url: url)
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Schema([Book.self, Note.self]), configurations: [books, notes])
    }
  }

  @Test("one model in two configurations is an error")
  func duplicateModel() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let schema = Schema([Book.self])
    let one = ModelConfiguration("one", schema: schema, url: folder.appending(path: "one.store"))
    let two = ModelConfiguration("two", schema: schema, url: folder.appending(path: "two.store"))
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: schema, configurations: [one, two])
    }
  }

  @Test("a configuration with a model that is not in the container's schema throws an error that names the model")
  func missingModel() throws {
    let configuration = ModelConfiguration(schema: Schema([UnlistedModel.self]), isStoredInMemoryOnly: true)
    let error = #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Book.self, configurations: configuration)
    }
    #expect("\(try #require(error))".contains("UnlistedModel"))
  }

  @Test("a model without a configuration throws an error that names the model")
  func homelessModel() throws {
    let configuration = ModelConfiguration(schema: Schema([Book.self]), isStoredInMemoryOnly: true)
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Book.self, Note.self]), configurations: [configuration])
    }
    #expect("\(try #require(error))".contains("Note"))
  }

  @Test("opening a file that is not a database throws, and the file is not changed")
  func noStore() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "letter.store")
    let letter = Data(String(repeating: "Dear Ada, ", count: 1000).utf8)
    try letter.write(to: url)
    #expect(throws: SwiftDataError.storeNotADatabase) {
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url))
    }
    #expect(try Data(contentsOf: url) == letter)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["letter.store"])
  }

  @Test("configurations with the same content are equal")
  func equality() {
    let url = URL(filePath: "/tmp/x.store")
    #expect(ModelConfiguration(url: url) == ModelConfiguration(url: url))
    #expect(ModelConfiguration(url: url) != ModelConfiguration(url: url, allowsSave: false))
    #expect(ModelConfiguration(url: url).id == url)
    #expect(ModelConfiguration("n", url: url).name == "n")
  }
}
