#if PostgreSQL
  import Foundation
  import PersistenceCore
  import PostgresSupport
  import SQLEngine
  import SwiftData
  import Testing

  @testable import PostgresStore

  /// A store with some holders, and direct access to its engine.
  private struct LendingStore: Sendable {
    let container: ModelContainer
    let engine: PostgresStoreEngine
    let namespace: String
    /// A request for all rows of Holder.
    let all: FetchRequest

    init(
      _ count: Int, url: String? = nil, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws {
      var configuration = PostgresConfiguration(try url ?? TestCluster.shared.get().url)
      configuration.namespace = "Lent \(UUID().uuidString)"
      configuration.maximumConnections = 2
      configuration.acquireTimeout = .seconds(4)
      configuration.propagation = .off
      change(&configuration)
      namespace = configuration.namespace
      container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      for number in 0..<count { context.insert(Holder("h\(number)", number: number)) }
      try context.save()
      engine = try #require(context.stores.stores.first?.engine as? PostgresStoreEngine)
      all = FetchRequest(entity: try #require(engine.database.table(named: "Holder")).entity)
    }

    /// Inserts rows with these numbers by SQL. Each has a note of the given length.
    func fill(_ numbers: ClosedRange<Int>, note length: Int) throws {
      try TestCluster.shared.get().connect().execute(
        "INSERT INTO \"\(namespace)\".\"Holder\" (\"\(DatabaseMapping.keyColumn)\", \"name\", \"note\") "
          + "SELECT n, 'filled ' || lpad(n::text, 6, '0'), repeat('x', \(length)) "
          + "FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound)) AS n")
    }

    /// Calls the closure with the key of each row.
    static func forEachKey(of rows: EngineRows, _ body: (Int64) throws -> Void) throws {
      let functions = rows.functions.pointee
      while true {
        let code = functions.step(rows.row)
        if code == functions.doneCode { return }
        guard code == functions.rowCode else { throw rows.error(code) }
        try body(functions.integer(rows.row, 0))
      }
    }
  }

  @Suite("Rows that a store in PostgreSQL passes to a closure", .timeLimit(.minutes(10)))
  struct LentRowsTests {
    @Test(
      "reading continues while the closure reads and saves, and returns the rows that existed at the time of the fetch")
    func nested() throws {
      let store = try LendingStore(40)
      var keys: [Int64] = []
      try store.engine.fetch(store.all, in: nil) { rows in
        #expect(store.engine.isReadingHere)
        try LendingStore.forEachKey(of: rows) { key in
          keys.append(key)
          let one = FetchRequest(entity: store.all.entity, selection: .key(key))
          #expect(try store.engine.count(one, in: nil) == 1)
          if keys.count == 3 {
            let context = ModelContext(store.container)
            context.insert(Holder("new"))
            try context.save()
            #expect(try context.fetchCount(FetchDescriptor<Holder>()) == 41)
          }
          #expect(store.engine.isReadingHere)
        }
      }
      #expect(!store.engine.isReadingHere)
      #expect(keys.count == 40)
      #expect(Set(keys).count == 40)
      #expect(try store.engine.count(store.all, in: nil) == 41)
    }

    @Test("reading continues within a transaction, even if the closure deletes and rolls back in the same transaction")
    func nestedInTransaction() throws {
      let store = try LendingStore(40)
      let transaction = try store.engine.beginTransaction()
      defer { transaction.rollBack() }
      var count = 0
      try store.engine.fetch(store.all, in: transaction) { rows in
        try LendingStore.forEachKey(of: rows) { key in
          count += 1
          guard count == 2 else { return }
          let savepoint = try transaction.savepoint()
          #expect(try transaction.delete(from: store.all.entity, keys: [key]) == 1)
          #expect(try store.engine.count(store.all, in: transaction) == 39)
          try transaction.rollBack(to: savepoint)
          #expect(try store.engine.count(store.all, in: transaction) == 40)
        }
      }
      #expect(count == 40)
    }

    @Test("reading releases its connection if all threads wait for a connection")
    func everybodyWaits() throws {
      let store = try LendingStore(30)
      let (arrived, mayGo, done) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
      )
      let outcomes = Lock<[String]>([])
      for _ in 0..<2 {
        Thread.detachNewThread {
          defer { done.signal() }
          do {
            var (count, rest) = (0, 0)
            try store.engine.fetch(store.all, in: nil) { rows in
              // Both threads use a connection now, so none is free for the count.
              arrived.signal()
              mayGo.wait()
              count = try store.engine.count(store.all, in: nil)
              try LendingStore.forEachKey(of: rows) { _ in rest += 1 }
            }
            outcomes.withLock { $0.append("\(count) \(rest)") }
          } catch {
            outcomes.withLock { $0.append("\(error)") }
          }
        }
      }
      for _ in 0..<2 { arrived.wait() }
      for _ in 0..<2 { mayGo.signal() }
      for _ in 0..<2 { done.wait() }
      #expect(outcomes.withLock { $0 } == ["30 30", "30 30"])
    }

    @Test("a fetch or a count takes one round trip if its statement is prepared")
    func roundTrips() throws {
      let store = try LendingStore(40)
      let key = FetchRequest(entity: store.all.entity, selection: .key(1))
      let missing = FetchRequest(entity: store.all.entity, selection: .key(-1))
      func trips(_ body: () throws -> Void) throws -> Int {
        for _ in 0..<2 { try body() }
        let before = store.engine.roundTrips
        try body()
        return store.engine.roundTrips - before
      }
      for request in [store.all, key, missing] {
        #expect(
          try trips {
            try store.engine.fetch(request, in: nil) { try LendingStore.forEachKey(of: $0) { _ in } }
          } == 1)
        #expect(try trips { _ = try store.engine.count(request, in: nil) } == 1)
      }
    }

    @Test("a fetch returns no more rows than its limit, including a limit in the statement's text", arguments: [0, 3])
    func limits(_ offset: Int) throws {
      let store = try LendingStore(40)
      var request = store.all
      request.offset = offset
      for limit in [5, 1, 40, 0, 7, 100, 5, 7, 1, 100] {
        request.limit = limit
        let wanted = max(0, min(limit, 40 - offset))
        var keys: [Int64] = []
        try store.engine.fetch(request, in: nil) { try LendingStore.forEachKey(of: $0) { keys.append($0) } }
        #expect(keys.count == wanted)
        #expect(try store.engine.keys(request, in: nil) == keys)
        #expect(try store.engine.count(request, in: nil) == wanted)
      }
    }

    @Test("rows contain the original texts instead of the stored forms, for each kind of selection")
    func originals() throws {
      let store = try LendingStore(3)
      let context = ModelContext(store.container)
      let holder = Holder("e\u{301}")
      holder.note = "a\u{0}b\u{1}"
      context.insert(holder)
      try context.save()
      let key = try #require(try store.engine.keys(store.all, in: nil).last)
      let selections: [FetchSelection] = [.all, .key(key), .keys([key])]
      for selection in selections {
        var request = store.all
        request.selection = selection
        var texts: [[Unicode.Scalar]] = []
        try store.engine.fetch(request, in: nil) { rows in
          try LendingStore.forEachKey(of: rows) { found in
            guard found == key else { return }
            for column in Int32(0)..<8 {
              guard let text = rows.functions.pointee.text(rows.row, column) else { continue }
              let count = Int(rows.functions.pointee.count(rows.row, column))
              texts.append(
                Array(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self).unicodeScalars))
            }
          }
        }
        #expect(texts.contains(["e", "\u{301}"]))
        #expect(texts.contains(["a", "\0", "b", "\u{1}"]))
      }
    }

    @Test("a fetch of a range with a limit is planned once, not once for each pair of bounds")
    func plans() throws {
      let store = try LendingStore(1)
      try store.fill(1_000...40_000, note: 10)
      let direct = try TestCluster.shared.get().connect()
      try direct.execute("ANALYZE \"\(store.namespace)\".\"Holder\"")
      let context = ModelContext(store.container)
      for number in 20..<40 {
        // Each range contains 500 rows.
        let (low, high) = ("filled 0\(number)000", "filled 0\(number)500")
        var descriptor = FetchDescriptor<Holder>(
          predicate: #Predicate { $0.name >= low && $0.name < high }, sortBy: [SortDescriptor(\.name)])
        descriptor.fetchLimit = 20
        #expect(try context.fetch(descriptor).count == 20)
      }
      let plans = try store.engine.withOwnSession {
        try $0.connection.run(
          PostgresStatement(
            "SELECT max(generic_plans)::int8, max(custom_plans)::int8 FROM pg_prepared_statements "
              + "WHERE statement LIKE '%LIMIT 20%'"))
      }
      #expect((plans.integer(0, 0) ?? 0) >= 10)
      #expect((plans.integer(0, 1) ?? 99) <= 5)
    }

    @Test("rows are read again if the prepared statement no longer fits the changed table")
    func changedTable() throws {
      let store = try LendingStore(3)
      func names() throws -> Int {
        var count = 0
        try store.engine.fetch(store.all, in: nil) { try LendingStore.forEachKey(of: $0) { _ in count += 1 } }
        return count
      }
      for _ in 0..<3 { #expect(try names() == 3) }
      try TestCluster.shared.get().connect().execute(
        "ALTER TABLE \"\(store.namespace)\".\"Holder\" ALTER COLUMN \"note\" TYPE varchar(100)")
      for _ in 0..<3 { #expect(try names() == 3) }
    }

    #if os(Linux)
      @Test("reading needs the memory of one row, regardless of the number of rows")
      func memory() throws {
        let store = try LendingStore(1)
        // The rows have 400 MB in total. The server compresses them on its disk.
        try store.fill(1_000...40_999, note: 10_000)
        var (count, most) = (0, 0)
        let before = try residentMegabytes()
        try store.engine.fetch(store.all, in: nil) { rows in
          try LendingStore.forEachKey(of: rows) { _ in
            count += 1
            if count % 2_000 == 0 { most = max(most, try residentMegabytes()) }
          }
        }
        #expect(count == 40_001)
        #expect(most - before < 200)
      }

      private func residentMegabytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        return pages * 4_096 / 1_048_576
      }
    #endif

    @Test("the connection stays usable if the closure reads only some of the rows", arguments: [1, 40, 3_000])
    func givenUp(_ wanted: Int) throws {
      let store = try LendingStore(1)
      try store.fill(1_000...60_000, note: 500)
      struct Enough: Error {}
      for isNested in [false, true] {
        var count = 0
        #expect(throws: Enough.self) {
          try store.engine.fetch(store.all, in: nil) { rows in
            try LendingStore.forEachKey(of: rows) { _ in
              count += 1
              guard count == wanted else { return }
              if isNested { #expect(try store.engine.count(store.all, in: nil) == 59_002) }
              throw Enough()
            }
          }
        }
        #expect(count == wanted)
        #expect(try store.engine.count(store.all, in: nil) == 59_002)
      }
    }
  }

  @Suite("A read whose connection is cut", .timeLimit(.minutes(10)))
  struct CutReadTests {
    @Test(
      "a read is retried if no row was passed to the closure; counts and reads of keys are always retried",
      arguments: [true, false])
    func again(_ isRequest: Bool) throws {
      let proxy = try TestProxy(to: TestCluster.shared.get().socket)
      defer { proxy.stop() }
      let store = try LendingStore(40, url: proxy.url)
      var number = 0
      while true {
        proxy.arm(isRequest ? .cutRequest(number) : .cutAnswer(number))
        #expect(try store.engine.count(store.all, in: nil) == 40)
        #expect(try store.engine.keys(store.all, in: nil).count == 40)
        let isDone = proxy.isArmed
        proxy.arm(nil)
        if isDone { break }
        number += 3
      }
      #expect(number > 3)
    }

    @Test("a read throws if some of its rows had arrived; it never omits a row")
    func amongRows() throws {
      let proxy = try TestProxy(to: TestCluster.shared.get().socket)
      defer { proxy.stop() }
      let store = try LendingStore(40, url: proxy.url)
      var (whole, lost) = (0, 0)
      var number = 0
      while true {
        var keys: [Int64] = []
        // This count opens the connection, so that the cut affects the read.
        #expect(try store.engine.count(store.all, in: nil) == 40)
        proxy.arm(.cutAnswer(number))
        do {
          try store.engine.fetch(store.all, in: nil) { rows in
            try LendingStore.forEachKey(of: rows) { keys.append($0) }
          }
          whole += 1
          #expect(keys == keys.sorted())
          #expect(keys.count == 40)
        } catch {
          lost += 1
          #expect((error as? SwiftDataError) == .storeUnreachable)
          #expect((1...40).contains(keys.count))
        }
        let isDone = proxy.isArmed
        proxy.arm(nil)
        if isDone { break }
        number += 1
      }
      // The two complete reads: the cut came before the first row, or after the last one.
      #expect(whole >= 2)
      #expect(lost >= 30)
    }

    @Test("a read throws if the server does not answer within the timeout, and waits only once")
    func silence() throws {
      let proxy = try TestProxy(to: TestCluster.shared.get().socket)
      defer { proxy.stop() }
      let store = try LendingStore(3, url: proxy.url) { $0.statementTimeout = .seconds(1) }
      proxy.arm(.silence(0))
      let start = ContinuousClock.now
      let error = #expect(throws: SwiftDataError.self) { try store.engine.count(store.all, in: nil) }
      #expect(error == .storeUnreachable)
      #expect(start.duration(to: .now) < .seconds(12))
      proxy.arm(nil)
      #expect(try store.engine.count(store.all, in: nil) == 3)
    }
  }
#endif
