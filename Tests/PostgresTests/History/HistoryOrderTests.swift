#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import SeededNumbers
  import Testing

  /// Transactions of saves overlap: a save may get the lower history number and commit last.
  @Suite("The history in PostgreSQL while saves run concurrently", .timeLimit(.minutes(5)))
  struct PostgresHistoryOrderTests {
    private struct Stop: Error {}

    /// Makes the context send its unsaved rows and the history record to the server, without COMMIT. A query in the
    /// transaction has this effect.
    private func send(_ context: ModelContext) throws { _ = try context.fetchCount(FetchDescriptor<Entry>()) }

    @Test("the history includes a save that gets its number first and commits last")
    func lateCommit() throws {
      let store = try HistoryStore()
      let (slow, quick, reader) = (try store.context("slow"), try store.context("quick"), try store.context("reader"))
      try quick.add("first")
      let known = try #require(try reader.transactions().last?.token)
      try slow.transaction {
        try slow.add("slow")
        try send(slow)
        try quick.add("quick")
        // Number 3 is committed while the transaction with number 2 is still open. A reader must not skip number 2, so
        // it does not get number 3 yet.
        #expect(try store.numbers("SELECT number FROM _osd_history ORDER BY number") == [1, 3])
        #expect(try reader.transactions(behind: known).isEmpty)
        #expect(try reader.authors() == ["quick"])
      }
      let found = try reader.transactions(behind: known)
      #expect(found.map(\.author) == ["slow", "quick"] && found.map(\.transactionIdentifier) == [2, 3])
      #expect(zip(found, found.dropFirst()).allSatisfy { $0.token < $1.token })
      #expect(try reader.transactions(behind: found.last?.token).isEmpty)
    }

    @Test("the history continues after the number of a save that was rolled back")
    func undone() throws {
      let store = try HistoryStore()
      let (slow, quick, reader) = (try store.context("slow"), try store.context("quick"), try store.context("reader"))
      try quick.add("first")
      #expect(throws: Stop.self) {
        try slow.transaction {
          try slow.add("slow")
          try send(slow)
          try quick.add("quick")
          #expect(try reader.authors() == ["quick"])
          throw Stop()
        }
      }
      #expect(try reader.authors() == ["quick", "quick"])
      try quick.add("last")
      #expect(try reader.transactions().map(\.transactionIdentifier) == [1, 3, 4])
    }

    @Test("the notification of a save has a history token, and no earlier save is missing up to this token")
    func savedTokens() throws {
      let store = try HistoryStore()
      let (slow, quick, reader) = (try store.context("slow"), try store.context("quick"), try store.context("reader"))
      let first = try #require(try quick.savedToken { try quick.add("first") })
      #expect(try reader.transactions().map(\.token) == [first])
      var token: DefaultHistoryToken?
      try slow.transaction {
        try slow.add("slow")
        try send(slow)
        token = try quick.savedToken { try quick.add("quick") }
      }
      #expect(token == first)
      #expect(try reader.authors(behind: token) == ["slow", "quick"])
      // From here on no transaction is open, so the token of each save includes this save.
      let last = try #require(try quick.savedToken { try quick.add("last") })
      #expect(last > first)
      #expect(try reader.transactions().last?.token == last)
      #expect(try reader.transactions(behind: last).isEmpty)
    }

    @Test("each notification has the token of its save if several contexts save alternately")
    func savedTokensInTurn() throws {
      let store = try HistoryStore()
      let contexts = [try store.context("a"), try store.context("b")]
      var tokens: [DefaultHistoryToken?] = []
      for round in 0..<100 {
        let context = contexts[round.isMultiple(of: 7) ? 0 : 1]
        tokens.append(try context.savedToken { try context.add("\(round)") })
      }
      #expect(try contexts[0].transactions().map(\.token) == tokens)
    }

    @Test("the history is complete up to the token of a save, even after many numbers of rolled-back saves")
    func savedTokensBehindUndone() throws {
      let store = try HistoryStore()
      let context = try store.context("me")
      try context.add("first")
      try store.run("SELECT setval('_osd_history_number', 1000)")
      let token = try #require(try context.savedToken { try context.add("last") })
      #expect(try context.transactions().last?.token == token)
      #expect(try context.transactions().map(\.transactionIdentifier) == [1, 1_001])
    }

    @Test("an observer reads the history even if no notification reports the rollback of an earlier save")
    func observers() async throws {
      let store = try HistoryStore()
      let recorder = LogRecorder()
      let container = try store.container(recorder: recorder)
      let quick = ModelContext(container)
      let observer = try HistoryObserver(modelContainer: container)
      try quick.add("first")
      #expect(await eventually { observer.eventCounter == 1 })
      let (isSent, mayEnd) = (DispatchGroup(), DispatchSemaphore(value: 0))
      isSent.enter()
      // Uses a separate thread, because blocking a task's thread would delay the observer.
      Thread.detachNewThread {
        guard let slow = try? store.context("slow") else { return }
        try? slow.transaction {
          try slow.add("slow")
          try send(slow)
          isSent.leave()
          mayEnd.wait()
          throw Stop()
        }
      }
      func hasSent() -> Bool { isSent.wait(timeout: .now()) == .success }
      try #require(await eventually { hasSent() })
      try quick.add("quick")
      // Waits for three further reads of the observer: the first may have begun before the save, and the third begins
      // after the second is evaluated.
      let count = Self.reads(recorder)
      #expect(await eventually { Self.reads(recorder) >= count + 3 })
      #expect(observer.eventCounter == 1)
      mayEnd.signal()
      #expect(await eventually { observer.eventCounter == 2 })
    }

    /// The number of statements that read history records.
    private static func reads(_ recorder: LogRecorder) -> Int {
      recorder.statements.count { $0.hasPrefix("SELECT \"number\", \"time\"") }
    }

    @Test(
      "the history keeps its order when the lower 32 bits of its numbers overflow",
      arguments: [2_147_483_646, 4_294_967_294])
    func greatNumbers(_ number: Int64) throws {
      let store = try HistoryStore()
      let (slow, quick, reader) = (try store.context("slow"), try store.context("quick"), try store.context("reader"))
      try store.run("SELECT setval('_osd_history_number', \(number))")
      try quick.add("first")
      let known = try #require(try reader.transactions().last?.token)
      try slow.transaction {
        try slow.add("slow")
        try send(slow)
        for _ in 0..<3 { try quick.add("quick") }
        #expect(try reader.transactions(behind: known).isEmpty)
      }
      let found = try reader.transactions(behind: known)
      #expect(found.map(\.transactionIdentifier) == (2...5).map { number + $0 })
      #expect(found.first?.author == "slow")
    }

    @Test("reading the history continuously neither misses nor repeats a save")
    func following() throws {
      let store = try HistoryStore()
      let reader = try store.context("reader")
      try reader.add("first")
      let (writers, rounds) = (4, 40)
      let errors = Lock<[any Error]>([])
      let writing = DispatchGroup()
      for writer in 0..<writers {
        writing.enter()
        // Uses separate threads, because blocking tasks could run only one after the other.
        Thread.detachNewThread {
          defer { writing.leave() }
          do { try Self.write(rounds, as: "\(writer)", to: store) } catch { errors.withLock { $0.append(error) } }
        }
      }
      var (token, found): (DefaultHistoryToken?, [DefaultHistoryTransaction]) = (nil, [])
      var reads = 0
      while true {
        let isLast = writing.wait(timeout: .now() + .milliseconds(1)) == .success
        let new = try reader.transactions(behind: token)
        if !new.isEmpty { reads += 1 }
        found += new
        token = new.last?.token ?? token
        if isLast { break }
      }
      try errors.withLock { if let error = $0.first { throw error } }
      #expect(reads > 4)
      #expect(found.map(\.transactionIdentifier) == Set(found.map(\.transactionIdentifier)).sorted())
      for writer in 0..<writers {
        let titles = found.filter { $0.author == "\(writer)" }.count
        #expect(titles == rounds, "\(titles) saves of writer \(writer)")
      }
      #expect(found.count == writers * rounds + 1)
      #expect(try reader.transactions() == found)
    }

    /// Saves `rounds` times. One in three saves is in a transaction that stays open for some time, and that contains an
    /// inner transaction which is rolled back.
    private static func write(_ rounds: Int, as author: String, to store: HistoryStore) throws {
      let context = try store.context(author)
      var random = SeededGenerator(seed: SeededGenerator.chosenSeed)
      for round in 0..<rounds {
        guard round.isMultiple(of: 3) else {
          try context.add("\(round)")
          continue
        }
        try context.transaction {
          try context.add("\(round)")
          try? context.transaction {
            try context.add("undone")
            throw Stop()
          }
          _ = try context.fetchCount(FetchDescriptor<Entry>())
          // The transaction stays open for up to 3 milliseconds, during which other transactions begin and end.
          letTimePass(upTo: .milliseconds(3), using: &random)
        }
      }
    }
  }
#endif
