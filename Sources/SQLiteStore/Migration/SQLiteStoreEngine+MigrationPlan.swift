import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine {
  /// The statements that a stage of a migration runs, for people to read.
  package static func statements(for stage: any ResolvedMigrationStage) throws -> [String] {
    let dialect = SQLiteDialect()
    let (old, new) = (SQLiteDialect.mapping(of: stage.from.layouts), SQLiteDialect.mapping(of: stage.to.layouts))
    let defaults = try MigrationDefaults(stage.change, stage.to, cipher: nil, usesPlaceholders: stage.keepsOld).values
    let plan = DatabaseMigration(
      stage.change, from: old, to: new, defaults: defaults, keepsOld: stage.keepsOld,
      sequenceTable: StoreFormat.sequenceTable, dialect: dialect
    ).planned()
    let hadFiles = old.tables.contains(where: \.entity.hasExternal)
    return ExternalTables.removal(from: old)
      + plan.operations.flatMap { $0.statements(dialect: dialect) }
      + ExternalTables.statements(for: new, hasTable: hadFiles)
      + plan.completion.flatMap { $0.statements(dialect: dialect) }
      + Set(plan.checkedTables).sorted().map { "PRAGMA foreign_key_check(\(dialect.quoted($0)))" }
  }

  /// The schema, as JSON, of the store in a file, which is only read.
  ///
  /// - Throws: `SwiftDataError` when there is no store of ours.
  package static func storedSchemaJSON(of configuration: SQLiteStoreConfiguration) throws -> String {
    try StoreFile(path: configuration.path).check(allowsSave: false)
    let handle = try SQLiteHandle(opening: configuration.path, flags: SQLITE_OPEN_READONLY, path: configuration.path)
    handle.setBusyTimeout(milliseconds: configuration.busyTimeoutMilliseconds)
    guard case .store(let metadata) = try StoreRecognition(of: handle) else {
      throw StoreRecognition.foreignError(handle)
    }
    return metadata.schemaJSON
  }
}
