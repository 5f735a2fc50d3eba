import ConformanceSupport
import OpenSwiftData
import Testing

/// The schema with which the fixtures were written. It has every kind of content that a store can have. Do not change
/// it.
private enum Released: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Place.self, City.self, Tour.self, Tag.self] }

  enum Mood: String, Codable { case calm, wild }

  struct Position: Codable, Equatable {
    var latitude: Double
    var longitude: Double
    var remark: String?
  }

  @Model class Place {
    #Index<Place>(.binary([\.name, \.score]), .binary([\.price]), .rtree([\.score]))
    @Attribute(.unique) var name: String
    var score: Int
    var position: Position
    var other: Position?
    var mood: Mood = Mood.calm
    var words: [String] = []
    var day: Date
    var identifier: UUID
    var price: Decimal
    var link: URL?
    var bytes: Data
    @Attribute(.externalStorage) var picture: Data?
    @Relationship(inverse: \Tag.places) var tags: [Tag] = []
    var tour: Tour?

    init(_ name: String, _ score: Int) {
      self.name = name
      self.score = score
      position = Position(latitude: 59.9, longitude: -10.75, remark: nil)
      day = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
      identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
      price = Decimal(string: "12.50") ?? 0
      bytes = Data([0, 1, 255])
    }
  }

  @Model final class City: Place {
    var inhabitants: UInt64 = UInt64.max
    override init(_ name: String, _ score: Int) { super.init(name, score) }
  }

  @Model final class Tour {
    var title: String
    @Relationship(deleteRule: .cascade, inverse: \Place.tour) var stops: [Place] = []
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    var text: String
    var places: [Place] = []
    init(_ text: String) { self.text = text }
  }
}

/// A later version of the same schema, to which the tests migrate the fixtures.
private enum Later: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Place.self, City.self, Tour.self] }

  @Model class Place {
    var name: String
    @Attribute(originalName: "score") var points: Double
    var position: Released.Position?
    @Attribute(originalName: "picture") var image: Data?
    var tour: Tour?
    init() { (name, points) = ("", 0) }
  }

  @Model final class City: Place {
    var inhabitants: UInt64 = UInt64.max
    var isOld: Bool = false
    override init() { super.init() }
  }

  @Model final class Tour {
    var title: String
    @Relationship(inverse: \Place.tour) var stops: [Place] = []
    init(_ title: String) { self.title = title }
  }
}

