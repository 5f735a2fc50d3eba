import ConformanceSupport
import PersistenceCore
import SwiftData
import Testing

/// A custom store that stores its models in a `DefaultStore`, to which it forwards every call.
private struct WrappingConfiguration: DataStoreConfiguration {
  typealias Store = WrappingStore
  var name = "wrapping"
  var schema: Schema?
  var url: URL
}

private final class WrappingStore: DataStore, HistoryProviding {
  typealias Configuration = WrappingConfiguration
  typealias Snapshot = DefaultSnapshot
  let configuration: WrappingConfiguration
  let inner: DefaultStore
  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  init(_ configuration: WrappingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    var own = ModelConfiguration(schema: configuration.schema, url: configuration.url)
    own.history = .standard
    inner = try DefaultStore(own, migrationPlan: migrationPlan)
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> { try inner.fetch(request) }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try inner.fetchCount(request)
  }

  func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] { try inner.fetchIdentifiers(request) }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { try inner.save(request) }

  func erase() throws { try inner.erase() }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try inner.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
  }

  static var historyType: DefaultHistoryTransaction.Type { DefaultStore.historyType }
  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try inner.fetchHistory(descriptor) }
  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try inner.deleteHistory(descriptor)
  }
}

@Suite("DefaultStore")
struct DefaultStoreTests {
  private func store(_ models: [any PersistentModel.Type] = libraryModels) throws -> DefaultStore {
    var configuration = ModelConfiguration(schema: Schema(models), isStoredInMemoryOnly: true)
    configuration.history = .standard
    return try DefaultStore(configuration)
  }

  private func snapshot(_ model: any PersistentModel) -> DefaultSnapshot {
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshot<T: PersistentModel>(_ model: T) -> DefaultSnapshot {
      DefaultSnapshot(from: model.persistentBackingData, relatedBackingDatas: &related)
    }
    return snapshot(model)
  }

  private func request(
    inserted: [DefaultSnapshot] = [], updated: [DefaultSnapshot] = [], deleted: [DefaultSnapshot] = []
  ) -> DataStoreSaveChangesRequest<DefaultSnapshot> {
    DataStoreSaveChangesRequest(inserted: inserted, updated: updated, deleted: deleted, editingState: EditingState())
  }

  private func fetch<T: PersistentModel>(_ type: T.Type) -> DataStoreFetchRequest<T> {
    DataStoreFetchRequest(descriptor: FetchDescriptor<T>(), editingState: EditingState())
  }

  @Test("a program can create, read and change a DefaultStore without a container")
  func direct() throws {
    let store = try store()
    let author = Author("Jane Austen")
    author.books = [Book("Emma"), Book("Persuasion")]
    let models: [any PersistentModel] = [author] + author.books
    let result = try store.save(request(inserted: models.map(snapshot)))
    #expect(result.remappedIdentifiers.count == 3 && result.storeIdentifier == store.identifier)
    #expect(result.historyToken is DefaultHistoryToken)
    let books = try store.fetch(fetch(Book.self)).fetchedSnapshots
    #expect(Set(books.compactMap { $0.value("title", as: String.self) }) == ["Emma", "Persuasion"])
    let stored = try #require(try store.fetch(fetch(Author.self)).fetchedSnapshots.first)
    #expect(stored.persistentIdentifier == result.remappedIdentifiers[author.persistentModelID])
    #expect(
      books.allSatisfy { $0.reference("author") == stored.persistentIdentifier } && stored.list("books")?.count == 2)
    #expect(try store.fetchCount(fetch(Book.self)) == 2)
    #expect(try store.fetchIdentifiers(fetch(Book.self)).count == 2)
    let cached = try store.cachedSnapshots(for: [stored.persistentIdentifier], editingState: EditingState())
    #expect(cached[stored.persistentIdentifier]?.value("name", as: String.self) == "Jane Austen")

