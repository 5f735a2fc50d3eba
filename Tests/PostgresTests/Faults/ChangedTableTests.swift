#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PostgresStore
  import PostgresSupport
  import Testing

  /// A change of a store's tables by SQL, and the statement that reverts it.
  struct HandChange: Sendable, CustomTestStringConvertible {
    let change: String
    let undoing: String
    /// A text that the error of a save must contain, if the change makes saves fail.
    let words: String
    var testDescription: String { change }

    init(_ change: String, undoing: String, words: String = "") {
      (self.change, self.undoing, self.words) = (change, undoing, words)
    }

    static let ofWrites = [
      HandChange(
        "ALTER TABLE \"Holder\" RENAME COLUMN note TO remark",
        undoing: "ALTER TABLE \"Holder\" RENAME COLUMN remark TO note", words: "changed by hand"),
      HandChange(
        "ALTER TABLE \"Holder\" DROP COLUMN note", undoing: "ALTER TABLE \"Holder\" ADD COLUMN note text COLLATE \"C\"",
        words: "changed by hand"),
      HandChange(
        "ALTER TABLE \"Holder\" ALTER COLUMN number TYPE bool USING number > 0",
        undoing: "ALTER TABLE \"Holder\" ALTER COLUMN number TYPE int8 USING number::int4::int8",
        words: "changed by hand"),
      HandChange(
        "ALTER TABLE \"Holding\" RENAME TO \"Possession\"", undoing: "ALTER TABLE \"Possession\" RENAME TO \"Holding\"",
        words: "changed by hand"),
      HandChange(
        "ALTER TABLE \"Holder\" ADD COLUMN extra int8 NOT NULL DEFAULT 0; "
          + "ALTER TABLE \"Holder\" ALTER COLUMN extra DROP DEFAULT",
        undoing: "ALTER TABLE \"Holder\" DROP COLUMN extra", words: "extra"),
      HandChange(
        "ALTER TABLE \"Holder\" ADD CONSTRAINT small CHECK (number < 5)",
        undoing: "ALTER TABLE \"Holder\" DROP CONSTRAINT small", words: "small"),
      HandChange(
        "ALTER TABLE _osd_news RENAME TO news", undoing: "ALTER TABLE news RENAME TO _osd_news",
        words: "changed by hand"),
      HandChange(
        "ALTER TABLE _osd_history RENAME TO history", undoing: "ALTER TABLE history RENAME TO _osd_history",
        words: "changed by hand"),
      HandChange(
        "ALTER TABLE _osd_schema_1 RENAME TO schema_1", undoing: "ALTER TABLE schema_1 RENAME TO _osd_schema_1",
        words: "changed by hand"),
    ]

    /// Those of the changes that also make a fetch throw.
    static let ofReads =
      ofWrites.prefix(2) + [
        HandChange(
          "ALTER TABLE \"Holder\" RENAME TO \"Owner\"", undoing: "ALTER TABLE \"Owner\" RENAME TO \"Holder\"")
      ]
  }

  @Suite("A store whose tables another program has changed", .timeLimit(.minutes(2)))
  struct ChangedTableTests {
    @Test(
      "a save throws and stores nothing; saves work again once the change is reverted",
      arguments: HandChange.ofWrites)
    func save(_ hand: HandChange) throws {
      let cluster = try TestCluster.shared.get()
      var configuration = PostgresConfiguration(cluster.url)
      configuration.namespace = "Hands \(UUID().uuidString)"
      let context = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      let ann = Holder("Ann", number: 1)
      context.insert(ann)
      // The store prepares a statement when it is used for the second time.
      for text in ["a", "b", nil] {
        ann.note = text
        try context.save()
      }
      let owner = try TestCatalog(cluster, namespace: configuration.namespace)
      try owner.connection.execute(hand.change)
      let bob = Holder("Bob", number: 7)
      context.insert(bob)
      bob.holdings = [Holding("house")]
      ann.note = "changed"
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error?.explanation?.contains(hand.words) == true, "\(error.map { "\($0)" } ?? "")")
      try owner.connection.execute(hand.undoing)
      #expect(try owner.rows("SELECT name, note FROM \"Holder\"") == [["Ann", nil]])
      #expect(try owner.rows("SELECT count(*) FROM \"Holding\"") == [["0"]])
      try context.save()
      let other = ModelContext(try ModelContainer(for: Holder.self, Ship.self, configurations: configuration))
      let found = try other.fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.name)]))
      #expect(found.map(\.note) == ["changed", nil])
      #expect(found.last?.holdings.map(\.title) == ["house"])
    }

    @Test("a fetch throws; fetches work again once the change is reverted", arguments: HandChange.ofReads)
    func fetch(_ hand: HandChange) throws {
      let cluster = try TestCluster.shared.get()
      var configuration = PostgresConfiguration(cluster.url)
      configuration.namespace = "Hands \(UUID().uuidString)"
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      context.insert(Holder("Ann", number: 1))
      try context.save()
      func fetch() throws -> [Int?] { try ModelContext(container).fetch(FetchDescriptor<Holder>()).map(\.number) }
      // The store prepares a statement when it is used for the second time.
      for _ in 0..<3 { #expect(try fetch() == [1]) }
      let owner = try TestCatalog(cluster, namespace: configuration.namespace)
      try owner.connection.execute(hand.change)
      // The first fetch uses the prepared statement, the second fetch another statement.
      for _ in 0..<2 {
        let error = #expect(throws: SwiftDataError.self) { try fetch() }
        #expect(error?.explanation != nil)
      }
      try owner.connection.execute(hand.undoing)
      for _ in 0..<3 { #expect(try fetch() == [1]) }
    }

    @Test("a save throws if the stored value is no longer a number, and does not change the value")
    func otherValue() throws {
      let cluster = try TestCluster.shared.get()
      var configuration = PostgresConfiguration(cluster.url)
      configuration.namespace = "Hands \(UUID().uuidString)"
      let container = try ModelContainer(for: Holder.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      context.insert(Holder("Ann", number: 1))
      try context.save()
      let owner = try TestCatalog(cluster, namespace: configuration.namespace)
      try owner.connection.execute("ALTER TABLE \"Holder\" ALTER COLUMN number TYPE text USING 'n' || number")
      let other = ModelContext(container)
      let ann = try #require(try other.fetch(FetchDescriptor<Holder>()).first)
      ann.number = (ann.number ?? 0) + 1
      let error = #expect(throws: SwiftDataError.self) { try other.save() }
      #expect(error == .corruptValue && error?.explanation?.contains("number") == true)
      #expect(try owner.rows("SELECT number FROM \"Holder\"") == [["n1"]])
    }
  }
#endif
