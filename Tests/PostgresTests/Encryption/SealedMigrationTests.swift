#if PostgreSQL && Encryption
  import Foundation
  import PersistenceCore
  import Testing

  /// A model with an unencrypted attribute of every column type.
  private enum Clear {
    @Model final class Chest {
      var name: String
      var flag: Bool = true
      var least: Int = Int.min
      var word: UInt64 = UInt64.max
      var small: UInt64 = 5
      var real: Double = -0.0
      var endless: Double = -Double.infinity
      var strange: Double = Double.nan
      var third: Double = 1.0 / 3
      var short: Float = 0.1
      var exact: Decimal = Decimal(string: "-12.340000000000000000001")!
      var noNumber: Decimal = Decimal.nan
      var text: String = "PLAINTEXT \\ \"é\" e\u{301} \0\u{1}"
      var link: URL = URL(string: "https://example.org/'a'")!
      var mark: UUID = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
      var bytes: Data = Data([0, 39, 92, 255])
      var date: Date = Date(timeIntervalSinceReferenceDate: 1.25)
      @Attribute(.codable) var frame: Frame = Frame()
      @Attribute(.externalStorage) var picture: Data = Data([1, 2])
      @Attribute(.preserveValueOnDeletion) var list: [String] = ["PLAINTEXT", "\\"]
      var missing: String?
      init(_ name: String) { self.name = name }
    }
  }

  private enum Closed {
    @Model final class Chest {
      var name: String
      @Attribute(.encrypt) var flag: Bool = true
      @Attribute(.encrypt) var least: Int = Int.min
      @Attribute(.encrypt) var word: UInt64 = UInt64.max
      @Attribute(.encrypt) var small: UInt64 = 5
      @Attribute(.encrypt) var real: Double = -0.0
      @Attribute(.encrypt) var endless: Double = -Double.infinity
      @Attribute(.encrypt) var strange: Double = Double.nan
      @Attribute(.encrypt) var third: Double = 1.0 / 3
      @Attribute(.encrypt) var short: Float = 0.1
      @Attribute(.encrypt) var exact: Decimal = Decimal(string: "-12.340000000000000000001")!
      @Attribute(.encrypt) var noNumber: Decimal = Decimal.nan
      @Attribute(.encrypt) var text: String = ""
      @Attribute(.encrypt) var link: URL = URL(string: "https://example.org/'a'")!
      @Attribute(.encrypt) var mark: UUID = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
      @Attribute(.encrypt) var bytes: Data = Data([0, 39, 92, 255])
      @Attribute(.encrypt) var date: Date = Date(timeIntervalSinceReferenceDate: 1.25)
      @Attribute(.encrypt, .codable) var frame: Frame = Frame()
      @Attribute(.encrypt, .externalStorage) var picture: Data = Data([1, 2])
      @Attribute(.encrypt, .preserveValueOnDeletion) var list: [String] = []
      @Attribute(.encrypt) var missing: String?
      init(_ name: String) { self.name = name }
    }
  }

  /// The attributes that the models of this file have in addition to those of `EveryForm`.
  private protocol ChestForm: EveryForm {
    var third: Double { get }
    var text: String { get }
    var list: [String] { get }
    var missing: String? { get }
  }

  extension Clear.Chest: ChestForm {}
  extension Closed.Chest: ChestForm {}

  private enum Docks {
    @Model final class Harbour {
      var name: String
      @Attribute(.encrypt) var depth: Int?
      @Attribute(.encrypt) var chart: String = "chart"
      init(_ name: String, _ depth: Int?) { (self.name, self.depth) = (name, depth) }
    }
    @Model final class Quay {
      var name: String
      var depth: Int?
      init(_ name: String, _ depth: Int?) { (self.name, self.depth) = (name, depth) }
    }
  }

  private enum Port {
    @Model class Place {
      var name: String
      var depth: Double = 2.5
      init(_ name: String) { self.name = name }
    }
    @Model final class Harbour: Place {
      var chart: String = ""
      override init(_ name: String) { super.init(name) }
    }
    @Model final class Quay: Place {
      override init(_ name: String) { super.init(name) }
    }
  }

  @Suite("Migrations that add or remove encryption of attributes, on a server")
  struct SealedMigrationTests {
    private func check(_ chest: some ChestForm) {
      chest.expectDefaults()
      #expect(chest.third == 1.0 / 3 && scalars(chest.text) == scalars("PLAINTEXT \\ \"é\" e\u{301} \0\u{1}"))
      #expect(chest.list == ["PLAINTEXT", "\\"] && chest.missing == nil)
    }

    @Test("values of every type are encrypted and decrypted exactly, and after encryption no plain value is left")
    func everyForm() throws {
      let store = try ServerStore.sealed()
      try store.use([Clear.Chest.self]) { context in
        for name in ["a", "b"] { context.insert(Clear.Chest(name)) }
        let gone = Clear.Chest("gone")
        context.insert(gone)
        try context.save()
        context.delete(gone)
      }
      #expect(try store.holds("PLAINTEXT"))
      #expect(try !store.catalog().rows("SELECT 1 FROM _osd_tombstones").isEmpty)
      try store.migrate(to: [Closed.Chest.self]) { context in
        let chests = try context.fetch(FetchDescriptor<Closed.Chest>())
        #expect(chests.map(\.name).sorted() == ["a", "b"])
        for chest in chests { check(chest) }
      }
      #expect(try !store.holds("PLAINTEXT"))
      try store.migrate(to: [Clear.Chest.self]) { context in
        let chests = try context.fetch(FetchDescriptor<Clear.Chest>())
        #expect(chests.map(\.name).sorted() == ["a", "b"])
        for chest in chests { check(chest) }
      }
      #expect(try store.holds("PLAINTEXT"))
    }

    @Test("if a migration joins encrypted and unencrypted columns of several tables, the joined column is unencrypted")
    func merged() throws {
      let store = try ServerStore.sealed()
      try store.use([Docks.Harbour.self, Docks.Quay.self]) { context in
        context.insert(Docks.Harbour("a", 7))
        context.insert(Docks.Harbour("b", nil))
        context.insert(Docks.Quay("c", 9))
        context.insert(Docks.Quay("d", nil))
      }
      try store.migrate(to: [Port.Place.self, Port.Harbour.self, Port.Quay.self]) { context in
        let places = try context.fetch(FetchDescriptor<Port.Place>(sortBy: [SortDescriptor(\.name)]))
        #expect(places.map(\.depth) == [7, 2.5, 9, 2.5])
        #expect(places.map { "\(type(of: $0))" } == ["Harbour", "Harbour", "Quay", "Quay"])
        #expect(places.compactMap { ($0 as? Port.Harbour)?.chart } == ["chart", "chart"])
      }
    }

    @Test("a migration that finds a value which no key decrypts throws and leaves the store unchanged")
    func forgery() throws {
      let store = try ServerStore.sealed()
      try store.use([Docks.Harbour.self, Docks.Quay.self]) { $0.insert(Docks.Harbour("a", 7)) }
      try store.catalog().connection.execute("UPDATE \"Harbour\" SET depth = chart")
      let error = try store.refusal(of: [Port.Place.self, Port.Harbour.self, Port.Quay.self])
      #expect(error == .corruptValue && error.explanation?.contains("Harbour.depth") == true)
    }

    @Test("a dry run lists the steps of the migration and needs no key")
    func dryRun() throws {
      let store = try ServerStore.sealed()
      try store.use([Docks.Harbour.self, Docks.Quay.self]) { $0.insert(Docks.Harbour("a", 7)) }
      store.configuration.encryptionKey = nil
      let statements = try store.statements(to: [Port.Place.self, Port.Harbour.self, Port.Quay.self])
      #expect(statements.contains { $0.contains("with the value encoded anew") })
      #expect(statements.contains { $0.contains("ALTER COLUMN \"depth\" TYPE float8 USING convert_from") })
    }
  }
#endif
