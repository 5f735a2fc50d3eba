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

/// The schema gets an additional column, and its R-tree gets other columns.
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

/// The schema gets an additional column, and its R-tree stays the same.
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

/// The columns of the R-tree get other names.
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

@Suite("R-trees when a store is opened again")
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

  /// The tables and indexes of a new store with these models.
  private func freshLayout(_ models: [any PersistentModel.Type]) throws -> [[String]] {
    let store = try TestStore(.file, models)
    return try store.raw.definitions().filter { !$0[0].hasSuffix("Place") }
  }

  private func layout() throws -> [[String]] {
    try RawDatabase(url.path).definitions().filter { !$0[0].hasSuffix("Place") }
  }

  @Test("R-trees are created and filled when the schema adds them, and dropped when it removes them")
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

  @Test("R-trees are updated if their columns, other columns, or names change")
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

  /// Changes the file to what the library creates if SQLite has no R-tree module: a plain index instead of the R-tree.
  private func makePlain() throws {
    try fill()
    _ = try open([Place.self])
    let raw = try RawDatabase(url.path)
    for event in ["insert", "update", "delete"] { try raw.run("DROP TRIGGER \"\(Self.tree)_\(event)\"") }
    try raw.run("DROP INDEX \"\(Self.tree)_outside\"")
    try raw.run("DROP TABLE \"\(Self.tree)\"")
    try raw.run("CREATE INDEX \"_osd_index_Place_latitude_longitude\" ON Place (latitude, longitude)")
  }

  @Test("opening replaces the plain indexes that were created without the R-tree module by R-trees")
  func plain() throws {
    try makePlain()
    _ = try open([Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    #expect(try layout() == freshLayout([Place.self]))
  }

  @Test("if R-trees cannot be created when a store is opened, the store is usable, and they are created later")
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

  @Test("plain indexes are replaced by R-trees before the store is migrated")
  func plainAndMigrated() throws {
    try makePlain()
    _ = try open([More.Place.self])
    #expect(try faults("latitude", "longitude").isEmpty)
    #expect(try layout() == freshLayout([More.Place.self]))
    _ = try open([Without.Place.self])
    #expect(try layout() == freshLayout([Without.Place.self]))
  }

  @Test("opening a store read-only creates no R-trees and leaves it unchanged")
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

  @Test("without the R-tree module, plain indexes are created; they become R-trees when SQLite has the module")
  func withoutModule() throws {
    try engine(hasModule: false).close()
    #expect(try RawDatabase(url.path).trees.isEmpty)
    #expect(try RawDatabase(url.path).definitions().contains { $0[0] == "_osd_index_Place_latitude_longitude" })
    _ = try open([Place.self])
    #expect(try layout() == freshLayout([Place.self]))
  }

  @Test("without the R-tree module, reads ignore existing R-trees, and writes throw an error with the reason")
  func unwritable() throws {
    _ = try open([Place.self])
    let error = #expect(throws: SwiftDataError.self) { try engine(hasModule: false) }
    #expect(error?.explanation?.contains("SQLITE_ENABLE_RTREE") == true)
    try engine(hasModule: false, allowsSave: false).close()
  }
}
