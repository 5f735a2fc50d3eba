import PersistenceCore
import SwiftData
import Testing

/// A custom snapshot type, which has only the values of a book. It reads identifiers with the library's snapshot.
struct BookSnapshot: DataStoreSnapshot {
  let persistentIdentifier: PersistentIdentifier
  var title: String
  var pages: Int
  var author: PersistentIdentifier?
  var tags: [PersistentIdentifier]

  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    let all = DefaultSnapshot(from: backingData, relatedBackingDatas: &relatedBackingDatas)
    persistentIdentifier = all.persistentIdentifier
    let data = backingData as? any BackingData<Book>
    title = data?.getValue(forKey: \Book.title) ?? ""
    pages = data?.getValue(forKey: \Book.pages) ?? 0
    author = all.reference("author")
    tags = all.list("tags") ?? []
  }

  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> BookSnapshot {
    var copy = self
    copy.author = author.map { remappedIdentifiers?[$0] ?? $0 }
    return BookSnapshot(copy, persistentIdentifier)
  }

  private init(_ other: BookSnapshot, _ identifier: PersistentIdentifier) {
    (persistentIdentifier, title, pages, author, tags) = (
      identifier, other.title, other.pages, other.author, other.tags
    )
  }
}

struct BookConfiguration: DataStoreConfiguration {
  typealias Store = BookStore
  var name = "books"
  var schema: Schema?
}

final class BookStore: DataStore {
  typealias Configuration = BookConfiguration
  typealias Snapshot = BookSnapshot
  let identifier = "books"
  let schema: Schema
  let configuration: BookConfiguration
  private var rows: [BookSnapshot] = []

  init(_ configuration: BookConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, BookSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: T.self == Book.self ? rows : [])
  }

  func save(
    _ request: DataStoreSaveChangesRequest<BookSnapshot>
  ) throws -> DataStoreSaveChangesResult<BookSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let identifier = try PersistentIdentifier.identifier(
        for: identifier, entityName: "Book", primaryKey: rows.count + 1)
      remapped[snapshot.persistentIdentifier] = identifier
      rows.append(snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped))
    }
    for snapshot in request.updated {
      if let index = rows.firstIndex(where: { $0.persistentIdentifier == snapshot.persistentIdentifier }) {
        rows[index] = snapshot
      }
    }
    let gone = Set(request.deleted.map(\.persistentIdentifier))
    rows.removeAll { gone.contains($0.persistentIdentifier) }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

enum OnlyVersion: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { libraryModels }
}

enum OnlyPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [OnlyVersion.self] }
  static var stages: [MigrationStage] { [] }
}

@Suite("Containers with custom stores")
struct ContainerTests {
  @Test("a container passes the schema and the migration plan to its store")
  func opening() throws {
    let script = StoreScript()
    let container = try ModelContainer(
      for: Schema(versionedSchema: OnlyVersion.self), migrationPlan: OnlyPlan.self,
      configurations: [MemoryConfiguration(script)] as [any DataStoreConfiguration])
    #expect(script.with { Set($0.schema?.entities.map(\.name) ?? []) } == ["Author", "Book", "Tag"])
    #expect(script.with { $0.migrationPlan == OnlyPlan.self })
    #expect(container.storeIdentifier(forConfigurationNamed: "memory") == "store-memory")
    #expect(container.configurations.isEmpty)
  }

