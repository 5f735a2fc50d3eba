#if PostgreSQL
  import Foundation
  import PersistenceCore
  import Testing

  private enum Bare {
    @Model final class Crate {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  /// A model with an attribute of every column type, each with a default value.
  private enum Full {
    @Model final class Crate {
      var name: String
      var flag: Bool = true
      var count: Int = -7
      var least: Int = Int.min
      var word: UInt64 = UInt64.max
      var small: UInt64 = 5
      var real: Double = -0.0
      var endless: Double = -Double.infinity
      var strange: Double = Double.nan
      var short: Float = 0.1
      var exact: Decimal = Decimal(string: "-12.340000000000000000001")!
      var noNumber: Decimal = Decimal.nan
      var text: String = "it's \\ \"é\" e\u{301} \0\u{1}"
      var link: URL = URL(string: "https://example.org/'a'")!
      var mark: UUID = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
      var bytes: Data = Data([0, 39, 92, 255])
      var date: Date = Date(timeIntervalSinceReferenceDate: 1.25)
      @Attribute(.codable) var frame: Frame = Frame()
      @Attribute(.externalStorage) var picture: Data = Data([1, 2])
      var list: [String] = ["a'", "\\"]
      init(_ name: String) { self.name = name }
    }
  }

  extension Full.Crate: EveryForm {}

  private enum Maybe {
    @Model final class Crate {
      var name: String
      var flag: Bool?
      var count: Int?
      var least: Int?
      var word: UInt64?
      var small: UInt64?
      var real: Double?
      var endless: Double?
      var strange: Double?
      var short: Float?
      var exact: Decimal?
      var noNumber: Decimal?
      var text: String?
      var link: URL?
      var mark: UUID?
      var bytes: Data?
      var date: Date?
      @Attribute(.codable) var frame: Frame?
      @Attribute(.externalStorage) var picture: Data?
      var list: [String]?
      init(_ name: String) { self.name = name }
    }
  }

  @Suite("Migrations of columns on a server")
  struct PostgresColumnMigrationTests {
    private func check(_ crate: Full.Crate) {
      crate.expectDefaults()
      #expect(crate.count == -7 && scalars(crate.text) == scalars("it's \\ \"é\" e\u{301} \0\u{1}"))
      #expect(crate.list == ["a'", "\\"])
    }

    @Test("existing rows get the default of a new attribute of any type, and no column keeps a default in the database")
    func defaults() throws {
      let store = try ServerStore()
      try store.use([Bare.Crate.self]) { $0.insert(Bare.Crate("old")) }
      #expect(try store.statements(to: [Full.Crate.self]).allSatisfy { !$0.contains("_osd_old_") })
      try store.migrate(to: [Full.Crate.self]) { context in
        let crates = try context.fetch(FetchDescriptor<Full.Crate>())
        try check(#require(crates.first))
        // A predicate finds the row, too, which shows that the stored value is exact.
        let word = UInt64.max
        #expect(try context.fetchCount(FetchDescriptor<Full.Crate>(predicate: #Predicate { $0.word == word })) == 1)
        context.insert(Full.Crate("new"))
      }
    }

    @Test(
      "an optional attribute becomes required: its column becomes NOT NULL, and rows without a value get the default")
    func filled() throws {
      let store = try ServerStore()
      try store.use([Maybe.Crate.self]) { context in
        context.insert(Maybe.Crate("empty"))
        let full = Maybe.Crate("full")
        context.insert(full)
        (full.flag, full.count, full.word, full.exact) = (false, 1, 9, 1.5)
        (full.text, full.frame, full.bytes) = ("text", Frame(width: 2, text: ""), Data())
      }
      try store.migrate(to: [Full.Crate.self]) { context in
        let crates = try context.fetch(FetchDescriptor<Full.Crate>(sortBy: [SortDescriptor(\.name)]))
        try check(#require(crates.first))
        let full = try #require(crates.last)
        #expect(!full.flag && full.count == 1 && full.word == 9 && full.exact == 1.5 && full.small == 5)
        #expect(full.text == "text" && full.frame == Frame(width: 2, text: "") && full.bytes == Data())
        #expect(full.mark.uuidString == "00112233-4455-6677-8899-AABBCCDDEEFF" && full.noNumber.isNaN)
      }
      // The migration back to optional attributes reads no rows.
      let statements = try store.statements(to: [Maybe.Crate.self])
      #expect(statements.allSatisfy { $0.contains("DROP NOT NULL") || $0.contains("ALTER COLUMN") })
      try store.migrate(to: [Maybe.Crate.self]) { context in
        let words = try context.fetch(FetchDescriptor<Maybe.Crate>()).map(\.word)
        #expect(words.allSatisfy { $0 != nil })
      }
    }

    @Test("columns are renamed, removed, made optional and converted without a rebuild of the table")
    func altered() throws {
      let store = try ServerStore()
      try store.use([Narrow.Crate.self]) { context in
        context.insert(Narrow.Crate("a", 3, 250))
        context.insert(Narrow.Crate("b", -4, 0))
      }
      let statements = try store.statements(to: [Wide.Crate.self])
      #expect(statements.allSatisfy { !$0.contains("INSERT INTO") && !$0.contains("CREATE TABLE") })
      for part in [
        "RENAME COLUMN", "DROP COLUMN \"gone\"", "DROP COLUMN \"also\"", "DROP NOT NULL", "TYPE", "SET NOT NULL",
      ] {
        #expect(statements.contains { $0.contains(part) }, "\(part)")
      }
      try store.migrate(to: [Wide.Crate.self]) { context in
        let crates = try context.fetch(FetchDescriptor<Wide.Crate>(sortBy: [SortDescriptor(\.title)]))
        #expect(
          crates.map(\.title) == ["a", "b"] && crates.map(\.real) == [3, -4] && crates.map(\.exact) == [250, 0])
        #expect(crates.map(\.word) == [250, 0] && crates.map(\.note) == ["note", "note"])
        #expect(crates.map(\.rank) == [1, 1])
        crates[0].note = nil
        crates[0].word = .max
      }
    }

    @Test(
      "if a conversion would round numbers, the error lists them, including those above Int.max, and nothing changes")
    func rounded() throws {
      let store = try ServerStore()
      try store.use([Words.Crate.self]) { $0.insert(Words.Crate(.max)) }
      let error = try store.refusal(of: [Reals.Crate.self])
      #expect(error == .modelValidationFailure && "\(error)".contains("18446744073709551615"))
    }

    @Test("if attributes become required without a default, the error lists the rows without a value")
    func missing() throws {
      let store = try ServerStore()
      try store.use([Maybe.Crate.self]) { $0.insert(Maybe.Crate("empty")) }
      let error = try store.refusal(of: [Strict.Crate.self])
      #expect(error == .unknownSchema && "\(error)".contains("Crate.count"))
    }

    @Test("a default that is computed for each row is stored together with its original text")
    func volatile() throws {
      let store = try ServerStore()
      try store.use([Bare.Crate.self]) { context in for name in ["a", "b", "c"] { context.insert(Bare.Crate(name)) } }
      try store.migrate(to: [Volatile.Crate.self]) { context in
        let crates = try context.fetch(FetchDescriptor<Volatile.Crate>())
        #expect(Set(crates.map(\.mark)).count == 3 && Set(crates.map(\.text)).count == 3)
        #expect(crates.allSatisfy { scalars($0.text)?.prefix(2) == [0x65, 0x301] })
      }
    }

    @Test("an attribute that becomes unique gets an index; if values are equal, the error lists them")
    func unique() throws {
      let store = try ServerStore()
      try store.use([Bare.Crate.self]) { context in for name in ["a", "b", "b"] { context.insert(Bare.Crate(name)) } }
      let error = try store.refusal(of: [Single.Crate.self])
      #expect(error == .modelValidationFailure && "\(error)".contains("\"b\" (2 times)"))
      try store.use([Bare.Crate.self]) { context in
        let crates = try context.fetch(FetchDescriptor<Bare.Crate>(predicate: #Predicate { $0.name == "b" }))
        context.delete(try #require(crates.first))
      }
      try store.migrate(to: [Single.Crate.self]) { context in
        context.insert(Single.Crate("a"))
      }
      #expect(try ModelContext(store.open([Single.Crate.self])).fetchCount(FetchDescriptor<Single.Crate>()) == 2)
    }
  }

  private enum Narrow {
    @Model final class Crate {
      #Index<Crate>([\.name], [\.number])
      var name: String
      var number: Int
      var word: UInt8
      var other: UInt32
      var note: String
      var rank: Int?
      var gone = 1
      var also = ""
      init(_ name: String, _ number: Int, _ word: UInt8) {
        (self.name, self.number, self.word, other, note) = (name, number, word, UInt32(word), "note")
      }
    }
  }

  private enum Wide {
    @Model final class Crate {
      #Index<Crate>([\.title], [\.real])
      @Attribute(originalName: "name") var title: String
      @Attribute(originalName: "number") var real: Double
      var word: UInt64
      @Attribute(originalName: "other") var exact: Decimal
      var note: String?
      var rank: Int = 1
      init(_ title: String) { (self.title, real, word, exact) = (title, 0, 0, 0) }
    }
  }

  private enum Words {
    @Model final class Crate {
      var word: UInt64
      init(_ word: UInt64) { self.word = word }
    }
  }

  private enum Reals {
    @Model final class Crate {
      var word: Double
      init() { word = 0 }
    }
  }

  private enum Strict {
    @Model final class Crate {
      var name: String
      var count: Int
      init(_ name: String) { (self.name, count) = (name, 0) }
    }
  }

  private enum Volatile {
    @Model final class Crate {
      var name: String
      var mark: UUID = UUID()
      var text: String = "e\u{301}" + UUID().uuidString
      init(_ name: String) { self.name = name }
    }
  }

  private enum Single {
    @Model final class Crate {
      @Attribute(.unique) var name: String
      init(_ name: String) { self.name = name }
    }
  }
#endif
