import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// A configuration that can open its store.
///
/// A container opens only configurations that conform to this protocol. The module of the default store declares the
/// conformance of ``ModelConfiguration``. The configuration of a custom store is wrapped in a conforming type.
package protocol EngineConfiguration: Hashable {
  /// The name of the store, for messages.
  var name: String { get }
  /// The entities of the store; nil for all entities of the container.
  var schema: Schema? { get set }

  /// Checks the configuration before its store is opened.
  ///
  /// - Throws: An error that describes the problem of the configuration.
  func validate() throws

  /// The location of the store. Two configurations of a container never have the same location.
  var storeLocation: String { get }
  /// What a save does with a new model whose unique values exist in another row.
  var uniquenessPolicy: UniquenessPolicy { get }
  /// Reports the progress of a migration when the store is opened; nil for no report.
  var migrationProgress: MigrationProgress? { get }

  /// Opens the store. Creates it if it does not exist, and migrates it if it has another schema.
  ///
  /// - Parameters:
  ///   - plan: The entities of the store.
  ///   - migrationPlan: The versions and stages for a store with another schema; nil for an automatic migration.
  /// - Throws: `SwiftDataError` of the store, or the error of its migration. The store is unchanged then.
  func openEngine(plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?) throws -> any StoreEngine

  /// Migrates the stores of several configurations of this type, all of them or none, before any is opened.
  ///
  /// The default implementation does nothing; each store is then migrated when it is opened.
  ///
  /// - Parameters:
  ///   - parts: The configurations, each with the entities of its store.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  /// - Throws: `SwiftDataError` of a store, or the error of a migration. All stores are unchanged then.
  static func migrateTogether(
    _ parts: [(configuration: Self, plan: SchemaPlan)], migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Opens the store to copy another store's rows into it. Creates it if it does not exist, and never migrates it.
  ///
  /// - Parameter plan: The entities of the store.
  /// - Throws: `SwiftDataError` if the store cannot be filled, or has another schema. The store is unchanged then.
  func openForFilling(plan: SchemaPlan) throws -> any StoreEngine

  /// Replaces the configuration's store with a backup, or creates it from the backup. No connection may have it open.
  ///
  /// - Parameters:
  ///   - backup: The path of the backup.
  ///   - work: Reports the progress, and tells whether the caller has cancelled the work.
  /// - Throws: `CancellationError`, or `SwiftDataError` of the backup or the store. The store is unchanged then.
  func restore(from backup: String, _ work: StoreWork) throws
}

extension EngineConfiguration {
  package var migrationProgress: MigrationProgress? { nil }

  package static func migrateTogether(
    _ parts: [(configuration: Self, plan: SchemaPlan)], migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {}

  package func openForFilling(plan: SchemaPlan) throws -> any StoreEngine {
    throw SwiftDataError(
      .storeFailure,
      "The store at \(storeLocation) cannot be filled: it is one of the program, whose identifiers are its own. Fetch the "
        + "models and insert them there.")
  }

  package func restore(from backup: String, _ work: StoreWork) throws {
    throw SwiftDataError(
      .storeFailure, "The store at \(storeLocation) cannot be restored from here. Use the tools of its database.")
  }
}

extension ModelConfiguration {
  /// This configuration as an ``EngineConfiguration``. The module of the default store declares its conformance.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` if the program does not contain that module.
  package func openable() throws -> any EngineConfiguration {
    guard let openable = (self as Any) as? any EngineConfiguration else {
      throw SwiftDataError(.loadIssueModelContainer, "no module of the program knows the store of '\(name)'")
    }
    return openable
  }
}
