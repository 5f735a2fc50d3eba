#if PostgreSQL
  import ConformanceSupport
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  /// Texts, and zeros with a sign, whose stored form differs from the value. The column `_osd_originals` contains the
  /// value itself.
  @Suite("Original texts in PostgreSQL, next to their stored forms")
  struct OriginalColumnTests {
    private let configuration: PostgresConfiguration
    private let context: ModelContext
    private let apart = "e\u{301}"
    private let whole = "\u{E9}"

    init() throws {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = "Originals \(UUID().uuidString)"
      (configuration.history, configuration.propagation) = (.off, .off)
      self.configuration = configuration
      context = ModelContext(
        try ModelContainer(for: Holder.self, Holding.self, Ship.self, configurations: configuration))
    }

    /// Reads the holders with another container, sorted by number.
    private func stored() throws -> [Holder] {
      let other = ModelContext(
        try ModelContainer(for: Holder.self, Holding.self, Ship.self, configurations: configuration))
      return try other.fetch(FetchDescriptor<Holder>(sortBy: [SortDescriptor(\.number)]))
    }

    private func texts() throws -> [[UInt32]?] {
      try stored().flatMap { [scalars($0.name), scalars($0.note)] }
    }

    /// The contents of the column `_osd_originals`, sorted by number.
    private func column() throws -> [String?] {
      let catalog = try TestCatalog(TestCluster.shared.get(), namespace: configuration.namespace)
      return try catalog.rows("SELECT _osd_originals FROM \"Holder\" ORDER BY number").map { $0[0] }
    }

    @Test("an original text stays if another value of its row changes, and is deleted if its own value changes")
    func severalColumns() throws {
      let holder = Holder("\(apart) name", number: 1)
      holder.note = "\(apart) note"
      context.insert(holder)
      try context.save()
      holder.number = 2
      try context.save()
      #expect(try texts() == [scalars("\(apart) name"), scalars("\(apart) note")])
      holder.note = "\(apart) again"
      try context.save()
      #expect(try texts() == [scalars("\(apart) name"), scalars("\(apart) again")])
      // The new text has the same stored form as the old one, and equals this form, so it needs no original text.
      holder.note = "\(whole) again"
      try context.save()
      #expect(try texts() == [scalars("\(apart) name"), scalars("\(whole) again")])
      holder.name = "plain"
      try context.save()
      #expect(try texts() == [scalars("plain"), scalars("\(whole) again")])
      #expect(try column() == [nil])
    }

    @Test("if many rows are inserted and changed at once, each original text belongs to the right row")
    func severalRows() throws {
      let holders = (0..<6).map { (number: Int) in
        let holder = Holder("\(number.isMultiple(of: 2) ? apart : whole) \(number)", number: number)
        holder.note = number == 3 ? "a\u{0}b" : nil
        return holder
      }
      for holder in holders { context.insert(holder) }
      try context.save()
      #expect(try texts() == holders.flatMap { [scalars($0.name), scalars($0.note)] })
      #expect(try column().map { $0 != nil } == [true, false, true, true, true, false])
      for (number, holder) in holders.enumerated() { holder.note = "\(number < 3 ? apart : whole) new" }
      try context.save()
      #expect(try texts() == holders.flatMap { [scalars($0.name), scalars($0.note)] })
      #expect(try column().map { $0 != nil } == [true, true, true, false, true, false])
    }

    @Test("original texts are replaced or deleted if an upsert changes the values of the row")
    func upserts() throws {
      let holder = Holder("\(apart) name", number: 1)
      holder.note = "\(apart) note"
      context.insert(holder)
      try context.save()
      let second = Holder("\(whole) name", number: 1)
      second.note = "\(whole) note"
      let other = ModelContext(context.container)
      other.insert(second)
      try other.save()
      #expect(try texts() == [scalars("\(whole) name"), scalars("\(whole) note")])
      let third = Holder("other", number: 1)
      third.note = "\(apart) third"
      other.insert(third)
      try other.save()
      #expect(try texts() == [scalars("other"), scalars("\(apart) third")])
      // For an entity with only one unique attribute, an upsert uses another statement.
      for title in [apart, whole, apart] {
        other.insert(Ship(title, mark: "m"))
        try other.save()
        let ships = try ModelContext(context.container).fetch(FetchDescriptor<Ship>())
        #expect(ships.map { scalars($0.title) } == [scalars(title)])
      }
    }

    @Test("a conflict compares original texts: a concurrent change to a text with the same stored form is detected")
    func hidden() throws {
      let holder = Holder("\(whole) name", number: 1)
      context.insert(holder)
      try context.save()
      let other = ModelContext(
        try ModelContainer(for: Holder.self, Holding.self, Ship.self, configurations: configuration))
      let theirs = try #require(try other.fetch(FetchDescriptor<Holder>()).first)
      theirs.name = "\(apart) name"
      try other.save()
      // Both texts have the same stored form, and the store contains the other context's text.
      context.conflictPolicy = .throwError
      holder.name = "mine"
      #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(try texts() == [scalars("\(apart) name"), nil])
    }

    @Test("original texts add one column to a statement, which remains one query of one table")
    func statements() throws {
      let recorder = LogRecorder()
      var configuration = configuration
      configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
      let container = try ModelContainer(for: Holder.self, Holding.self, Ship.self, configurations: configuration)
      let context = ModelContext(container)
      context.insert(Holder("name", number: 1))
      try context.save()
      recorder.clear()
      let fresh = ModelContext(container)
      let name = "name"
      let found = try fresh.fetch(FetchDescriptor<Holder>(predicate: #Predicate { $0.name == name }))
      let second = ModelContext(container)
      _ = (second.model(for: try #require(found.first).persistentModelID) as? Holder)?.name
      let reads = recorder.statements.filter { $0.hasPrefix("SELECT") && $0.contains("\"name\"") }
      #expect(reads.count >= 2, "\(reads)")
      for read in reads {
        #expect(read.contains("\"_osd_originals\" FROM"), "\(read)")
        #expect(read.components(separatedBy: "SELECT").count == 2, "\(read)")
      }
    }
  }
#endif
