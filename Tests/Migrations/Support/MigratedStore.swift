import ConformanceSupport
import OpenSwiftData
import SwiftData
import Testing

/// The store of one test. The test opens it with several schemas in turn. The store is a file, or with
/// `OSD_ENGINE=postgres` a namespace of the test server.
final class MigratedStore {
  /// Whether the stores of the tests are on a server.
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

  /// Opens the store, runs a closure with a new context, saves the context, and closes the store.
  func use(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    let context = ModelContext(try open(models, plan: plan, configure))
    try body(context)
    try context.save()
  }

  /// Opens the store with other models, which migrates it. Then checks that the store is valid and has the same tables
  /// as a new store of these models.
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

  /// Returns the error that opening the store throws, and checks that the store is unchanged.
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

  /// The database of the store, read through a plain connection as another program would read it.
  func contents() throws -> any StoreContents {
    if Self.isOnServer { return try serverContents() }
    return try RawDatabase(url.path)
  }

  /// The storage classes that the values of columns have, under SQLite's names and without repetitions. On a server all
  /// values of a column have one class.
  func classes(of columns: [String], in table: String) throws -> [[String]] {
    let function = Self.isOnServer ? "pg_typeof" : "typeof"
    let list = columns.map { "CAST(\(function)(\($0)) AS text)" }.joined(separator: " || ',' || ")
    let known = ["bytea": "blob", "double precision": "real", "numeric": "text", "bigint": "integer"]
    return try contents().column("SELECT DISTINCT \(list) FROM \"\(table)\" ORDER BY 1").map { row in
      row.split(separator: ",").map { known[String($0)] ?? String($0) }
    }
  }

  /// Returns the plan of the migration that opening the store would run.
  func plan(to schema: Schema, _ plan: (any SchemaMigrationPlan.Type)? = nil) throws -> MigrationPlan {
    if Self.isOnServer { return try planOnServer(schema, plan) }
    return try ModelContainer.migrationPlan(
      from: ModelConfiguration(url: url), to: schema, migrationPlan: plan)
  }
}

/// The database of a store, read without the library.
protocol StoreContents {
  /// The names of the tables, except the database's internal ones.
  var tables: [String] { get throws }
  /// The problems that the database's own checks report.
  func problems() throws -> [String]
  /// The tables with their columns and references, and the indexes. The order of the columns does not matter.
  func layout() throws -> [String]
  /// The definitions and all rows of the database.
  func dump() throws -> [[String?]]
  /// The values in the first column of a query's result, without NULL.
  func column(_ sql: String) throws -> [String]
  /// The table and the column of each recorded original text.
  func placesOfOriginals() throws -> [String]
}

extension RawDatabase: StoreContents {}

extension Trait where Self == ConditionTrait {
  /// Disables a test on a server, because the test uses SQLite's file or opens a file itself.
  static var onSQLite: Self { .disabled(if: MigratedStore.isOnServer, "it is about SQLite's file") }
}
