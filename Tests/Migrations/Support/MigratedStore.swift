import CSQLite
import SQLiteStore
import SwiftData
import Testing

/// The file of one test, opened with one schema after the other.
final class MigratedStore {
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
    return try ModelContainer(
      for: Schema(models, version: version), migrationPlan: plan, configurations: [configuration])
  }

  /// Opens the store, works on it, saves and closes it.
  func use(
    _ models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    let context = ModelContext(try open(models, plan: plan, configure))
    try body(context)
    try context.save()
  }

  /// Opens the store with other models, and checks that it is sound, and like one that they made.
  func migrate(
    to models: [any PersistentModel.Type], plan: (any SchemaMigrationPlan.Type)? = nil,
    _ configure: (inout ModelConfiguration) -> Void = { _ in }, _ body: (ModelContext) throws -> Void
  ) throws {
    try use(models, plan: plan, configure, body)
    let database = try RawDatabase(url.path)
    #expect(try database.column("PRAGMA integrity_check") == ["ok"])
    #expect(try database.rows("PRAGMA foreign_key_check") == [])
    let fresh = try MigratedStore()
    try fresh.use(models, configure) { _ in }
    let expected = try RawDatabase(fresh.url.path).layout()
    #expect(try database.layout() == expected)
  }

  /// What keeps the store from being opened, which must then be as it was.
  func refusal(
    of models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
    plan: (any SchemaMigrationPlan.Type)? = nil, _ configure: (inout ModelConfiguration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation
  ) throws -> SwiftDataError {
    let before = try RawDatabase(url.path).dump()
    let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
      _ = try open(models, version: version, plan: plan, configure)
    }
    #expect(try RawDatabase(url.path).dump() == before, sourceLocation: location)
    return try #require(error, sourceLocation: location)
  }
}

/// A database as SQLite alone sees it.
final class RawDatabase {
  struct Failure: Error { let message: String }

  private var connection: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &connection) == SQLITE_OK else { throw Failure(message: "cannot open \(path)") }
    // An integrity check looks into indexes on texts.
    guard TextCollation.register(on: try #require(connection)) == SQLITE_OK else {
      throw Failure(message: "cannot register the collation of texts")
    }
  }

  deinit { sqlite3_close(connection) }

  func rows(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: "\(String(cString: sqlite3_errmsg(connection))) in \(sql)")
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw Failure(message: String(cString: sqlite3_errmsg(connection))) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { index in
          sqlite3_column_text(statement, index).map { String(cString: $0) }
        })
    }
  }

  func column(_ sql: String) throws -> [String] { try rows(sql).compactMap { $0[0] } }

  func run(_ sql: String) throws { _ = try rows(sql) }

  var tables: [String] {
    get throws {
      try column("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").sorted()
    }
  }

  /// The tables with their columns and references, the indexes and the triggers; whatever the order of the columns.
  func layout() throws -> [String] {
    var lines = try rows(
      "SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
    ).map { "\($0[0] ?? "") \($0[1] ?? "")" }
    for table in try tables {
      lines += try rows("PRAGMA table_info(\"\(table)\")").map { row in
        "\(table).\(row[1] ?? "") \(row[2] ?? "") required \(row[3] ?? "") key \(row[5] ?? "")"
      }
      lines += try rows("PRAGMA foreign_key_list(\"\(table)\")").map { row in
        "\(table).\(row[3] ?? "") to \(row[2] ?? "").\(row[4] ?? "") on delete \(row[6] ?? "")"
      }
    }
    return lines.filter { !$0.hasPrefix("_osd_superfluous") }.sorted()
  }

  /// Everything that is in the database.
  func dump() throws -> [[String?]] {
    try rows("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
      + tables.flatMap { table in
        // Sorted here: some columns compare as SQLite alone cannot.
        try rows("SELECT * FROM \"\(table)\"").sorted { "\($0)" < "\($1)" }
      }
  }
}
