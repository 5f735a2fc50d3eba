import ConformanceSupport
import Foundation
import OpenSwiftData
import Testing

/// In this module, Date, String, Optional and other types have raw values. Their stored forms must not change because
/// of that.
@Suite("Types that a program makes RawRepresentable")
struct RawValueTests {
  private static let day = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
  private static let models: [any PersistentModel.Type] = [
    Entry.self, Sibling.self, Base.self, Derived.self, Logbook.self, Board.self,
  ]

  private static func entry(_ text: String, _ offset: Double = 0) -> Entry {
    let entry = Entry(key: UUID(), text: text, date: day.addingTimeInterval(offset))
    entry.note = "note of \(text)"
    entry.due = day
    entry.identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    entry.home = URL(string: "https://home.example")
    entry.extra = Data([9])
    entry.rebate = 0.25
    entry.limit = 7
    entry.share = 0.75
    entry.isKnown = true
    entry.tags = ["x", "y"]
    entry.aliases = ["z"]
    entry.ranks = ["r": 2]
    entry.lastPayload = Payload.none
    entry.lastSpot = entry.spot
    entry.lastTint = Tint(rawValue: "red")
    entry.scan = Data(repeating: 7, count: 300_000)
    entry.scanOf = ["s"]
    entry.secret = "secret"
    return entry
  }

