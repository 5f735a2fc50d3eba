import PersistenceContainer
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Makes the configuration of a custom store usable for opening an engine.
package struct CustomStoreConfiguration<Configuration: DataStoreConfiguration>: EngineConfiguration {
  /// Opens the mirror, the in-memory database of the rows that were read from a store.
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

  /// A description instead of a path: only the custom store knows where its data is.
  package var storeLocation: String { "\(Configuration.self) '\(name)'" }
  package var uniquenessPolicy: UniquenessPolicy { .updateExisting }

  package func validate() throws { try configuration.validate() }

  package func openEngine(
    plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws -> any StoreEngine {
    var configuration = configuration
    // The store gets a schema of its own: the plan's schema is shared, and the program might change its entities.
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
  /// Wraps the configuration, so that it opens an engine.
  package func opening(_ mirror: @escaping CustomStoreConfiguration<Self>.MirrorOpening) -> any EngineConfiguration {
    CustomStoreConfiguration(self, mirror: mirror)
  }
}