    _ = try store.save(request(updated: [books[0].with("title", .value("Emma!"))], deleted: [books[1]]))
    #expect(try store.fetch(fetch(Book.self)).fetchedSnapshots.map { $0.value("title", as: String.self) } == ["Emma!"])
    #expect(try store.fetchHistory(HistoryDescriptor()).count == 2)
    try store.deleteHistory(HistoryDescriptor())
    try store.delete(
      DataStoreBatchDeleteRequest<Book>(editingState: EditingState(), predicate: nil, includeSubclasses: true))
    #expect(try store.fetchCount(fetch(Book.self)) == 0)
    try store.erase()
    #expect(try store.fetchCount(fetch(Author.self)) == 0)
    #expect(throws: SwiftDataError.modelNotFound) { try store.save(request(updated: [stored])) }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  @Test("a DefaultStore stores the bytes of a value transformer, and converts the bytes back to the value")
  func transformed() throws {
    let store = try store([SealedLetter.self])
    let letters = [SealedLetter("a", seal: WaxSeal(7)), SealedLetter("b", seal: nil)]
    _ = try store.save(request(inserted: letters.map(snapshot)))
    func seals() throws -> [String: Data] {
      try store.fetch(fetch(SealedLetter.self)).fetchedSnapshots.reduce(into: [:]) { seals, snapshot in
        seals[snapshot.value("title", as: String.self) ?? ""] = snapshot.value("seal", as: Data.self)
      }
    }
    #expect(try seals() == ["a": Data([7])])
    let stored = try store.fetch(fetch(SealedLetter.self)).fetchedSnapshots.sorted {
      $0.value("title", as: String.self) ?? "" < $1.value("title", as: String.self) ?? ""
    }
    let updated = [stored[0].with("seal", .null), stored[1].with("seal", .value(Data([9])))]
    _ = try store.save(request(updated: updated))
    #expect(try seals() == ["b": Data([9])])
    #expect(throws: SwiftDataError.corruptValue) {
      try store.save(request(updated: [stored[0].with("seal", .value(Data([0])))]))
    }
    #expect(throws: SwiftDataError.valueNotStorable) {
      try store.save(request(updated: [stored[0].with("seal", .value("no bytes"))]))
    }
    #expect(try seals() == ["b": Data([9])])
  }

  /// The history tokens in the notification of a save.
  private func tokens(of context: ModelContext, _ save: () throws -> Void) throws -> [String: any HistoryToken] {
    let found = Flagged()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      found.tokens = notification.userInfo?[key] as? [String: any HistoryToken] ?? [:]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try save()
    return found.tokens
  }

  /// Sendable without checks: the notification is posted on the thread that saves.
  private final class Flagged: @unchecked Sendable {
    var tokens: [String: any HistoryToken] = [:]
  }

  @Test("a custom store that forwards every call to a DefaultStore reads and writes the same models")
  func wrapped() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "inner.store")
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Schema(libraryModels), configurations: [WrappingConfiguration(url: url)] as [any DataStoreConfiguration])
    }
    var container: ModelContainer? = try open()
    do {
      let context = ModelContext(try #require(container))
      context.author = "me"
      let author = Author("Jane Austen")
      context.insert(author)
      author.books = ["Emma", "Persuasion", "Lady Susan"].map { Book($0) }
      let token = try tokens(of: context) { try context.save() }[try #require(author.persistentModelID.storeIdentifier)]
      #expect(token is DefaultHistoryToken)
      author.books[0].title = "Emma!"
      context.delete(author.books[1])
      author.books[0].tags = [Tag("classic")]
      try context.save()
      #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.author) == ["me", "me"])
    }
    container = nil
    let context = ModelContext(try open())
    let author = try #require(try context.fetch(FetchDescriptor<Author>()).first)
    #expect(author.books.map(\.title) == ["Emma!", "Lady Susan"] && author.books[0].tags.map(\.word) == ["classic"])
    let long = FetchDescriptor<Book>(
      predicate: #Predicate { $0.author?.name == "Jane Austen" }, sortBy: [SortDescriptor(\.title, order: .reverse)])
    #expect(try context.fetch(long).map(\.title) == ["Lady Susan", "Emma!"])
    // A container can open the same file directly, because it has the library's format.
    let inner = try ModelContainer(for: Schema(libraryModels), configurations: ModelConfiguration(url: url))
    #expect(try ModelContext(inner).fetchCount(FetchDescriptor<Book>()) == 2)
  }
}
