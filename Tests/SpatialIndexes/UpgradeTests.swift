import ConformanceSupport
import PersistenceCore
import SQLiteStore
import SwiftData
import Testing

private enum Without {
  @Model final class Place {
    var name: String
    var latitude: Double
    var longitude: Double
    init(_ name: String, _ latitude: Double, _ longitude: Double) {
      self.name = name
      self.latitude = latitude
      self.longitude = longitude
    }
  }
}

/// Has one additional column, and an R-tree over other columns.
private enum Other {
  @Model final class Place {
    #Index<Place>(.rtree([\.latitude, \.longitude, \.altitude]), .binary([\.latitude, \.longitude]))
    var name: String
    var latitude: Double
    var longitude: Double
    var altitude: Double = 100
    init() {
      name = ""
      latitude = 0
      longitude = 0
    }
  }
}

/// Has the same R-tree, and another column.
private enum More {
  @Model final class Place {
    #Index<Place>(.rtree([\.latitude, \.longitude]))
    var name: String
    var latitude: Double
    var longitude: Double
    var note: String?
    init() {
      name = ""
      latitude = 0
      longitude = 0
    }
  }
}

/// Has an R-tree over the same columns with other names.
private enum Renamed {
  @Model final class Place {
    #Index<Place>(.rtree([\.north, \.east]))
    var name: String
    @Attribute(originalName: "latitude") var north: Double
    @Attribute(originalName: "longitude") var east: Double
    init() {
      name = ""
      north = 0
      east = 0
    }
  }
}

@Suite("R-trees of a store that is reopened")
struct UpgradeTests {
  private static let tree = "_osd_rtree_Place_latitude_longitude"
  private let folder: URL
  private var url: URL { folder.appending(path: "places.store") }

  init() throws { folder = try TestStore.makeFolder() }

  private func open(_ models: [any PersistentModel.Type], allowsSave: Bool = true) throws -> ModelContainer {
    try ModelContainer(for: Schema(models), configurations: [ModelConfiguration(url: url, allowsSave: allowsSave)])
  }

  private func fill() throws {
    let context = ModelContext(try open([Without.Place.self]))
    for number in 0..<200 { context.insert(Without.Place("\(number)", Double(number), Double(-number))) }
    try context.save()
  }

  private func faults(_ columns: String...) throws -> [String] {
    try RawDatabase(url.path).faults(
      of: "_osd_rtree_Place_" + columns.joined(separator: "_"), table: "Place", columns: columns)
  }

  /// The layout of a new store of the schema.
  private func freshLayout(_ models: [any PersistentModel.Type]) throws -> [[String]] {
    let store = try TestStore(.file, models)
    return try store.raw.definitions().filter { !$0[0].hasSuffix("Place") }
  }

  private func layout() throws -> [[String]] {
    try RawDatabase(url.path).definitions().filter { !$0[0].hasSuffix("Place") }
  }

