import Foundation
import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLiteStore
import ValueEncryption

/// Opens the SQLite engine for a ``ModelConfiguration``, whose store is a file or in memory.
enum DefaultEngine {
  /// Opens the engine of a configuration.
  static func open(
    _ configuration: ModelConfiguration, plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any StoreEngine {
    try SQLiteStoreEngine(request(configuration, plan: plan, migrationPlan: migrationPlan))
  }

  /// Opens the mirror of a custom store: a SQLite database in memory, with copies of the rows that were read from the
  /// custom store.
  ///
  /// - Parameter plan: The entities of the store.
  /// - Returns: The engine. It does not enforce foreign keys, because a related row may not have been read.
  @Sendable
  static func mirror(of plan: SchemaPlan) throws -> any StoreEngine {
    var configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    // The mirror records no history. A custom store records its history itself.
    configuration.history = .off
    return try SQLiteStoreEngine(
      request(configuration, plan: plan, migrationPlan: nil, keepsReferences: false))
  }

  /// Opens a store that will be filled with a copy. If the file has another schema, throws instead of migrating it.
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

  /// Migrates the stores of several configurations. If one migration fails, none of the stores is changed.
  static func migrateTogether(
    _ parts: [(configuration: ModelConfiguration, plan: SchemaPlan)],
    _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let stores = try parts.map { try request($0.configuration, plan: $0.plan, migrationPlan: migrationPlan) }
    try JointMigration(stores).run()
  }

  /// The request with which the SQLite engine opens a store.
  ///
  /// Throws if the encryption key is missing, so that no file is created for a store that could not be encrypted.
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

  /// How the SQLite engine migrates a store whose schema differs from the plan.
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
        // The path is computed only if it is needed: this takes a few microseconds, and few stores are migrated.
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
  /// The path of the file. A store in memory has a path too, which contains its name but is not used for a file.
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