/// Fixtures: for each file format, a store that the library wrote when this format was the newest one.
/// `OSD_WRITE_FIXTURE=format-1 swift test --filter FixtureTests` writes a fixture with the present format.
@Suite("Stores of each format", .onSQLite)
struct FixtureTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")

  private static var names: [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".store") }.sorted()
  }

  private func fill(_ context: ModelContext) throws {
    // The text is not in Unicode normal form, and contains U+0000, at which many programs end a text.
    let tour = Released.Tour("nord\u{E9}e\u{301}\u{0}!")
    context.insert(tour)
    let places = [Released.Place("hut", 1), Released.City("Oslo", 2), Released.Place("pier", 3)]
    tour.stops = places
    places[1].tags = [Released.Tag("b"), Released.Tag("a")]
    places[0].other = Released.Position(latitude: 1, longitude: 2, remark: "there")
    places[0].mood = .wild
    places[0].words = ["one", "two"]
    places[0].link = URL(string: "https://example.org/a?b=c")
    places[1].position = Released.Position(latitude: 59.9, longitude: -0.0, remark: "")
    places[2].price = Decimal(string: "-12345678901234567890.123456789") ?? 0
    places[2].picture = Data(repeating: 3, count: 120_000)
    try context.save()
    tour.stops.swapAt(0, 2)
    try context.save()
  }

  private func check(_ context: ModelContext) throws {
    let tour = try #require(try context.fetch(FetchDescriptor<Released.Tour>()).first)
    #expect(tour.stops.map(\.name) == ["pier", "Oslo", "hut"] && tour.stops.map(\.score) == [3, 2, 1])
    #expect(Array(tour.title.unicodeScalars) == Array("nord\u{E9}e\u{301}\u{0}!".unicodeScalars))
    let (pier, hut) = (tour.stops[0], tour.stops[2])
    let city = try #require(tour.stops[1] as? Released.City)
    #expect(city.inhabitants == .max && city.tags.map(\.text) == ["b", "a"])
    #expect(city.position.longitude.sign == .minus && city.position.longitude == 0 && city.position.remark == "")
    #expect(pier.price == Decimal(string: "-12345678901234567890.123456789"))
    #expect(city.tags[0].places.map(\.name) == ["Oslo"])
    #expect(pier.picture == Data(repeating: 3, count: 120_000) && pier.other == nil && pier.mood == .calm)
    #expect(hut.other == Released.Position(latitude: 1, longitude: 2, remark: "there") && hut.mood == .wild)
    #expect(hut.words == ["one", "two"] && hut.link?.absoluteString == "https://example.org/a?b=c")
    #expect(hut.position.longitude == -10.75 && hut.day == Date(timeIntervalSinceReferenceDate: 700_000_000.5))
    #expect(hut.identifier.uuid.15 == 16 && hut.price == Decimal(string: "12.5") && hut.bytes == Data([0, 1, 255]))
  }

  private func copy(_ name: String) throws -> MigratedStore {
    let store = try MigratedStore()
    for suffix in ["", "_external"] {
      let source = Self.folder.appending(path: name).path + suffix
      guard FileManager.default.fileExists(atPath: source) else { continue }
      try FileManager.default.copyItem(atPath: source, toPath: store.url.path + suffix)
    }
    return store
  }

  @Test("a store of each format opens, and can be changed", arguments: names)
  func opening(name: String) throws {
    let store = try copy(name)
    try store.use(Released.models) { context in
      try check(context)
      context.insert(Released.City("Rome", 4))
      try context.save()
      let found = try context.fetchCount(FetchDescriptor<Released.Place>())
      #expect(found == 4)
    }
  }

  @Test("a store of each format is migrated to a later version of the schema", arguments: names)
  func migrating(name: String) throws {
    let store = try copy(name)
    try store.migrate(to: Later.models) { context in
      let tour = try #require(try context.fetch(FetchDescriptor<Later.Tour>()).first)
      #expect(tour.stops.map(\.name) == ["pier", "Oslo", "hut"] && tour.stops.map(\.points) == [3, 2, 1])
      #expect(tour.stops.map { $0.position?.latitude } == [59.9, 59.9, 59.9])
      #expect((tour.stops[1] as? Later.City)?.isOld == false)
      #expect(tour.stops[0].image?.count == 120_000)
    }
    #expect(store.externalFiles == [])
  }

  @Test("opening a store of an older format gives it the tables and the format number of a new store", arguments: names)
  func comparing(name: String) throws {
    let store = try copy(name)
    let files = store.externalFiles
    try store.use(Released.models) { _ in }
    let database = try RawDatabase(store.url.path)
    let fresh = try MigratedStore()
    try fresh.use(Released.models) { _ in }
    let expected = try RawDatabase(fresh.url.path)
    #expect(try database.layout() == expected.layout())
    let numbers = try ["PRAGMA user_version", "PRAGMA application_id", "PRAGMA journal_mode", Self.statements].map {
      #expect(try database.rows($0) == expected.rows($0))
      return try database.column($0)
    }
    #expect(numbers.allSatisfy { !$0.isEmpty })
    #expect(try database.column("PRAGMA integrity_check") == ["ok"] && store.externalFiles == files)
    // The store compares texts by canonical equivalence, as Swift does.
    try store.use(Released.models) { context in
      context.insert(Released.Place("caf\u{E9}", 1))
      try context.save()
      context.insert(Released.Place("cafe\u{301}", 2))
      try context.save()
      let found = try context.fetch(FetchDescriptor<Released.Place>(predicate: #Predicate { $0.name == "caf\u{E9}" }))
      #expect(found.map(\.score) == [2])
    }
  }

  @Test("a store of each format can be opened read-only, and its file stays unchanged", arguments: names)
  func readingOnly(name: String) throws {
    let store = try copy(name)
    let bytes = try Data(contentsOf: store.url)
    try check(ModelContext(try store.open(Released.models) { $0 = ModelConfiguration(url: $0.url, allowsSave: false) }))
    #expect(try Data(contentsOf: store.url) == bytes)
    let error = #expect(throws: SwiftDataError.self) {
      _ = try store.open(Later.models) { $0 = ModelConfiguration(url: $0.url, allowsSave: false) }
    }
    #expect(error == .storeReadOnly && "\(error.map { "\($0)" } ?? "")".contains("older schema"))
  }

  @Test("printing the migration plan for a store of each format leaves the file unchanged", arguments: names)
  func planning(name: String) throws {
    let store = try copy(name)
    let bytes = try Data(contentsOf: store.url)
    let plan = try ModelContainer.migrationPlan(
      from: ModelConfiguration(url: store.url), to: Schema(versionedSchema: Later.self))
    #expect(plan.isPossible && "\(plan)".contains("Place.score was renamed to points"))
    #expect(try Data(contentsOf: store.url) == bytes)
  }

  @Test("opening a store of a newer format, or planning its migration, throws a descriptive error and changes nothing")
  func newer() throws {
    let store = try MigratedStore()
    try store.use(Released.models) { try fill($0) }
    let database = try RawDatabase(store.url.path)
    try database.run("UPDATE _osd_metadata SET value = '99' WHERE key = 'format'")
    try database.run("PRAGMA user_version = 99")
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let bytes = try Data(contentsOf: store.url)
    for open in [
      { _ = try store.open(Released.models) },
      { _ = try store.open(Released.models) { $0 = ModelConfiguration(url: $0.url, allowsSave: false) } },
      {
        _ = try ModelContainer.migrationPlan(
          from: ModelConfiguration(url: store.url), to: Schema(versionedSchema: Later.self))
      },
    ] {
      let error = #expect(throws: SwiftDataError.self) { try open() }
      let text = "\(error.map { "\($0)" } ?? "")"
      #expect(error == .backwardMigration && text.contains("format 99") && text.contains("Update the program"))
    }
    #expect(try Data(contentsOf: store.url) == bytes)
  }

  /// A query for the metadata that names the store's format, its Unicode version and the library that wrote it.
  private static let statements =
    "SELECT key, value FROM _osd_metadata WHERE key IN ('format', 'unicode', 'writer') ORDER BY key"

  @Test("a fixture exists for every format; `OSD_WRITE_FIXTURE` makes this test write a new one")
  func writing() throws {
    let fresh = try MigratedStore()
    try fresh.use(Released.models) { _ in }
    let newest = try #require(try RawDatabase(fresh.url.path).column("PRAGMA user_version").first.flatMap { Int($0) })
    #expect(Set(Self.names).isSuperset(of: (1...newest).map { "format-\($0).store" }))
    guard let name = ProcessInfo.processInfo.environment["OSD_WRITE_FIXTURE"] else { return }
    let store = try MigratedStore()
    try store.use(Released.models) { try fill($0) }
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    for suffix in ["", "_external"] {
      let target = Self.folder.appending(path: "\(name).store").path + suffix
      try? FileManager.default.removeItem(atPath: target)
      try FileManager.default.copyItem(atPath: store.url.path + suffix, toPath: target)
    }
  }
}
