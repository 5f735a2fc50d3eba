import ConformanceSupport
import OpenSwiftData
import SwiftData
import Testing

/// The store of one test, opened with one schema after the other: a file, or with OSD_ENGINE=postgres a store on the
/// tests' server.
final class MigratedStore {
  /// Whether stores are on a server.
  static let isOnServer = Engine.allCases.contains(.postgres)

  let folder: URL
  let url: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "migrations-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appending(path: "trips.store")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func open(
    _ models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    plan: (any SchemaMigrationPlan.Type)? = nil, _ configure: (inout ModelConfiguration) -> Void = { _ in }
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: url)
    configure(&configuration)
    let schema = Schema(models, version: version)
    if Self.isOnServer { return try openOnServer(schema, plan, configuration) }
    return try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration])
  }

  /// Opens the store, runs a closure, saves and closes.
  func use(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    let context = ModelContext(try open(models, plan: plan, configure))
    try body(context)
    try context.save()
  }

  /// Opens the store with other models, and checks that it is valid and equal to a new store of these models.
  func migrate(
    to models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    try use(models, plan: plan, configure, body)
    let database = try contents()
    #expect(try database.problems() == [])
    let fresh = try MigratedStore()
    try fresh.use(models, configure) { _ in }
    let expected = try fresh.contents().layout()
    #expect(try database.layout() == expected)
  }

  /// The error of opening the store, which must then be unchanged.
  func refusal(
    of models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    plan: (any SchemaMigrationPlan.Type)? = nil, _ configure: (inout ModelConfiguration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation
  ) throws -> SwiftDataError {
    let before = try contents().dump()
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      _ = try open(models, version: version, plan: plan, configure)
    }
    #expect(try contents().dump() == before, sourceLocation: location)
    return try #require(error, sourceLocation: location)
  }

  /// The database as plain SQL shows it to another program.
  func contents() throws -> any StoreContents {
    if Self.isOnServer { return try serverContents() }
    return try RawDatabase(url.path)
  }

  /// The storage classes of columns, in SQLite's terms, without repetitions. On a server a column has one class for all
  /// rows.
  func classes(of columns: [String], in table: String) throws -> [[String]] {
    let function = Self.isOnServer ? "pg_typeof" : "typeof"
    let list = columns.map { "CAST(\(function)(\($0)) AS text)" }.joined(separator: " || ',' || ")
    let known = ["bytea": "blob", "double precision": "real", "numeric": "text", "bigint": "integer"]
    return try contents().column("SELECT DISTINCT \(list) FROM \"\(table)\" ORDER BY 1").map { row in
      row.split(separator: ",").map { known[String($0)] ?? String($0) }
    }
  }

  /// Describes the migration that opening the store would run.
  func plan(to schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil) throws -> MigrationPlan {
    if Self.isOnServer { return try planOnServer(schema, plan) }
    return try ModelContainer.migrationPlan(
      from: ModelConfiguration(url: url), to: schema, migrationPlan: plan)
  }
}

/// A database of a store, without the library.
protocol StoreContents {
  /// The tables, without the database's internal ones.
  var tables: [String] { get throws }
  /// The problems that the database finds.
  func problems() throws -> [String]
  /// The tables with their columns and references, and the indexes, independent of the order of the columns.
  func layout() throws -> [String]
  /// The complete content of the database.
  func dump() throws -> [[String?]]
  /// The values of the first column, without NULL.
  func column(_ sql: String) throws -> [String]
  /// The table and the column of each original.
  func placesOfOriginals() throws -> [String]
}

extension RawDatabase: StoreContents {}

extension Trait where Self == ConditionTrait {
  /// Excludes tests on a server that use SQLite's file, or open it themselves.
  static var onSQLite: Self { .disabled(if: MigratedStore.isOnServer, "it is about SQLite's file") }
}
