import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("The history of a store")
struct HistoryTests {
  private static let models: [any PersistentModel.Type] = [Voyage.self, Leg.self, Guide.self]

  private func store(_ engine: Engine, _ history: ModelConfiguration.History = .standard) throws -> TestStore {
    try TestStore(engine, Self.models, history: history)
  }

  private func all(_ context: ModelContext) throws -> [DefaultHistoryTransaction] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
  }

  private func last(_ context: ModelContext) throws -> [String] { try all(context).last.map(words) ?? [] }

  @Test("each save is a transaction with the inserted, changed and deleted rows", arguments: Engine.allCases)
  func saves(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let (oslo, rome) = (Voyage("Oslo"), Voyage("Rome"))
    context.insert(oslo)
    context.insert(rome)
    try context.save()
    oslo.price = 5
    try context.save()
    oslo.title = "North"
    oslo.number = 3
    context.delete(rome)
    try context.save()
    try context.save()
    let transactions = try all(context)
    let (first, second) = (key(oslo.persistentModelID), key(rome.persistentModelID))
    #expect(
      transactions.map(words) == [
        ["+Voyage \(first)", "+Voyage \(second)"].sorted(), ["~Voyage \(first) price"],
        ["-Voyage \(second)", "~Voyage \(first) number,title"],
      ])
    #expect(transactions.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(transactions[0].token < transactions[1].token && transactions[1].token < transactions[2].token)
    #expect(Set(transactions.map(\.storeIdentifier)).count == 1 && transactions[0].storeIdentifier != "")
    #expect(transactions.allSatisfy { abs($0.timestamp.timeIntervalSinceNow) < 60 && !$0.followsGap })
    #expect(transactions[0].processIdentifier == "\(ProcessInfo.processInfo.processIdentifier)")
    #expect(transactions[0].bundleIdentifier != "")
    let identifiers = transactions.flatMap(\.changes).map(\.changedPersistentIdentifier)
    #expect(identifiers.first == oslo.persistentModelID)
  }

  @Test("changes are typed by their model, and their identifiers equal those of the models", arguments: Engine.allCases)
  func changes(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let voyage = Voyage("Oslo")
    context.insert(voyage)
    try context.save()
    voyage.name = "Rome"
    try context.save()
    let changes = try all(context).flatMap(\.changes)
    guard case .insert(let some) = changes[0], let insertion = some as? any HistoryInsert<Voyage>,
      let own = some as? DefaultHistoryInsert<Voyage>, case .update(let other) = changes[1],
      let update = other as? DefaultHistoryUpdate<Voyage>
    else {
      Issue.record("\(changes)")
      return
    }
    #expect(insertion.changedPersistentIdentifier == voyage.persistentModelID)
    #expect(own.changeIdentifier < update.changeIdentifier && own.transactionIdentifier == 1)
    #expect(update.updatedAttributes.contains(\Voyage.name) && update.updatedAttributes.count == 1)
    #expect(own == own && update == update)
  }

  @Test("a change omits properties that were set to the values that they had", arguments: Engine.allCases)
  func equalValues(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let (oslo, rome) = (Voyage("Oslo", price: 1), Voyage("Rome", title: "South"))
    context.insert(oslo)
    context.insert(rome)
    try context.save()
    oslo.price = 1
    oslo.number = 7
    rome.title = nil
    rome.title = "South"
    try context.save()
    // With several writers, other contexts may commit meanwhile, so a save does not know the old values of the rows and
    // lists every property that it wrote.
    guard engine != .remote, engine.has(.singleWriter) else { return }
    #expect(try last(context) == ["~Voyage \(key(oslo.persistentModelID)) number"])
    rome.title = "South"
    let count = try all(context).count
    try context.save()
    #expect(try all(context).count == count)
  }

  @Test("a transaction lists the changes of both ends of a relationship", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let (voyage, leg, guide) = (Voyage("Oslo"), Leg("Bergen"), Guide("Ada"))
    for model in [voyage, leg, guide] as [any PersistentModel] { context.insert(model) }
    try context.save()
    leg.voyage = voyage
    voyage.guides = [guide]
    try context.save()
    let found = try last(context)
    #expect(
      found == [
        "~Guide \(key(guide.persistentModelID)) voyages", "~Leg \(key(leg.persistentModelID)) voyage",
        "~Voyage \(key(voyage.persistentModelID)) guides,legs",
      ])
  }

  @Test("each transaction has the author that the context had during the save", arguments: Engine.allCases)
  func authors(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let (mine, other) = (store.context(), store.context())
    mine.author = "me"
    mine.insert(Voyage("Oslo"))
    try mine.save()
    other.insert(Voyage("Rome"))
    try other.save()
    mine.author = "it's \"me\""
    mine.insert(Voyage("Bonn"))
    try mine.save()
    #expect(try all(other).map(\.author) == ["me", nil, "it's \"me\""])
    func count(_ predicate: Predicate<DefaultHistoryTransaction>) throws -> Int {
      try other.fetchHistory(HistoryDescriptor(predicate: predicate)).count
    }
    #expect(try count(#Predicate { $0.author == "me" }) == 1)
    #expect(try count(#Predicate { $0.author != "me" }) == 2)
    #expect(try count(#Predicate { $0.author == nil }) == 1)
  }

  @Test("an upsert is recorded as a change of the existing row", arguments: Engine.allCases)
  func upserts(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let oslo = Voyage("Oslo", number: 1)
    context.insert(oslo)
    try context.save()
    context.insert(Voyage("Oslo", number: 2))
    context.insert(Voyage("Rome"))
    try context.save()
    let changes = try all(context).last?.changes ?? []
    #expect(changes.count == 2)
    let updates = changes.filter { if case .update = $0 { true } else { false } }
    #expect(updates.map(\.changedPersistentIdentifier) == [oslo.persistentModelID])
    #expect(words(updates[0]).contains("number"))
  }

  @Test("two new models with the same unique value are recorded as one insertion", arguments: Engine.allCases)
  func doubleUpsert(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    context.insert(Voyage("Oslo", number: 1))
    context.insert(Voyage("Oslo", number: 2))
    try context.save()
    let changes = try all(context).last?.changes ?? []
    #expect(changes.count == 1)
    guard case .insert = changes.first else {
      Issue.record("\(changes)")
      return
    }
  }

  @Test("changes of rolled-back transactions are not recorded", arguments: Engine.allCases)
  func undone(_ engine: Engine) throws {
    struct Stop: Error {}
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    context.insert(Voyage("Oslo"))
    try context.save()
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Voyage("Rome"))
        try context.save()
        throw Stop()
      }
    }
    try context.transaction {
      context.insert(Voyage("Bonn"))
      try? context.transaction {
        context.insert(Voyage("Kiel"))
        try context.save()
        throw Stop()
      }
      context.insert(Voyage("Graz"))
    }
    let transactions = try all(context)
    #expect(transactions.flatMap(\.changes).count == 3)
    let names = try context.fetch(FetchDescriptor<Voyage>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    #expect(names == ["Bonn", "Graz", "Oslo"])
    let numbers = transactions.map(\.transactionIdentifier)
    // With a single writer, the next transaction reuses the ID of a rolled-back one, so the IDs have no gaps. With
    // several writers, the ID is not reused.
    #expect(numbers == (engine.has(.singleWriter) ? Array(1...Int64(numbers.count)) : numbers.sorted()))
  }

  @Test("the didSave notification contains the token of the save's transaction", arguments: Engine.allCases)
  func notifications(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let tokens = Log<DefaultHistoryToken>()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens
      for user in [notification.userInfo?[key], notification.userInfo?[key.rawValue]] {
        for token in (user as? [String: any HistoryToken] ?? [:]).values {
          (token as? DefaultHistoryToken).map { tokens.add($0) }
        }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Voyage("Oslo"))
    try context.save()
    let transaction = try all(context)[0]
    #expect(tokens.entries == [transaction.token, transaction.token])
    #expect(tokens.entries.first?.storeIdentifier == transaction.storeIdentifier)
  }

  @Test("nothing is recorded if the configuration turns the history off", arguments: Engine.sqlite)
  func off(_ engine: Engine) throws {
    let store = try store(engine, .off)
    let context = store.context()
    context.insert(Voyage("Oslo"))
    try context.save()
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) { _ = try all(context) }
    guard engine == .file else { return }
    let database = try RawDatabase(store.configuration.url.path)
    #expect(try database.column("SELECT count(*) FROM sqlite_master WHERE name LIKE '_osd_history%'") == ["0"])
  }

  @Test(
    "the history lists each of 500 inserted rows, although the record contains only the range of their keys",
    arguments: Engine.allCases)
  func bulk(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let guides = (0..<500).map { Guide("\($0)") }
    guides.forEach(context.insert)
    try context.save()
    let changes = try all(context)[0].changes
    #expect(Set(changes.map(\.changedPersistentIdentifier)) == Set(guides.map(\.persistentModelID)))
    #expect(changes.count == 500)
  }

  @Test("erasing a store deletes its history, but keeps the last transaction ID", arguments: Engine.sqlite)
  func erasure(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    context.insert(Voyage("Oslo"))
    try context.save()
    let token = try all(context)[0].token
    context.insert(Voyage("Rome"))
    try context.save()
    try store.container.erase()
    #expect(try all(context).isEmpty)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      _ = try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    }
    context.insert(Voyage("Bonn"))
    try context.save()
    #expect(try all(context).map(\.transactionIdentifier) == [3])
  }
}
