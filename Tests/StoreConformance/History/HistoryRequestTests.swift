import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("Fetching the history with fetchHistory")
struct HistoryRequestTests {
  typealias Transaction = DefaultHistoryTransaction
  typealias Descriptor = HistoryDescriptor<DefaultHistoryTransaction>

  /// Saves `count` guides, each in a transaction of its own with an author of its own.
  private func store(_ engine: Engine, count: Int = 6, _ history: ModelConfiguration.History = .standard) throws
    -> TestStore
  {
    let store = try TestStore(engine, [Voyage.self, Leg.self, Guide.self], history: history)
    let context = store.context()
    for number in 0..<count {
      context.author = "author \(number)"
      context.insert(Guide("\(number)"))
      try context.save()
    }
    return store
  }

  private func numbers(_ context: ModelContext, _ predicate: Predicate<Transaction>?) throws -> [Int64] {
    try context.fetchHistory(Descriptor(predicate: predicate)).map(\.transactionIdentifier)
  }

  @Test(
    "a request accepts tokens and predicates with any transaction ID, including negative ones",
    arguments: Engine.allCases)
  func extremes(_ engine: Engine) throws {
    let store = try store(engine, count: 2)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let known = try #require(context.fetchHistory(Descriptor()).first?.token.tokenValue?.keys.first)
    for number: Int64 in [.min, .min + 1, -1, 0] {
      let token = DefaultHistoryToken([known: number])
      #expect(try numbers(context, #Predicate { $0.token > token }) == [1, 2])
      #expect(try numbers(context, #Predicate { $0.token >= token }) == [1, 2])
      #expect(try numbers(context, #Predicate { $0.token < token }).isEmpty)
      #expect(try numbers(context, #Predicate { $0.token <= token }).isEmpty)
    }
    let (least, greatest) = (Int64.min + 1, Int64.max)
    #expect(
      try numbers(
        context, #Predicate { $0.transactionIdentifier < least && $0.transactionIdentifier > greatest }
      ).isEmpty)
  }

  @Test(
    "requests succeed after another program has added a record with any transaction ID",
    arguments: [-9, Int64.min, 1 << 60])
  func foreignNumbers(_ number: Int64) throws {
    let store = try store(.file, count: 200, .kept(for: .seconds(900)))
    defer { withExtendedLifetime(store) {} }
    try RawDatabase(store.configuration.url.path).run(
      "INSERT INTO _osd_history (number, time, changes, total) VALUES (\(number), 0, '[]', \(Int64.max))")
    let context = store.context()
    for number in 0..<300 {
      context.insert(Guide("later \(number)"))
      try context.save()
    }
    #expect(try numbers(context, nil).count >= 300)
  }

  @Test("a request finds the transactions after a token, before it, and between two tokens", arguments: Engine.allCases)
  func tokens(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let all = try context.fetchHistory(Descriptor())
    let (second, fifth) = (all[1].token, all[4].token)
    #expect(try numbers(context, #Predicate { $0.token > second }) == [3, 4, 5, 6])
    #expect(try numbers(context, #Predicate { second < $0.token }) == [3, 4, 5, 6])
    #expect(try numbers(context, #Predicate { $0.token >= second }) == [2, 3, 4, 5, 6])
    #expect(try numbers(context, #Predicate { $0.token < second }) == [1])
    #expect(try numbers(context, #Predicate { $0.token <= second }) == [1, 2])
    #expect(try numbers(context, #Predicate { $0.token > second && $0.token < fifth }) == [3, 4])
    #expect(try numbers(context, #Predicate { $0.token == second }) == [2])
    #expect(try numbers(context, #Predicate { $0.token > fifth || $0.token < second }) == [1, 6])
    let last = try #require(all.last?.token)
    #expect(try numbers(context, #Predicate { $0.token > last }).isEmpty)
  }

  @Test(
    "a request can compare transaction IDs, times and authors, and combine them with any other condition",
    arguments: Engine.allCases)
  func properties(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let all = try context.fetchHistory(Descriptor())
    let (token, time) = (all[0].token, all[2].timestamp)
    #expect(try numbers(context, #Predicate { $0.transactionIdentifier == 4 }) == [4])
    #expect(try numbers(context, #Predicate { $0.transactionIdentifier > 4 && $0.author != "author 5" }) == [5])
    #expect(try numbers(context, #Predicate { $0.author == "author 3" }) == [4])
    #expect(try numbers(context, #Predicate { $0.author == "author 3" && $0.author == "author 4" }).isEmpty)
    #expect(try numbers(context, #Predicate { $0.timestamp >= time && $0.token > token }).first == 3)
    #expect(try numbers(context, #Predicate { $0.timestamp < time }) == [1, 2])
    #expect(
      try numbers(context, #Predicate { $0.token > token && !$0.changes.isEmpty && $0.author != "author 2" }) == [
        2, 4, 5, 6,
      ])
  }

  @Test("a request applies its limit and its order", arguments: Engine.allCases)
  func limits(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    var descriptor = Descriptor(sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [6, 5, 4, 3, 2, 1])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [6, 5])
    descriptor.sortBy = []
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [1, 2])
    descriptor.predicate = #Predicate { $0.author != "author 0" }
    #expect(try context.fetchHistory(descriptor).map(\.transactionIdentifier) == [2, 3])
  }

  @Test("the first or last transactions by their IDs are those of all transactions", arguments: Engine.allCases)
  func ends(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let token = try context.fetchHistory(Descriptor())[1].token
    let predicates: [Predicate<DefaultHistoryTransaction>?] = [
      nil, #Predicate { $0.token > token }, #Predicate { $0.author != "author 4" },
      #Predicate { $0.transactionIdentifier < 5 && $0.author == "author 3" },
    ]
    for predicate in predicates {
      for order in [SortOrder.forward, .reverse] {
        let orders: [SortDescriptor<DefaultHistoryTransaction>] = [
          SortDescriptor(\.transactionIdentifier, order: order), SortDescriptor(\.id, order: order),
          SortDescriptor(\.token, order: order), SortDescriptor(\.timestamp, order: order),
        ]
        for sort in orders {
          var descriptor = Descriptor(predicate: predicate, sortBy: [sort])
          let all = try context.fetchHistory(descriptor)
          for limit in 1...7 {
            descriptor.fetchLimit = UInt64(limit)
            let found = try context.fetchHistory(descriptor)
            #expect(found.map(\.transactionIdentifier) == all.prefix(limit).map(\.transactionIdentifier))
            #expect(found.map(\.token) == all.prefix(limit).map(\.token))
            #expect(found.map(\.changes.count) == all.prefix(limit).map(\.changes.count))
          }
        }
      }
    }
  }

  @Test(
    "a request throws if transactions after its token were deleted, and deleted transaction IDs are never reused",
    arguments: Engine.allCases)
  func expiry(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let all = try context.fetchHistory(Descriptor())
    let (second, third, last) = (all[1].token, all[2].token, all[5].token)
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.token <= third }))
    #expect(try numbers(context, nil) == [4, 5, 6])
    #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(context, #Predicate { $0.token > second }) }
    #expect(try numbers(context, #Predicate { $0.token > third }) == [4, 5, 6])
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.author == "author 4" }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(context, #Predicate { $0.token > third }) }
    try context.deleteHistory(Descriptor())
    #expect(try numbers(context, nil).isEmpty)
    #expect(try numbers(context, #Predicate { $0.token > last }).isEmpty)
    context.insert(Guide("new"))
    try context.save()
    #expect(try numbers(context, nil) == [7])
    #expect(try numbers(context, #Predicate { $0.token > last }) == [7])
  }

  @Test(
    "after other transactions were deleted, the tokens of the remaining transactions are valid",
    arguments: Engine.allCases)
  func afterExpiry(_ engine: Engine) throws {
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    try context.deleteHistory(Descriptor(predicate: #Predicate { $0.transactionIdentifier < 4 }))
    let token = try #require(try context.fetchHistory(Descriptor()).first?.token)
    #expect(try numbers(context, #Predicate { $0.token > token }) == [5, 6])
  }

  @Test("rolling back a transaction restores the history that was deleted in it", arguments: Engine.allCases)
  func undoneDeletion(_ engine: Engine) throws {
    struct Stop: Error {}
    let store = try store(engine)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    #expect(throws: Stop.self) {
      try context.transaction {
        try context.deleteHistory(Descriptor())
        context.insert(Guide("new"))
        try context.save()
        throw Stop()
      }
    }
    #expect(try numbers(context, nil) == [1, 2, 3, 4, 5, 6])
  }

  @Test("a token that was encoded before the store was reopened is still valid")
  func restarts() throws {
    let store = try store(.file)
    let data: Data
    do {
      let context = store.context()
      data = try JSONEncoder().encode(try context.fetchHistory(Descriptor())[3].token)
    }
    try store.reopen()
    let context = store.context()
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    #expect(try numbers(context, #Predicate { $0.token > token }) == [5, 6])
    #expect(try context.fetchHistory(Descriptor())[3].token == token)
    #expect(try context.fetchHistory(Descriptor())[3].token.id == token.id)
  }

  @Test("a request for a type of transaction that no store has throws")
  func otherTypes() throws {
    struct Other: HistoryTransaction {
      let id = 1
      let timestamp = Date()
      let changes: [HistoryChange] = []
      let token = DefaultHistoryToken([:])
      let transactionIdentifier = 1
      let storeIdentifier = ""
      let author: String? = nil

      static func == (lhs: Other, rhs: Other) -> Bool { lhs.id == rhs.id }
      func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }
    let store = try store(.memory)
    defer { withExtendedLifetime(store) {} }
    #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      _ = try store.context().fetchHistory(HistoryDescriptor<Other>())
    }
  }

  @Test("saves remove transactions beyond the age or size limit, oldest first", arguments: [true, false])
  func retention(byAge: Bool) throws {
    let store = try store(.file, count: 2, byAge ? .kept(for: .zero) : .kept(upTo: 40_000))
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    let token = try context.fetchHistory(Descriptor())[0].token
    for number in 0..<1_500 {
      context.insert(Guide("\(number)"))
      try context.save()
    }
    let left = try numbers(context, nil)
    #expect(left.last == 1_502)
    // Every 256th transaction compares the oldest records with the limit, and removes records in groups of 256. So many
    // records beyond the limit may remain for a while.
    #expect((200...1_200).contains(left.count))
    #expect(left == Array((left[0])...1_502))
    #expect(throws: SwiftDataError.historyTokenExpired) { try numbers(context, #Predicate { $0.token > token }) }
  }

  @Test("a request finds all transactions if no limit is set")
  func noRetention() throws {
    let store = try store(.memory, count: 600, .kept())
    defer { withExtendedLifetime(store) {} }
    #expect(try numbers(store.context(), nil).count == 600)
  }
}