  @Test("Every value round-trips", arguments: Engine.allCases)
  func roundTrip(_ engine: Engine) throws {
    let store = try TestStore(engine, Self.models)
    let context = store.context()
    let entry = Self.entry("a")
    context.insert(entry)
    entry.children = [Self.entry("child")]
    entry.siblings = [Sibling(name: "s")]
    try context.save()
    let found = try #require(
      try store.context().fetch(FetchDescriptor<Entry>(predicate: #Predicate { $0.text == "a" })).first)
    for (name, left, right) in Self.values(of: entry, found) {
      #expect(left == right, "\(name)")
    }
    #expect(found.children.map(\.text).elementsEqual(["child"]))
    #expect(found.siblings?.map(\.name).elementsEqual(["s"]) ?? false)
  }

  private static func values(of one: Entry, _ other: Entry) -> [(name: String, AnyHashable, AnyHashable)] {
    func pair(
      _ name: String, _ keyPath: KeyPath<Entry, some Hashable>
    ) -> (name: String, AnyHashable, AnyHashable) {
      (name, AnyHashable(one[keyPath: keyPath]), AnyHashable(other[keyPath: keyPath]))
    }
    return [
      pair("key", \.key), pair("made", \.made), pair("link", \.link), pair("words", \.words), pair("note", \.note),
      pair("date", \.date), pair("due", \.due), pair("identifier", \.identifier), pair("address", \.address),
      pair("home", \.home), pair("bytes", \.bytes), pair("extra", \.extra), pair("price", \.price),
      pair("rebate", \.rebate), pair("count", \.count), pair("limit", \.limit), pair("ratio", \.ratio),
      pair("share", \.share), pair("isOpen", \.isOpen), pair("isKnown", \.isKnown), pair("tags", \.tags),
      pair("aliases", \.aliases), pair("days", \.days), pair("counts", \.counts), pair("ranks", \.ranks),
      pair("x", \.point.x), pair("mood", \.mood), pair("lastMood", \.lastMood), pair("moods", \.moods),
      pair("payload", \.payload), pair("lastPayload", \.lastPayload), pair("spot", \.spot),
      pair("lastSpot", \.lastSpot), pair("spots", \.spots), pair("tint", \.tint), pair("lastTint", \.lastTint),
      pair("scan", \.scan), pair("scanOf", \.scanOf), pair("secret", \.secret),
    ]
  }

  @Test("Columns keep the library's stored form, not the program's raw value")
  func columns() throws {
    let store = try TestStore(.file, Self.models)
    let context = store.context()
    context.insert(Self.entry("a"))
    try context.save()
    let database = try RawDatabase(store.configuration.url.path)
    let classes = """
      SELECT typeof("date"), typeof("due"), typeof("text"), typeof("note"), typeof("key"), typeof("identifier"),
      typeof("address"), typeof("bytes"), typeof("count"), typeof("ratio"), typeof("isOpen"),
      typeof("mood"), typeof("lastMood"), typeof("spot_seen"), typeof("spot_mood") FROM "Entry"
      """
    #expect(
      try database.rows(classes)[0].map { $0 ?? "" }.elementsEqual([
        "real", "real", "text", "text", "blob", "blob", "text", "blob", "integer", "real", "integer",
        "integer", "integer", "real", "integer",
      ]))
    let texts = try database.rows(#"SELECT "tags", "aliases", "tint", "moods", "spot_tint", "counts" FROM "Entry""#)[0]
    #expect(
      texts.map { $0 ?? "" }.elementsEqual([#"["x","y"]"#, #"["z"]"#, "blue", "[2,1]", "t", #"{"a":1}"#]))
    let row = try database.rows(#"SELECT * FROM "Entry""#)[0]
    #expect(!row.contains { ($0 ?? "").contains("raw:") })
  }

  @Test("The schema encodes the types in the same way as without the conformance, so an older store needs no migration")
  func schema() throws {
    let text = String(decoding: try JSONEncoder().encode(Schema([Entry.self])), as: UTF8.self)
    let rawNames = text.components(separatedBy: "\"rawName\"").count - 1
    // Eight properties have a raw value: `mood`, `lastMood`, `tint` and `lastTint`, and `mood` and `tint` in each of
    // two spots.
    #expect(rawNames == 8)
    #expect(!text.contains("raw:"))
  }

  @Test("Predicates, sorts and aggregates use the values", arguments: Engine.allCases)
  func queries(_ engine: Engine) throws {
    let store = try TestStore(engine, Self.models)
    let context = store.context()
    for index in 0..<4 { context.insert(Self.entry("e\(index)", Double(3 - index))) }
    try context.save()
    let day = Self.day
    let tags: [String] = ["x", "y"]
    func texts(_ predicate: Predicate<Entry>) throws -> String {
      let order = SortDescriptor(\Entry.date)
      return try store.context().fetch(FetchDescriptor<Entry>(predicate: predicate, sortBy: [order])).map(\.text)
        .joined(separator: " ")
    }
    #expect(try texts(#Predicate { $0.date > day }) == "e2 e1 e0")
    #expect(try texts(#Predicate { $0.due == day && $0.date == day }) == "e3")
    #expect(try texts(#Predicate { $0.tags == tags && $0.text == "e1" }) == "e1")
    #expect(try texts(#Predicate { $0.tags.contains("x") }) == "e3 e2 e1 e0")
    #expect(try texts(#Predicate { $0.mood.rawValue == 2 && $0.spot.seen > day }) == "e2 e1 e0")
    #expect(try texts(#Predicate { $0.tint.rawValue == "blue" }) == "e3 e2 e1 e0")
    let raw = day.rawValue
    #expect(try texts(#Predicate { $0.date.rawValue == raw }) == "e3")
    #expect(try context.fetchCount(FetchDescriptor<Entry>(predicate: #Predicate { $0.note == nil })) == 0)
    #expect(try context.max(of: \Entry.date) == day.addingTimeInterval(3))
  }

  @Test("A refresh changes only the properties that another context wrote", arguments: Engine.allCases)
  func refresh(_ engine: Engine) throws {
    let store = try TestStore(engine, Self.models)
    let (first, second) = (store.context(), store.context())
    first.insert(Self.entry("a"))
    try first.save()
    let other = try #require(try second.fetch(FetchDescriptor<Entry>()).first)
    let own = try #require(try first.fetch(FetchDescriptor<Entry>()).first)
    own.tags = ["changed"]
    own.due = nil
    own.mood = .good
    own.spot.marks = ["n"]
    try first.save()
    _ = try second.fetch(FetchDescriptor<Entry>())
    #expect(other.tags.elementsEqual(["changed"]) && other.due == nil && other.mood == .good)
    #expect(other.spot.marks.elementsEqual(["n"]) && other.aliases?.elementsEqual(["z"]) ?? false)
  }

  @Test("Values that are fetched without objects equal those of objects", arguments: Engine.allCases)
  func values(_ engine: Engine) throws {
    let store = try TestStore(engine, Self.models)
    let context = store.context()
    let entry = Self.entry("a")
    context.insert(entry)
    entry.parent = Self.entry("parent")
    try context.save()
    let predicate = #Predicate<Entry> { $0.text == "a" }
    let value = try #require(try store.context().fetchValues(FetchDescriptor<Entry>(predicate: predicate)).first)
    #expect(value == Entry.Value(entry))
    #expect(value.date == Self.day && value.tags.elementsEqual(["x", "y"]) && value.parent != nil)
  }

  @Test("Subclasses, actors and classes of an actor can have such properties", arguments: Engine.allCases)
  @MainActor func others(_ engine: Engine) async throws {
    let store = try TestStore(engine, Self.models)
    let context = store.container.mainContext
    let derived = Derived(date: Self.day, mark: "m")
    derived.seen = Self.day
    derived.list = [Self.day]
    derived.names = ["n"]
    let board = Board(date: Self.day)
    board.notes = ["b"]
    context.insert(derived)
    context.insert(board)
    try context.save()
    let fresh = store.context()
    let found = try #require(try fresh.fetch(FetchDescriptor<Derived>()).first)
    #expect(found.seen == Self.day && found.list?.first == Self.day && found.names.first == "n" && found.mark == "m")
    #expect(try context.fetchCount(FetchDescriptor<Board>(predicate: #Predicate { $0._notes != nil })) == 1)
  }
}