  @Test("are created and filled when the schema adds them, and dropped when it removes them")
  func gainAndLose() throws {
    try fill()
    _ = try open([Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    #expect(try layout() == freshLayout([Place.self]))
    _ = try open([Without.Place.self])
    #expect(try RawDatabase(url.path).trees.isEmpty)
    #expect(try layout() == freshLayout([Without.Place.self]))
    #expect(try RawDatabase(url.path).column("SELECT count(*) FROM Place") == ["200"])
  }

  @Test("are updated if their columns, other columns, or names change")
  func change() throws {
    try fill()
    _ = try open([Place.self])
    _ = try open([More.Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    _ = try open([Other.Place.self])
    #expect(try faults("latitude", "longitude", "altitude").isEmpty)
    #expect(try layout() == freshLayout([Other.Place.self]))
    _ = try open([Renamed.Place.self])
    #expect(try faults("north", "east").isEmpty)
    #expect(try layout() == freshLayout([Renamed.Place.self]))
    #expect(try RawDatabase(url.path).column("PRAGMA integrity_check") == ["ok"])
  }

  /// Gives the file the layout that SQLite without R-trees creates: with a plain index instead of an R-tree.
  private func makePlain() throws {
    try fill()
    _ = try open([Place.self])
    let raw = try RawDatabase(url.path)
    for event in ["insert", "update", "delete"] { try raw.run("DROP TRIGGER \"\(Self.tree)_\(event)\"") }
    try raw.run("DROP INDEX \"\(Self.tree)_outside\"")
    try raw.run("DROP TABLE \"\(Self.tree)\"")
    try raw.run("CREATE INDEX \"_osd_index_Place_latitude_longitude\" ON Place (latitude, longitude)")
  }

  @Test("replace the plain indexes that SQLite without R-trees created")
  func plain() throws {
    try makePlain()
    _ = try open([Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    #expect(try layout() == freshLayout([Place.self]))
  }

  @Test("are created later if they cannot be created when the store is opened, and the store is usable until then")
  func busy() throws {
    try makePlain()
    let raw = try RawDatabase(url.path)
    try raw.run("BEGIN IMMEDIATE")
    var configuration = ModelConfiguration(url: url)
    configuration.busyTimeout = .milliseconds(10)
    let container = try ModelContainer(for: Schema([Place.self]), configurations: [configuration])
    let context = ModelContext(container)
    let near = #Predicate<Place> { $0.latitude > 9.5 && $0.latitude < 19.5 && $0.longitude < 0 }
    #expect(try context.fetchCount(FetchDescriptor(predicate: near)) == 10)
    try raw.run("ROLLBACK")
    context.insert(Place("new", 12, -1))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor(predicate: near)) == 11)
    #expect(try raw.trees.isEmpty)
    _ = try open([Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    #expect(try layout() == freshLayout([Place.self]))
  }

  @Test("replace plain indexes before such a store is migrated")
  func plainAndMigrated() throws {
    try makePlain()
    _ = try open([More.Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    #expect(try layout() == freshLayout([More.Place.self]))
    _ = try open([Without.Place.self])
    #expect(try layout() == freshLayout([Without.Place.self]))
  }

  @Test("are not created in a store that is opened read-only, and the store stays unchanged")
  func readOnly() throws {
    try makePlain()
    let before = try RawDatabase(url.path).definitions()
    let context = ModelContext(try open([Place.self], allowsSave: false))
    let box = FetchDescriptor(predicate: Place.within(10...12, -100...0))
    #expect(try context.fetch(box).map(\.name) == ["10", "11", "12"])
    #expect(try RawDatabase(url.path).definitions() == before)
  }

  // MARK: SQLite without the module

  private func engine(hasModule: Bool, allowsSave: Bool = true) throws -> SQLiteStoreEngine {
    let plan = try SchemaPlan(Schema([Place.self]))
    var configuration = SQLiteStoreConfiguration(location: .file(url), allowsSave: allowsSave)
    configuration.hasSpatialModule = hasModule
    return try SQLiteStoreEngine(
      SQLiteStoreRequest(
        configuration: configuration, statementMemory: SQLiteDialect.statementMemory(of: plan.layouts),
        schemaJSON: plan.json, migration: SQLiteMigrationRequest { _ in nil }))
  }

  @Test("are plain indexes if SQLite has no R-tree module, and become R-trees when SQLite has the module")
  func withoutModule() throws {
    try engine(hasModule: false).close()
    #expect(try RawDatabase(url.path).trees.isEmpty)
    #expect(try RawDatabase(url.path).definitions().contains { $0[0] == "_osd_index_Place_latitude_longitude" })
    _ = try open([Place.self])
    #expect(try layout() == freshLayout([Place.self]))
  }

  @Test("are ignored by reads if SQLite has no R-tree module; writes throw an error with the reason")
  func unwritable() throws {
    _ = try open([Place.self])
    let error = #expect(throws: SwiftDataError.self) { try engine(hasModule: false) }
    #expect(error?.explanation?.contains("SQLITE_ENABLE_RTREE") == true)
    try engine(hasModule: false, allowsSave: false).close()
  }
}
