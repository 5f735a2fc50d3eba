import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("The history of stores to which several contexts, containers or programs write")
struct SharedHistoryTests {
  private typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  @Test("the history contains the saves of all contexts, in the order of their commits", arguments: Engine.allCases)
  func contexts(_ engine: Engine) throws {
    let store = try TestStore(engine, [Voyage.self, Leg.self, Guide.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let contexts = (0..<3).map { number in
      let context = store.context()
      context.author = "\(number)"
      return context
    }
    for round in 0..<4 {
      for context in contexts {
        context.insert(Guide("\(round)"))
        try context.save()
      }
    }
    let authors = try contexts[0].fetchHistory(Descriptor()).map(\.author)
    #expect(authors == Array(repeating: ["0", "1", "2"], count: 4).joined().map { $0 })
  }

  @Test("the history contains the saves of two containers of one file")
  func containers() throws {
    let store = try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let other = try ModelContainer(for: store.schema, configurations: [store.configuration])
    let (mine, theirs) = (store.context(), ModelContext(other))
    theirs.author = "other"
    for number in 0..<3 {
      mine.insert(Guide("\(number)"))
      try mine.save()
      theirs.insert(Guide("\(number)"))
      try theirs.save()
    }
    let transactions = try mine.fetchHistory(Descriptor())
    #expect(transactions.map(\.author) == [nil, "other", nil, "other", nil, "other"])
    #expect(transactions.allSatisfy { !$0.followsGap })
    #expect(Set(transactions.flatMap(\.changes).map(\.changedPersistentIdentifier)).count == 6)
    #expect(try theirs.fetchHistory(Descriptor()) == transactions)
  }

  @Test("the transaction after another program's commit has followsGap")
  func gaps() throws {
    let store = try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    func save(_ name: String) throws {
      context.insert(Guide(name))
      try context.save()
    }
    try save("a")
    try save("b")
    try RawDatabase(store.configuration.url.path).run("INSERT INTO Guide (name) VALUES ('foreign')")
    try save("c")
    try save("d")
    #expect(try context.fetchHistory(Descriptor()).map(\.followsGap) == [false, false, true, false])
  }

  @Test("a token covers several stores, and a fetch after it returns every later transaction of all stores")
  func severalStores() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    func configuration(_ name: String, _ types: [any PersistentModel.Type]) -> ModelConfiguration {
      var configuration = ModelConfiguration(name, schema: Schema(types), url: folder.appending(path: name))
      configuration.history = .standard
      return configuration
    }
    let container = try ModelContainer(
      for: Schema([Island.self, Harbour.self]),
      configurations: [configuration("a", [Island.self]), configuration("b", [Harbour.self])])
    let context = ModelContext(container)
    func save(_ model: any PersistentModel) throws {
      context.insert(model)
      try context.save()
    }
    try save(Island("1"))
    try save(Harbour("2"))
    try save(Harbour("3"))
    try save(Island("4"))
    var known = try context.fetchHistory(Descriptor())
    #expect(known.count == 4 && zip(known, known.dropFirst()).allSatisfy { $0.token < $1.token })
    // A fetch after a transaction's token returns exactly the later transactions.
    for (index, transaction) in known.enumerated() {
      let token = transaction.token
      #expect(
        try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token })) == Array(known[(index + 1)...])
      )
    }
    try save(Harbour("5"))
    context.insert(Island("6"))
    context.insert(Harbour("7"))
    try context.save()
    let token = try JSONDecoder().decode(
      DefaultHistoryToken.self, from: try JSONEncoder().encode(try #require(known.last).token))
    let new = try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token }))
    #expect(new.count == 3 && Set(new.map(\.storeIdentifier)).count == 2)
    known += new
    #expect(Set(try context.fetchHistory(Descriptor())) == Set(known))
    let last = try #require(new.last?.token)
    #expect(last.tokenValue?.count == 2)
    #expect(try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > last })).isEmpty)
  }

  @Test(
    "a restored store rejects tokens of lost transactions, and restore() lets later IDs exceed all earlier ones",
    arguments: [true, false])
  func restoration(byLibrary: Bool) async throws {
    let store = try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let (url, copy) = (store.configuration.url, URL(filePath: store.configuration.url.path + ".copy"))
    func save(_ name: String) throws -> DefaultHistoryToken {
      let context = store.context()
      context.insert(Guide(name))
      try context.save()
      return try #require(try context.fetchHistory(Descriptor()).last?.token)
    }
    let early = try save("a")
    try await store.container.backup(to: copy)
    _ = try save("b")
    let late = try save("c")
    try await store.container.close()
    store.releaseContainer()
    if byLibrary {
      try await ModelContainer.restore(from: copy, to: url)
    } else {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
      try FileManager.default.moveItem(at: copy, to: url)
    }
    try store.reopen()
    let context = store.context()
    func numbers(behind token: DefaultHistoryToken) throws -> [Int64] {
      try context.fetchHistory(Descriptor(predicate: #Predicate { $0.token > token })).map(\.transactionIdentifier)
    }
    guard byLibrary else {
      #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(behind: late) }
      #expect(try numbers(behind: early).isEmpty)
      return
    }
    // The transactions after the backup are lost. A client with an earlier token may not have read them, so that token
    // has expired.
    #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(behind: early) }
    #expect(try context.fetchHistory(Descriptor()).map(\.transactionIdentifier) == [1])
    #expect(try save("d").tokenValue?.values.first == 4)
  }
}

@Model
final class Island {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model
final class Harbour {
  var name: String

  init(_ name: String) { self.name = name }
}
