import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas

// API names of the SwiftData betas of 2023.

extension ModelContainer {
  /// Opens the stores of models that are listed in an array.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
  ///   - configurations: One configuration for each store; none for one store in the default file.
  /// - Throws: The errors of the current initialisers.
  @available(*, deprecated, message: "list the models without the array, or make a Schema of it")
  public convenience init(
    for forTypes: [any PersistentModel.Type], migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens the stores of models that are listed in an array, with configurations that have no argument label.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - configuration: The first store.
  ///   - more: Further stores.
  /// - Throws: The errors of the current initialisers.
  @available(*, deprecated, message: "make a Schema of the array, and label the configurations")
  public convenience init(
    for forTypes: [any PersistentModel.Type], _ configuration: ModelConfiguration, _ more: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: [configuration] + more)
  }

  /// Opens the stores of models that are listed in an array.
  ///
  /// - Parameters:
  ///   - forTypes: The models.
  ///   - configurations: One configuration for each store; none for one store in the default file.
  /// - Throws: The errors of the current initialisers.
  @available(*, deprecated, message: "say for:, and list the models without the array")
  public convenience init(_ forTypes: [any PersistentModel.Type], _ configurations: ModelConfiguration...) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Opens the stores of a model, with configurations that have no argument label.
  ///
  /// - Parameters:
  ///   - forType: The model.
  ///   - configuration: The first store.
  ///   - more: Further stores.
  /// - Throws: The errors of the current initialisers.
  @available(*, deprecated, message: "label the configurations: ModelContainer(for:configurations:)")
  public convenience init(
    for forType: any PersistentModel.Type, _ configuration: ModelConfiguration, _ more: ModelConfiguration...
  ) throws {
    try self.init(for: Schema([forType]), configurations: [configuration] + more)
  }

  /// Opens the stores of a schema, with configurations that have no argument label.
  ///
  /// - Parameters:
  ///   - givenSchema: The schema.
  ///   - configuration: The first store.
  ///   - more: Further stores.
  /// - Throws: The errors of the current initialisers.
  @available(*, deprecated, message: "label the configurations: ModelContainer(for:configurations:)")
  public convenience init(
    for givenSchema: Schema, _ configuration: ModelConfiguration, _ more: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, configurations: [configuration] + more)
  }
}
