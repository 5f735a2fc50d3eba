import CSQLite
import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension StoreOpener {
  /// Migrates a store if its schema or Unicode version differs from the requested schema or the library's version, and
  /// returns the new metadata.
  func migrated(_ handle: SQLiteHandle, _ metadata: StoreMetadata) throws -> StoreMetadata {
    guard try isBehind(metadata) else {
      if migration.keepsBackup, opening.configuration.allowsSave, !opening.configuration.isInMemory {
        MigrationBackup(storePath: handle.filePath).remove()
      }
      return metadata
    }
    guard let pending = try prepareMigration(handle) else { return try metadataAfterWait(handle) }
    return try pending.commit()
  }

  /// Whether a store must be changed before use.
  ///
  /// Returns false if only the Unicode version of the texts is older, and the store is opened read-only.
  func isBehind(_ metadata: StoreMetadata) throws -> Bool {
    if try hasRoute(from: metadata) {
      guard opening.configuration.allowsSave else { throw readOnlyError }
      return true
    }
    return metadata.unicode < .current && opening.configuration.allowsSave
  }

  func hasRoute(from metadata: StoreMetadata) throws -> Bool {
    try metadata.schemaJSON != schemaJSON && migration.route(metadata.schemaJSON) != nil
  }

  /// Runs all necessary steps in a transaction that is left open; nil if there is nothing to do.
  func prepareMigration(_ handle: SQLiteHandle) throws -> PendingMigration? {
    try opening.prepareForChanges(handle)
    // Sorting a million rows for an index uses temporary files instead of memory. Other temporary data are small.
    try handle.execute("PRAGMA temp_store = FILE")
    do {
      try lock(handle)
      if let pending = try runLocked(handle) { return pending }
    } catch {
      PendingMigration.abandon(handle)
      throw error
    }
    PendingMigration.abandon(handle)
    return nil
  }

  /// Begins a write transaction. Waits while another process migrates or writes the store.
  private func lock(_ handle: SQLiteHandle) throws {
    let wait = max(migration.timeout, opening.configuration.busyTimeout)
    handle.setBusyTimeout(milliseconds: wait.clampedMilliseconds)
    defer { handle.setBusyTimeout(milliseconds: opening.configuration.busyTimeoutMilliseconds) }
    try handle.execute("BEGIN IMMEDIATE")
  }

  private func runLocked(_ handle: SQLiteHandle) throws -> PendingMigration? {
    // Another process may have migrated the store while this process waited.
    guard let metadata = try StoreMetadata(from: handle), metadata.format <= StoreFormat.version,
      try isBehind(metadata)
    else { return nil }
    let route = metadata.schemaJSON == schemaJSON ? nil : try migration.route(metadata.schemaJSON)
    let cipher = try route.flatMap { try migration.cipher($0) }
    // The key is checked before anything is changed, so that a store with another key stays as it is.
    if let cipher = cipher ?? self.cipher, metadata.keyProof != nil {
      try metadata.check(cipher, of: "the store at \(opening.path)")
    }
    let backup = migration.keepsBackup && route != nil ? MigrationBackup(storePath: handle.filePath) : nil
    try backup?.make(of: handle)
    let stages = route?.resolvedStages ?? []
    let reporter = MigrationReporter(migration.progress, stageCount: stages.count)
    let running = try SQLiteMigration(
      handle, configuration: opening.configuration, identifier: metadata.identifier, cipher: cipher, reporter: reporter,
      storedSchema: { try metadata.schema(path: opening.path) })
    do {
      // A future step from an older format belongs here. It must use the store's own schema, like the Unicode upgrade.
      if metadata.unicode < .current {
        try UnicodeUpgrade(running.connection, from: metadata.unicode).run(metadata.schema(path: opening.path))
      }
      if let first = stages.first {
        // The history does not list what stages delete, so the tombstone triggers are dropped. A later deletion
        // recreates them.
        try TombstoneTriggers.remove(from: handle)
        try running.makeSpatialIndexes(of: first.from)
      }
      try route?.run(on: running, reporter: reporter)
      try running.requireTransaction()
      let changed =
        try stages.last.map {
          try metadata.migrated(to: $0.to.json, cipher: self.cipher, mayHaveFiles: running.external.hasTable)
        } ?? metadata.upgraded()
      try changed.write(to: handle)
      return PendingMigration(
        handle: handle, metadata: changed, running: running,
        superfluous: try running.external.superfluous(of: opening.database), backup: backup)
    } catch {
      if handle.isInTransaction { running.external.undo() }
      backup?.remove()
      throw error
    }
  }

  private func metadataAfterWait(_ handle: SQLiteHandle) throws -> StoreMetadata {
    if let metadata = try StoreMetadata(from: handle) {
      guard metadata.format <= StoreFormat.version else { throw StoreFormat.newerError(opening.path, metadata.format) }
      return metadata
    }
    throw SwiftDataError(
      .storeCorrupt, "The store at \(opening.path) lost its metadata while it was opened. Restore it from a backup.")
  }

  private var readOnlyError: SwiftDataError {
    SwiftDataError(
      .storeReadOnly,
      "The store at \(opening.path) has an older schema and has to be migrated, and it was opened without saving. Open it "
        + "once with allowsSave; it has not been changed.")
  }
}

/// The migration of a store that was created with another schema than the current one.
package struct SQLiteMigrationRequest: Sendable {
  /// Finds the migration path from a store's schema, given as JSON; nil if the store needs no migration.
  let route: @Sendable (String) throws -> (any MigrationSteps)?
  /// Creates the cipher for a migration; nil if nothing is encrypted.
  let cipher: @Sendable (any MigrationSteps) throws -> (any ValueCipher)?
  let progress: MigrationProgress?
  /// Whether to back the store up first. The backup is removed when the store is opened again.
  let keepsBackup: Bool
  /// The maximum time to wait for another process that migrates the store.
  let timeout: Duration

  package init(
    progress: MigrationProgress? = nil, keepsBackup: Bool = false, timeout: Duration = .seconds(600),
    cipher: @escaping @Sendable (any MigrationSteps) throws -> (any ValueCipher)? = { _ in nil },
    route: @escaping @Sendable (String) throws -> (any MigrationSteps)?
  ) {
    self.route = route
    self.cipher = cipher
    self.progress = progress
    self.keepsBackup = keepsBackup
    self.timeout = timeout
  }
}

extension SQLiteStoreEngine {
  /// The SQL of a migration stage, for human readers.
  package static func statements(for stage: any ResolvedMigrationStage) throws -> [String] {
    let dialect = SQLiteDialect()
    let (old, new) = (SQLiteDialect.mapping(of: stage.from.layouts), SQLiteDialect.mapping(of: stage.to.layouts))
    let defaults = try MigrationDefaults(stage.change, stage.to, cipher: nil, usesPlaceholders: stage.keepsOld)
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

  /// Reads the schema of a store, as JSON, from its file. The file is not changed.
  ///
  /// - Throws: `SwiftDataError` if the file is not a store of this library.
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