  @Test("a container can have stores of several kinds, each with its own entities")
  func kinds() throws {
    let (one, two) = (StoreScript(), StoreScript())
    let container = try ModelContainer(
      for: Schema(libraryModels + [Member.self, Everything.self]),
      configurations: [
        MemoryConfiguration(one, name: "library", schema: Schema(libraryModels)),
        MemoryConfiguration(two, name: "members", schema: Schema([Member.self])),
        ModelConfiguration("rest", isStoredInMemoryOnly: true),
      ] as [any DataStoreConfiguration])
    let context = ModelContext(container)
    context.insert(Author("Jane Austen"))
    context.insert(Member(1, "one"))
    context.insert(Everything())
    try context.save()
    #expect(one.rows(of: "Author").count == 1 && two.rows(of: "Member").count == 1 && one.saves.count == 1)
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Everything>()) == 1)
    #expect(try other.fetch(FetchDescriptor<Member>()).first?.persistentModelID.storeIdentifier == "store-members")
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema(libraryModels + [Member.self]),
        configurations: [
          MemoryConfiguration(one, name: "same", schema: Schema(libraryModels)),
          MemoryConfiguration(two, name: "same", schema: Schema([Member.self])),
        ] as [any DataStoreConfiguration])
    }
  }

  @Test("a container notifies the store of each context, when the context first uses it and when it is released")
  func editingStates() throws {
    let lab = try StoreLab()
    var context: ModelContext? = lab.context()
    #expect(lab.script.calls.isEmpty)
    let identity = try #require(context?.editingState.id)
    _ = try context?.fetch(FetchDescriptor<Book>())
    _ = try context?.fetch(FetchDescriptor<Author>())
    #expect(lab.script.calls == ["initialize", "fetch Book", "fetch Author"])
    context = nil
    #expect(lab.script.calls.last == "invalidate" && lab.script.with(\.states) == [identity, identity])
  }

  @Test("erasing a container erases its store")
  func erasing() throws {
    let lab = try StoreLab()
    try lab.fill()
    let context = lab.context()
    let book = try #require(try context.fetch(FetchDescriptor<Book>()).first)
    try lab.container.erase()
    #expect(lab.script.with(\.rows).isEmpty)
    #expect(try context.fetch(FetchDescriptor<Book>()).isEmpty && book.isDeleted)
  }

  @Test("a context fetches the history of a store that has its own history format")
  func history() throws {
    let lab = try StoreLab { $0.history = [OwnTransaction(id: 1, author: "a"), OwnTransaction(id: 2, author: "b")] }
    let context = lab.context()
    #expect(try context.fetchHistory(HistoryDescriptor<OwnTransaction>()).map(\.id) == [1, 2])
    let own = HistoryDescriptor<OwnTransaction>(predicate: #Predicate { $0.author == "b" })
    #expect(try context.fetchHistory(own).map(\.id) == [2])
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    try context.deleteHistory(HistoryDescriptor<OwnTransaction>())
    #expect(try context.fetchHistory(HistoryDescriptor<OwnTransaction>()).isEmpty)
  }

  @Test("the error for a wrong history format names the store's format, and no remedy for another kind of store")
  func missingHistory() throws {
    typealias Default = HistoryDescriptor<DefaultHistoryTransaction>
    func text(_ body: () throws -> Void) -> String {
      let error = #expect(throws: SwiftDataError.invalidTransactionFetchRequest) { try body() }
      return error?.explanation ?? ""
    }
    let context = try StoreLab().context()
    for text in [text { _ = try context.fetchHistory(Default()) }, text { try context.deleteHistory(Default()) }] {
      #expect(text.contains("'memory' keeps a history of OwnTransaction") && !text.contains("ModelConfiguration"))
    }
    let books = ModelContext(
      try ModelContainer(
        for: Schema(libraryModels), configurations: [BookConfiguration()] as [any DataStoreConfiguration]))
    let none = text { _ = try books.fetchHistory(Default()) }
    #expect(none.contains("HistoryProviding") && !none.contains("ModelConfiguration"), "\(none)")
    let own = text { _ = try books.fetchHistory(HistoryDescriptor<OwnTransaction>()) }
    #expect(own.contains("OwnTransaction") && !own.contains("DefaultHistoryTransaction"), "\(own)")
  }

  @Test("a store may have a custom snapshot type and numeric identifiers")
  func ownSnapshots() throws {
    let container = try ModelContainer(
      for: Schema(libraryModels), configurations: [BookConfiguration()] as [any DataStoreConfiguration])
    let context = ModelContext(container)
    let books = ["Emma", "Persuasion"].map { Book($0, pages: $0.count) }
    for book in books { context.insert(book) }
    try context.save()
    books[0].title = "Emma!"
    context.delete(books[1])
    try context.save()
    let other = ModelContext(container)
    let read = try other.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 1 }))
    #expect(read.map(\.title) == ["Emma!"] && read.map(\.pages) == [4])
    let identifier = read[0].persistentModelID
    #expect(identifier == books[0].persistentModelID && identifier.storeIdentifier == "books")
    let data = try JSONEncoder().encode(identifier)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(decoded == identifier && (other.model(for: decoded) as? Book) === read[0])
  }

  @Test("a new container reads the models and relationships that another container saved")
  func aggregates() async throws {
    let lab = try StoreLab()
    try lab.fill()
    let fresh = try ModelContainer(for: Schema(libraryModels), configurations: [MemoryConfiguration(lab.script)])
    let count = try await fresh.read { context in try context.fetch(FetchDescriptor<Book>()).count }
    #expect(count == 3)
    let context = ModelContext(fresh)
    #expect(try context.fetch(FetchDescriptor<Author>()).first?.books.count == 3)
  }

  @Test("several threads can use a container concurrently")
  func threads() async throws {
    let lab = try StoreLab()
    let container = lab.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<10 {
            let context = ModelContext(container)
            let author = Author("\(task)-\(number)")
            context.insert(author)
            author.books = [Book("\(task)-\(number)")]
            try context.save()
            _ = try context.fetch(FetchDescriptor<Author>()).count
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(lab.script.rows(of: "Author").count == 40 && lab.script.rows(of: "Book").count == 40)
    #expect(try lab.context().fetch(FetchDescriptor<Book>()).allSatisfy { $0.author?.name == $0.title })
  }
}
