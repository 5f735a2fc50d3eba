import Foundation
import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLiteStore
import ValueEncryption

/// The engine of the store that a ``ModelConfiguration`` describes: a SQLite file, or SQLite in memory.
enum DefaultEngine {
  /// Opens the engine of a configuration.
  static func open(
    _ configuration: ModelConfiguration, plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any StoreEngine {
    try SQLiteStoreEngine(request(configuration, plan: plan, migrationPlan: migrationPlan))
  }

  /// Opens the mirror of a custom store: an in-memory database with the rows that were read from the store.
  ///
  /// - Parameter plan: The entities of the store.
  /// - Returns: The engine. Its rows may refer to missing rows.
  @Sendable
  static func mirror(of plan: SchemaPlan) throws -> any StoreEngine {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    // The database records no history. A custom store with a history records it itself.
    configuration.history = .off
    return try SQLiteStoreEngine(
      request(configuration, plan: plan, migrationPlan: nil, keepsReferences: false))
  }

  /// Opens the engine of a configuration whose store is about to be filled. A store with another schema is rejected.
  static func openForFilling(_ configuration: ModelConfiguration, plan: SchemaPlan) throws -> any StoreEngine {
    guard !configuration.isStoredInMemoryOnly else {
      throw SwiftDataError(
        .storeUnreachable,
        "The store '\(configuration.name)' is in memory, and would be gone with the copy. Copy to a file.")
    }
    let migration = SQLiteMigrationRequest(route: { stored in
      let path = configuration.url.path(percentEncoded: false)
      let router = MigrationRouter(
        to: plan, plan: nil, path: path, uniquenessPolicy: configuration.uniquenessPolicy)
      guard try router.route(from: stored) == nil else {
        throw SwiftDataError(
          .unknownSchema,
          "The store at \(path) was made for other models, or for another version of these. Choose another place, or migrate "
            + "it first; it has not been changed.")
      }
      return nil
    })
    return try SQLiteStoreEngine(request(configuration, plan: plan, migration: migration))
  }

  /// Migrates the stores of several configurations: either all of them or none.
  static func migrateTogether(
    _ parts: [(configuration: ModelConfiguration, plan: SchemaPlan)],
    _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let stores = try parts.map { try request($0.configuration, plan: $0.plan, migrationPlan: migrationPlan) }
    try JointMigration(stores).run()
  }

  /// The request that opens the engine of a configuration.
  ///
  /// It is complete before any file is created or opened, so that a store without a valid key is never created.
  private static func request(
    _ configuration: ModelConfiguration, plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?,
    keepsReferences: Bool = true
  ) throws -> SQLiteStoreRequest {
    try request(
      configuration, plan: plan, migration: migration(of: configuration, to: plan, migrationPlan),
      keepsReferences: keepsReferences)
  }

  private static func request(
    _ configuration: ModelConfiguration, plan: SchemaPlan, migration: SQLiteMigrationRequest,
    keepsReferences: Bool = true
  ) throws -> SQLiteStoreRequest {
    var own = SQLiteStoreConfiguration(configuration)
    own.keepsReferences = keepsReferences
    return SQLiteStoreRequest(
      configuration: own,
      statementMemory: plan.derived(for: SQLiteDialect.self) { SQLiteDialect.statementMemory(of: plan.layouts) },
      schemaJSON: plan.json,
      cipher: plan.entities.hasEncrypted
        ? try ValueEncryption.cipher(
          for: plan.layouts, key: configuration.encryptionKey, formerKeys: configuration.formerEncryptionKeys) : nil,
      migration: migration)
  }

  /// The request that migrates a store with another schema.
  private static func migration(
    of configuration: ModelConfiguration, to plan: SchemaPlan, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) -> SQLiteMigrationRequest {
    let (key, formerKeys) = (configuration.encryptionKey, configuration.formerEncryptionKeys)
    return SQLiteMigrationRequest(
      progress: configuration.migrationProgress, keepsBackup: configuration.keepsMigrationBackup,
      timeout: configuration.migrationTimeout,
      cipher: { route in
        try ValueEncryption.cipher(
          for: route.resolvedStages.flatMap { $0.from.layouts + $0.to.layouts }, key: key, formerKeys: formerKeys)
      },
      route: { stored in
        // Computed here because few stores are migrated, and computing the path of a URL takes a few microseconds.
        let router = MigrationRouter(
          to: plan, plan: migrationPlan, path: configuration.url.path(percentEncoded: false),
          uniquenessPolicy: configuration.uniquenessPolicy)
        let route = try router.route(from: stored)
        try route?.check()
        return route
      })
  }
}

extension ModelConfiguration: EngineConfiguration {
  /// The path of the file. For a store in memory, a path that contains its name.
  package var storeLocation: String { url.standardizedFileURL.path(percentEncoded: false) }

  package func openEngine(
    plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any StoreEngine {
    try DefaultEngine.open(self, plan: plan, migrationPlan: migrationPlan)
  }

  package func openForFilling(plan: SchemaPlan) throws -> any StoreEngine {
    try DefaultEngine.openForFilling(self, plan: plan)
  }

  package static func migrateTogether(
    _ parts: [(configuration: ModelConfiguration, plan: SchemaPlan)],
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    try DefaultEngine.migrateTogether(parts, migrationPlan)
  }

  package func restore(from backup: String, _ work: StoreWork) throws {
    try StoreRestoration(from: backup, to: path, work).run()
  }
}

extension SQLiteStoreConfiguration {
  /// The SQLite engine's configuration for a store.
  package init(_ configuration: ModelConfiguration) {
    self.init(
      location: configuration.isStoredInMemoryOnly ? .memory : .file(path: configuration.path),
      allowsSave: configuration.allowsSave, busyTimeout: configuration.busyTimeout,
      durability: configuration.durability == .powerFailure ? .full : .normal,
      slowStatementLog: configuration.slowStatementLog,
      history: configuration.history.isKept
        ? HistoryRetention(age: configuration.history.maximumAge, bytes: configuration.history.maximumSize) : nil)
  }
}
