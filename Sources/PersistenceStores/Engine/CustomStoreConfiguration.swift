import PersistenceContainer
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Wraps the configuration of a custom store, so that a container can open an engine for the store.
package struct CustomStoreConfiguration<Configuration: DataStoreConfiguration>: EngineConfiguration {
  /// Opens the mirror: the in-memory database that caches the rows that the store has returned.
  package typealias MirrorOpening = @Sendable (SchemaPlan) throws -> any StoreEngine

  private var configuration: Configuration
  private let mirror: MirrorOpening

  package init(_ configuration: Configuration, mirror: @escaping MirrorOpening) {
    self.configuration = configuration
    self.mirror = mirror
  }

  package var name: String { configuration.name }

  package var schema: Schema? {
    get { configuration.schema }
    set { configuration.schema = newValue }
  }

  /// A description instead of a path, because only the custom store knows where its data is.
  package var storeLocation: String { "\(Configuration.self) '\(name)'" }
  package var uniquenessPolicy: UniquenessPolicy { .updateExisting }

  package func validate() throws { try configuration.validate() }

  package func openEngine(
    plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any StoreEngine {
    var configuration = configuration
    // The store gets its own copy of the schema: the program may change it, and the plan's schema is shared.
    configuration.schema = Schema(plan.entities.modelTypes, version: plan.schema.version)
    SnapshotEntities.note(plan.entities)
    let store = try SnapshotEntities.with(plan.entities) {
      try Configuration.Store(configuration, migrationPlan: migrationPlan)
    }
    return try CustomStoreEngine(store, name: name, plan: plan, mirror: mirror(plan))
  }

  package static func == (one: Self, other: Self) -> Bool { one.configuration == other.configuration }
  package func hash(into hasher: inout Hasher) { hasher.combine(configuration) }
}

extension DataStoreConfiguration {
  /// Wraps the configuration, so that a container can open an engine for its store.
  package func opening(_ mirror: @escaping CustomStoreConfiguration<Self>.MirrorOpening) -> any EngineConfiguration {
    CustomStoreConfiguration(self, mirror: mirror)
  }
}
