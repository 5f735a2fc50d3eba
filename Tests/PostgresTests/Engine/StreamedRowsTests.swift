#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PersistenceSupport
  import PostgresSupport
  import SQLEngine
  import SwiftData
  import Testing

  @testable import PostgresStore

  /// Has only values of Foundation's and Swift's own types, so its rows are sent while others are written.
  @Model
  final class Streamed {
    var number: Int
    var label: String
    var weight: Double
    var note: String?
    var isLoaded: Bool?
    var price: Decimal
    var mark: UUID?
    var bytes: Data

    init(_ number: Int, label: String) {
      self.number = number
      self.label = label
      weight = Double(number) / 3
      note = number.isMultiple(of: 7) ? nil : "note \(number)"
      isLoaded = number.isMultiple(of: 3) ? nil : number.isMultiple(of: 2)
      price = Decimal(number) / 8
      mark = number.isMultiple(of: 5) ? nil : UUID()
      bytes = Data(repeating: UInt8(number % 256), count: number % 5)
    }
  }

  /// Rows of which one statement copies all, while they are written.
  @Suite("Thousands of new rows of Foundation's own types in PostgreSQL", .timeLimit(.minutes(5)))
  struct StreamedRowsTests {
    private static let count = 4_000

    private let cluster: TestCluster
    private let proxy: TestProxy
    private let recorder = LogRecorder()
    private let namespace = "Streamed \(UUID().uuidString)"
    private let context: ModelContext

    init() throws {
      cluster = try TestCluster.shared.get()
      proxy = try TestProxy(to: cluster.socket)
      context = ModelContext(
        try Self.container(proxy.url, namespace) { [recorder] in
          $0.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
        })
      context.insert(Wagon("first"))
      try context.save()
    }

    private static func container(
      _ url: String, _ namespace: String, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> ModelContainer {
      var configuration = PostgresConfiguration(url)
      configuration.namespace = namespace
      configuration.maximumConnections = 3
      // The connection for notifications would send messages through the proxy too.
      configuration.propagation = .off
      change(&configuration)
      return try ModelContainer(
        for: Streamed.self, Freight.self, Wagon.self, Holder.self, Holding.self, Ship.self,
        configurations: configuration)
    }

    /// Inserts rows of about 400 bytes, or of another size.
    private func insert(
      _ count: Int = Self.count, size: Int = 400, into context: ModelContext? = nil
    ) -> [Streamed] {
      let rows = (0..<count).map { (number: Int) in
        Streamed(number, label: String(repeating: "\(number) ", count: size / 6))
      }
      for row in rows { (context ?? self.context).insert(row) }
      return rows
    }

    private var table: String { "\"\(namespace)\".\"Streamed\"" }

    /// The number of rows, and of different ones.
    private func counts() throws -> [Int64?] {
      let result = try cluster.connect().run(
        PostgresStatement("SELECT count(*), count(DISTINCT number) FROM \(table)"))
      return [result.integer(0, 0), result.integer(0, 1)]
    }

    private var all: [Int64?] { [Int64(Self.count), Int64(Self.count)] }

    /// Makes the server run code for each new row.
    private func addTrigger(_ code: String) throws {
      try cluster.connect().execute(
        """
        CREATE FUNCTION "\(namespace)".watch() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN \(code) RETURN NEW; END $$;
        CREATE TRIGGER watch BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION "\(namespace)".watch()
        """)
    }

    /// Saves while code changes a text near the end in place: until the change ends, there is no value to store.
    private func saveWithoutOne(_ rows: [Streamed]) -> SwiftDataError? {
      func change(_ text: inout String, _ body: () -> Void) { body() }
      var error: SwiftDataError?
      change(&rows[3_500].label) {
        error = #expect(throws: SwiftDataError.self) { try context.save() }
      }
      return error
    }

    private var copies: [String] { recorder.statements.filter { $0.hasPrefix("COPY ") } }

    private func words(_ row: Streamed) -> [String] {
      [
        "\(row.number)", "\(Array(row.label.utf8))", "\(row.weight.bitPattern)", "\(Array((row.note ?? "nil").utf8))",
        "\(String(describing: row.isLoaded))", "\(row.price)", "\(String(describing: row.mark))", "\(Array(row.bytes))",
      ]
    }

    // MARK: Tests

    @Test("are one statement; rows with originals are in others, and all have the values that were saved")
    func values() throws {
      recorder.clear()
      let plain = insert()
      let time = try ContinuousClock().measure { try context.save() }
      // A statement ends after a quarter of a second.
      #expect((1...1 + Int(time / .milliseconds(250))).contains(copies.count), "\(copies.count) in \(time)")
      for row in plain { context.delete(row) }
      try context.save()
      recorder.clear()
      let rows = insert()
      for number in 2_000..<2_010 { rows[number].label = "cafe\u{301} \(number)" }
      rows[3_000].weight = -0.0
      rows[Self.count - 1].note = "e\u{301}"
      try context.save()
      #expect(copies.contains { $0.contains("_osd_originals") })
      #expect(copies.contains { !$0.contains("_osd_originals") })
      let found = try ModelContext(context.container).fetch(
        FetchDescriptor<Streamed>(sortBy: [SortDescriptor(\.number)]))
      try #require(found.count == Self.count)
      for (row, found) in zip(rows, found) {
        let isSame = words(row) == words(found)
        #expect(isSame, "row \(row.number)")
      }
    }

    @Test(
      "are not stored if a late row lacks a value, and are stored once when it has one, also within a transaction",
      arguments: [false, true])
    func missingValue(inTransaction: Bool) throws {
      func saveTwice() throws {
        let rows = insert()
        recorder.clear()
        let error = saveWithoutOne(rows)
        #expect(error == .valueNotStorable)
        #expect(!copies.isEmpty)
        #expect(try counts() == [0, 0])
        try context.save()
      }
      if inTransaction {
        try context.transaction {
          context.insert(Wagon("second"))
          try context.save()
          try saveTwice()
        }
      } else {
        try saveTwice()
      }
      #expect(try counts() == all)
      #expect(!context.hasChanges)
      #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Wagon>()) == (inTransaction ? 2 : 1))
    }

    @Test(
      "are not stored if the server refuses one, and the error is the server's, even if a later row cannot be sent",
      arguments: [false, true])
    func refusedRow(lacksValue: Bool) throws {
      let connection = try cluster.connect()
      try connection.execute("ALTER TABLE \(table) ADD CONSTRAINT refusal CHECK (number <> 1500)")
      let rows = insert()
      let error: SwiftDataError?
      if lacksValue {
        error = saveWithoutOne(rows)
      } else {
        error = #expect(throws: SwiftDataError.self) { try context.save() }
      }
      #expect(error == .modelValidationFailure)
      #expect((error?.underlyingError as? SwiftDataError.PostgresError)?.sqlState == "23514")
      #expect(try counts() == [0, 0])
      #expect(context.insertedModelsArray.count == rows.count)
      try connection.execute("ALTER TABLE \(table) DROP CONSTRAINT refusal")
      try context.save()
      #expect(try counts() == all)
    }

    @Test(
      "are stored once if the connection is lost while they are sent; without retries, the error has the reason",
      arguments: [TestProxy.Fault.Kind.cut, .tear], [3, 0])
    func lostConnection(_ kind: TestProxy.Fault.Kind, retries: Int) throws {
      let context = ModelContext(try Self.container(proxy.url, namespace) { $0.saveRetries = retries })
      context.insert(Wagon("second"))
      try context.save()
      _ = insert(into: context)
      // About twenty messages begin the transaction and the copy, which has about fifty.
      proxy.arm(TestProxy.Fault(kind, isRequest: true, at: 35))
      if retries > 0 {
        try context.save()
        #expect(!proxy.isArmed)
      } else {
        let error = #expect(throws: SwiftDataError.self) { try context.save() }
        #expect(!proxy.isArmed)
        #expect(error == .storeUnreachable)
        // This is what the program did after the loss, and not the reason.
        #expect(error?.explanation?.contains("the connection is closed") == false, "\(error?.explanation ?? "")")
        #expect(try counts() == [0, 0])
        try context.save()
      }
      #expect(try counts() == all)
    }

    @Test("are stored if the server takes longer for all of them than the statement timeout allows for one statement")
    func slowServer() throws {
      let context = ModelContext(
        try Self.container(cluster.url, namespace) { ($0.statementTimeout, $0.saveRetries) = (.seconds(1), 0) })
      context.insert(Wagon("second"))
      try context.save()
      // A megabyte takes about 0.2 s, and all rows take 2 s.
      try addTrigger("IF NEW.number % 200 = 0 THEN PERFORM pg_sleep(0.04); END IF;")
      _ = insert(10_000, size: 1_500, into: context)
      try context.save()
      #expect(try counts() == [10_000, 10_000])
    }

    @Test("are stored if the server sends a long notice for each row, which it does before it takes more rows")
    func notices() throws {
      let context = ModelContext(try Self.container(cluster.url, namespace) { $0.saveRetries = 0 })
      try addTrigger("RAISE NOTICE '%', repeat('n', 4000);")
      _ = insert(into: context)
      try context.save()
      #expect(try counts() == all)
    }

    @Test("are stored with their class, and update the row of another process that has the same unique value")
    func classes() throws {
      let foreign = ModelContext(try Self.container(cluster.url, namespace))
      foreign.insert(Ship("theirs", mark: "m2500"))
      try foreign.save()
      let holder = Holder("h")
      context.insert(holder)
      for number in 0..<3_000 {
        let ship = Ship("ship \(number)", mark: "m\(number)")
        context.insert(ship)
        if number.isMultiple(of: 2) { ship.holder = holder }
        context.insert(Holding("holding \(number)"))
      }
      recorder.clear()
      try context.save()
      // The first attempt fails at the ship of the other process.
      #expect(copies.count >= 2)
      let fresh = ModelContext(context.container)
      #expect(try fresh.fetchCount(FetchDescriptor<Ship>()) == 3_000)
      #expect(try fresh.fetchCount(FetchDescriptor<Holding>()) == 6_000)
      let ships = try fresh.fetch(FetchDescriptor<Ship>(predicate: #Predicate { $0.mark == "m2500" }))
      #expect(ships.map(\.title) == ["ship 2500"])
      let stored = try #require(try fresh.fetch(FetchDescriptor<Holder>()).first)
      #expect(stored.holdings.count == 1_500)
    }
  }

  extension AgedDeletionTests {
    @Test("names contiguous keys as a range in any order, and others as a list, and deletes no other row")
    func ranges() throws {
      for isWhole in [true, false] {
        let store = try TiledStore()
        let key = "\"\(DatabaseMapping.keyColumn)\""
        let width = try store.catalog.connection.run(
          PostgresStatement("SELECT max(\(key)) - min(\(key)) + 1 FROM \"Tile\"")
        ).integer(0, 0)
        try #require(width == Int64(TiledStore.count))
        let tiles = try store.tiles()
        for tile in tiles.reversed() where isWhole || tile.number != 150 { store.context.delete(tile) }
        let sent = try store.save()
        #expect(sent.looks)
        let deletion = store.recorder.statements.first { $0.contains("DELETE FROM") && $0.contains("age(") } ?? ""
        #expect(deletion.contains("BETWEEN $1::int8 AND $3::int8") == isWhole, "\(deletion)")
        #expect(deletion.contains("= ANY ($1::int8[])") == !isWhole, "\(deletion)")
        #expect(try store.left() == (isWhole ? 0 : 1))
      }
      let contiguous: [[Int64]] = [[4, 5, 6], [6, 4, 5], [7], [.max - 1, .max]]
      for keys in contiguous {
        let range = PostgresTransaction.range(of: keys)
        #expect(range?.lowerBound == keys.min() && range?.upperBound == keys.max(), "\(keys)")
      }
      let others: [[Int64]] = [[], [4, 6], [4, 5, 5, 7], [4, 4], [0, 1], [-1, 0, 1], [.min, .max], [1, .max]]
      for keys in others { #expect(PostgresTransaction.range(of: keys) == nil, "\(keys)") }
    }

    @Test("accepts the greatest key before lesser ones")
    func greatestKey() async {
      // In a process of its own, since an overflow would end this one.
      await #expect(processExitsWith: .success) {
        let range = PostgresTransaction.range(of: [.max, .max - 1])
        guard range?.lowerBound == .max - 1, range?.upperBound == .max else { exit(1) }
      }
    }
  }
#endif
