import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// A configuration that opens the engine of its store.
///
/// A container opens whatever conforms to it, and refuses every other ``DataStoreConfiguration``. ``ModelConfiguration``
/// conforms in the module that knows the default store.
package protocol EngineConfiguration: DataStoreConfiguration {
  /// Where the store is. Two configurations of a container never have the same place.
  var storePlace: String { get }
  /// What a save does with a new model whose unique values another row has.
  var uniquenessPolicy: UniquenessPolicy { get }
  /// Hears how far a migration is that opening the store needs.
  var migrationProgress: MigrationProgress? { get }

  /// Opens the store, and makes or migrates it where that is needed.
  ///
  /// - Parameters:
  ///   - plan: The entities that the store holds.
  ///   - migrationPlan: How a store of an older schema is migrated; nil for what follows from the two schemas.
  /// - Throws: `SwiftDataError` of the store, or what its migration throws. The store is as it was then.
  func openEngine(plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?) throws -> any StoreEngine

  /// Migrates the stores of several configurations of this type, all of them or none, before any is opened.
  ///
  /// An engine that cannot do that does nothing here: each store is migrated when it is opened.
  static func migrateTogether(
    _ parts: [(configuration: Self, plan: SchemaPlan)], migrationPlan: (any SchemaMigrationPlan.Type)?) throws
}

extension EngineConfiguration {
  package var migrationProgress: MigrationProgress? { nil }

  package static func migrateTogether(
    _ parts: [(configuration: Self, plan: SchemaPlan)], migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {}
}

extension DataStoreConfiguration {
  /// The configuration as one that opens an engine.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer` for a store of another kind, which cannot be opened yet.
  package func openable() throws -> any EngineConfiguration {
    guard let openable = self as? any EngineConfiguration else {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "the configuration '\(name)' is a \(type(of: self)); only ModelConfiguration can be opened")
    }
    return openable
  }
}
