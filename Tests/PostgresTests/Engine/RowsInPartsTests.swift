#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import PersistenceCore
  import PersistenceSupport
  import PostgresStore
  import PostgresSupport
  import SwiftData
  import Testing

  /// The engine sends thousands of rows in parts. It sends the first parts before it has encoded all rows.
  @Suite("Inserting thousands of rows in PostgreSQL")
  struct RowsInPartsTests {
    private static let count = 4_000

    private let cluster: TestCluster
    private let proxy: TestProxy
    private let recorder = LogRecorder()
    private let namespace = "Parts \(UUID().uuidString)"
    private let context: ModelContext

    init() throws {
      cluster = try TestCluster.shared.get()
      proxy = try TestProxy(to: cluster.socket)
      context = ModelContext(
        try Self.container(proxy, namespace) { [recorder] in
          $0.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
        })
      context.insert(Wagon("first"))
      try context.save()
    }

    private static func container(
      _ proxy: TestProxy, _ namespace: String, _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) throws -> ModelContainer {
      var configuration = PostgresConfiguration(proxy.url)
      configuration.namespace = namespace
      configuration.maximumConnections = 3
      change(&configuration)
      return try ModelContainer(for: Watched.self, Freight.self, Wagon.self, configurations: configuration)
    }

    private func insert(into context: ModelContext? = nil) -> [Watched] {
      let rows = (0..<Self.count).map { Watched($0) }
      for row in rows { (context ?? self.context).insert(row) }
      return rows
    }

    /// The number of stored rows, and the number of different values of `number` in them.
    private func counts() throws -> [Int64?] {
      let result = try cluster.connect().run(
        PostgresStatement("SELECT count(*), count(DISTINCT number) FROM \"\(namespace)\".\"Watched\""))
      return [result.integer(0, 0), result.integer(0, 1)]
    }

    /// Saves while the encoder of value 3,500 of 4,000 throws.
    private func saveWithoutOne(_ context: ModelContext) throws {
      try WatchedValue.watch {
        if $0 == 3_500 { throw CocoaError(.fileNoSuchFile) }
      } during: {
        try context.save()
      }
    }

    private var copies: [String] { recorder.statements.filter { $0.hasPrefix("COPY ") } }

    @Test("the rows are sent in parts, with the original texts of rows that have any")
    func parts() throws {
      let rows = insert()
      for number in 2_000..<2_010 { rows[number].label = "cafe\u{301} \(number)" }
      try context.save()
      #expect(copies.count > 1)
      #expect(copies.contains { $0.contains("_osd_originals") })
      #expect(copies.contains { !$0.contains("_osd_originals") })
      let found = try ModelContext(context.container).fetch(
        FetchDescriptor<Watched>(sortBy: [SortDescriptor(\.number)]))
      try #require(found.count == Self.count)
      for (row, found) in zip(rows, found) {
        let isSame =
          found.number == row.number && found.value == row.value
          && found.label.map { Array($0.utf8) } == row.label.map { Array($0.utf8) }
        #expect(isSame, "row \(row.number)")
      }
    }

    @Test("the encoder of a value may read in the same transaction")
    func reading() throws {
      nonisolated(unsafe) let context = context
      let found = Lock<[Int]>([])
      _ = insert()
      try WatchedValue.watch { number in
        guard number.isMultiple(of: 300) else { return }
        let count = try context.fetchCount(FetchDescriptor<Wagon>())
        // Some of the rows have already been sent to the store at this time.
        _ = try context.fetch(FetchDescriptor<Watched>(predicate: #Predicate { $0.number < number }))
        found.withLock { $0.append(count) }
      } during: {
        try context.transaction {
          context.insert(Wagon("second"))
          try context.save()
        }
      }
      // The save also has a wagon, which may be written before or after these rows. So the encoder counts one or two
      // wagons.
      #expect(found.withLock { $0.count } == (Self.count + 299) / 300)
      #expect(found.withLock { $0.allSatisfy { $0 == 1 || $0 == 2 } })
      #expect(copies.count > 1)
      #expect(try counts() == [Int64(Self.count), Int64(Self.count)])
      #expect(Set(try context.fetch(FetchDescriptor<Watched>()).map(\.number)).count == Self.count)
      #expect(!context.hasChanges)
    }

    @Test("if a late value cannot be stored, no row is stored, and the error reports the value")
    func refusedValue() throws {
      let rows = insert()
      let error = #expect(throws: SwiftDataError.self) {
        try saveWithoutOne(context)
      }
      #expect(error == .valueNotStorable)
      #expect(!copies.isEmpty)
      #expect(try counts() == [0, 0])
      #expect(context.insertedModelsArray.count == rows.count)
      try context.save()
      #expect(try counts() == [Int64(Self.count), Int64(Self.count)])
    }

    @Test("rows of a save that fails are removed, and other changes of the transaction are kept")
    func refusedInTransaction() throws {
      try context.transaction {
        context.insert(Wagon("second"))
        try context.save()
        let rows = insert()
        let error = #expect(throws: SwiftDataError.self) {
          try saveWithoutOne(context)
        }
        #expect(error == .valueNotStorable)
        for row in rows { context.delete(row) }
      }
      #expect(!copies.isEmpty)
      #expect(try counts() == [0, 0])
      #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Wagon>()) == 2)
    }

    @Test("encoding a value may take longer than the statement timeout")
    func slowValue() throws {
      let context = ModelContext(
        try Self.container(proxy, namespace) { ($0.statementTimeout, $0.saveRetries) = (.seconds(1), 0) })
      _ = insert(into: context)
      try WatchedValue.watch {
        // The encoder waits longer than the statement timeout.
        if $0 == 3_000 { letTimePass(.milliseconds(1_500)) }
      } during: {
        try context.save()
      }
      #expect(try counts() == [Int64(Self.count), Int64(Self.count)])
    }

    @Test("if the connection is lost while rows are sent, the save writes them again, and each is stored once")
    func lostConnection() throws {
      let isCut = Lock(false)
      _ = insert()
      let proxy = proxy
      try WatchedValue.watch { number in
        guard number == 3_000, !isCut.withLock({ $0 }) else { return }
        isCut.withLock { $0 = true }
        proxy.cutAll()
      } during: {
        try context.save()
      }
      #expect(isCut.withLock { $0 })
      #expect(try counts() == [Int64(Self.count), Int64(Self.count)])
    }
  }
#endif
