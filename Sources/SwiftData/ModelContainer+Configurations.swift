import PersistenceContainer
import PersistenceContext
import PersistenceRuntime
import PersistenceStores

extension ModelContainer {
  /// Opens the stores of some models, and of the models that they relate to. Apple's.
  ///
  /// A store that has another schema is migrated. The call returns after the migration. Any thread may call it.
  ///
  /// ```swift
  /// let container = try ModelContainer(for: Trip.self, Stop.self)
  /// ```
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One configuration for each store; none for one store in the default file.
  /// - Throws: `SwiftDataError` with all contradictions in the schema, for an invalid configuration, or for a store
  ///   that cannot be opened or migrated. In that case no store is changed.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(opening: ContainerSchema(forTypes), migrationPlan, configurations)
  }

  /// Opens the stores of a schema. Apple's.
  ///
  /// - Parameters:
  ///   - givenSchema: The schema.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One configuration for each store; none for one store in the default file.
  /// - Throws: `SwiftDataError` with all contradictions in the schema, for an invalid configuration, or for a store
  ///   that cannot be opened or migrated. In that case no store is changed.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(opening: ContainerSchema(givenSchema), migrationPlan, configurations)
  }

  /// Opens the stores of a schema, with an array of configurations. Apple's.
  ///
  /// - Parameters:
  ///   - givenSchema: The schema.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One configuration for each store; none for one store in the default file.
  /// - Throws: `SwiftDataError` with all contradictions in the schema, for an invalid configuration, or for a store
  ///   that cannot be opened or migrated. In that case no store is changed.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(opening: ContainerSchema(givenSchema), migrationPlan, configurations)
  }

  /// Opens the stores of some models, with configurations of any type. Apple's.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - configurations: One configuration of any type for each store.
  /// - Throws: The errors of the other initialisers, and the errors of custom stores.
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(opening: ContainerSchema(forTypes), nil, configurations.map(Self.opening))
  }

  /// Opens the stores of a schema, with configurations of any type. Apple's.
  ///
  /// - Parameters:
  ///   - givenSchema: The schema.
  ///   - configurations: One configuration of any type for each store.
  /// - Throws: The errors of the other initialisers, and the errors of custom stores.
  public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(opening: ContainerSchema(givenSchema), nil, configurations.map(Self.opening))
  }

  /// Opens the stores of some models, with a migration plan and configurations of any type. Apple's.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One configuration of any type for each store.
  /// - Throws: The errors of the other initialisers, and the errors of custom stores.
  @_disfavoredOverload
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(opening: ContainerSchema(forTypes), migrationPlan, configurations.map(Self.opening))
  }

  /// Opens the stores of a schema, with a migration plan and configurations of any type. Apple's.
  ///
  /// - Parameters:
  ///   - givenSchema: The schema.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One configuration of any type for each store.
  /// - Throws: The errors of the other initialisers, and the errors of custom stores.
  @_disfavoredOverload
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(opening: ContainerSchema(givenSchema), migrationPlan, configurations.map(Self.opening))
  }

  /// Returns the configuration in the form that can open a store engine.
  private static func opening(_ configuration: any DataStoreConfiguration) -> any EngineConfiguration {
    // A ``ModelConfiguration`` opens the SQLite engine.
    if let usual = configuration as? ModelConfiguration { return usual }
    // The configurations of the library's other engines also open their engines themselves.
    if let own = (configuration as Any) as? any EngineConfiguration { return own }
    return configuration.opening(DefaultEngine.mirror)
  }

  /// Opens the stores that the configurations describe. If there are none, opens the store in the default file.
  private convenience init(
    opening source: ContainerSchema, _ migrationPlan: (any SchemaMigrationPlan.Type)?,
    _ configurations: [any EngineConfiguration]
  ) throws {
    try self.init(
      source, migrationPlan: migrationPlan,
      configurations: configurations.isEmpty ? [ModelConfiguration()] : configurations)
  }
}

extension ModelContainer {
  /// Opens stores with configurations that open the store engines themselves.
  package convenience init(
    for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, engines: [any EngineConfiguration]
  ) throws {
    try self.init(ContainerSchema(schema), migrationPlan: migrationPlan, configurations: engines)
  }
}
