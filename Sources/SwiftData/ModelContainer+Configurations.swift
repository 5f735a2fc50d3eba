import PersistenceContainer
import PersistenceContext
import PersistenceRuntime

extension ModelContainer {
  /// Opens the stores of some models, and of the models that these relate to.
  ///
  /// Without configurations there is one store, in the program's default file.
  /// - Throws: `SwiftDataError` with everything that contradicts itself in the schema, with what is wrong with a
  ///   configuration, or with why a store cannot be opened. No file is changed then.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      ContainerSchema(forTypes), migrationPlan: migrationPlan, configurations: configurations,
      migrateTogether: DefaultStore.migrateTogether, open: DefaultStore.open)
  }

  /// Opens the stores of a schema.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of a schema.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(
      ContainerSchema(givenSchema), migrationPlan: migrationPlan, configurations: configurations,
      migrateTogether: DefaultStore.migrateTogether, open: DefaultStore.open)
  }

  /// Opens the stores of some models in configurations of any kind.
  public convenience init(
    for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      ContainerSchema(forTypes), migrationPlan: nil,
      configurations: configurations.map(DefaultStore.requireOwnConfiguration),
      migrateTogether: DefaultStore.migrateTogether, open: DefaultStore.open)
  }

  /// Opens the stores of a schema in configurations of any kind.
  public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    try self.init(
      for: givenSchema, migrationPlan: nil, configurations: configurations.map(DefaultStore.requireOwnConfiguration))
  }
}
