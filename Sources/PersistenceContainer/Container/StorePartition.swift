import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The assignment of a container's entities to its configurations.
struct StorePartition {
  let parts: [(configuration: any EngineConfiguration, plan: SchemaPlan)]

  /// - Throws: `SwiftDataError` for an invalid name, for configurations that share a file or entities, for entities
  ///   that the container's schema lacks, and for entities of the container that no configuration has.
  init(plan: SchemaPlan, configurations: [any EngineConfiguration]) throws {
    let schema = plan.schema
    for configuration in configurations { try configuration.validate() }
    if configurations.count == 1, configurations[0].schema == nil {
      parts = [(configurations[0], plan)]
      return
    }
    try Self.checkDuplicates(configurations)
    for configuration in configurations { try Self.checkSchema(of: configuration, against: schema) }
    let claimed = Set(configurations.flatMap { $0.schema?.entities.map(\.name) ?? [] })
    let unclaimed = schema.entities.filter { !claimed.contains($0.name) }
    try Self.checkHierarchies(of: schema, owners: Self.owners(configurations))
    let rest = configurations.firstIndex { $0.schema == nil }
    if rest == nil, let homeless = unclaimed.first {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "no configuration holds \(homeless.name); add it to the schema of one, or leave the schema of one out")
    }
    parts = try configurations.enumerated().map { index, configuration in
      (configuration, try Self.part(of: plan, for: configuration, unclaimed: index == rest ? unclaimed : []))
    }
  }

  private static func part(
    of plan: SchemaPlan, for configuration: any EngineConfiguration, unclaimed: [Schema.Entity]
  ) throws -> SchemaPlan {
    let schema = plan.schema
    let names = Set(configuration.schema?.entities.map(\.name) ?? unclaimed.map(\.name))
    guard names.count < schema.entities.count else { return plan }
    let types = schema.entities.filter { names.contains($0.name) }.compactMap(\.modelType)
    return try SchemaPlan(Schema(types, version: schema.version), partOf: plan)
  }

  private static func checkDuplicates(_ configurations: [any EngineConfiguration]) throws {
    var locations: Set<String> = []
    var owners: [String: String] = [:]
    for configuration in configurations {
      let location = configuration.storeLocation
      guard locations.insert(location).inserted else {
        throw SwiftDataError(
          .duplicateConfiguration, "two configurations keep their store in \(location); give one another name or URL")
      }
      for entity in configuration.schema?.entities ?? [] {
        if let owner = owners.updateValue(configuration.name, forKey: entity.name) {
          throw SwiftDataError(
            .duplicateConfiguration,
            "\(entity.name) is in the schemas of the configurations '\(owner)' and '\(configuration.name)'")
        }
      }
    }
    guard configurations.count(where: { $0.schema == nil }) <= 1 else {
      throw SwiftDataError(
        .duplicateConfiguration, "two configurations hold all entities; give each but one a schema of its own")
    }
  }

  /// The name of the configuration that declares each entity, by the name of the entity.
  private static func owners(_ configurations: [any EngineConfiguration]) -> [String: String] {
    let pairs = configurations.flatMap { configuration in
      (configuration.schema?.entities ?? []).map { ($0.name, configuration.name) }
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// - Throws: An error if the entities of a hierarchy, which share a table, are in different stores.
  private static func checkHierarchies(of schema: Schema, owners: [String: String]) throws {
    for entity in schema.entities {
      guard let superentity = entity.superentity, owners[entity.name] != owners[superentity.name] else { continue }
      let names = [entity, superentity].map { entity in
        "\(entity.name) " + (owners[entity.name].map { "in '\($0)'" } ?? "in the one without a schema of its own")
      }
      throw SwiftDataError(
        .duplicateConfiguration,
        "\(entity.name) inherits from \(superentity.name) and is stored with it, but the configurations hold "
          + "\(names.joined(separator: " and ")); put both into the schema of one configuration")
    }
  }

  private static func checkSchema(of configuration: any EngineConfiguration, against schema: Schema) throws {
    let missing = (configuration.schema?.entities ?? []).map(\.name).filter { schema.entitiesByName[$0] == nil }
    guard missing.isEmpty else {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "the configuration '\(configuration.name)' holds \(missing.joined(separator: ", ")), "
          + "which the container's schema lacks; add them to the schema of the container")
    }
  }

  /// Migrates all stores or none, if there are several stores and all their configurations are of one type.
  func migrateTogether(_ migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    guard parts.count > 1, let first = parts.first?.configuration else { return }
    try migrateTogether(like: first, migrationPlan)
  }

  private func migrateTogether<Kind: EngineConfiguration>(
    like first: Kind, _ migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    let own = parts.compactMap { part in
      (part.configuration as? Kind).map { (configuration: $0, plan: part.plan) }
    }
    guard own.count == parts.count else { return }
    try Kind.migrateTogether(own, migrationPlan: migrationPlan)
  }
}
