import PersistenceRuntime

/// Builds the entities of models, of their superclasses, and of all related models.
struct SchemaBuilder {
  private(set) var entities: [Schema.Entity] = []
  private(set) var problems: [SchemaProblem] = []

  mutating func build(_ types: [any PersistentModel.Type]) {
    readEntities(of: types)
    EntityLinker(entities: entities).linkByClass()
    for entity in entities {
      var reader = ConstraintReader(entity: entity)
      reader.read()
      problems += reader.problems
    }
    let linker = RelationshipLinker(entities: entities)
    linker.link()
    problems += linker.unresolvedInverses()
  }

  private mutating func readEntities(of types: [any PersistentModel.Type]) {
    var seen: Set<ObjectIdentifier> = []
    var waiting = types[...]
    while let type = waiting.popFirst() {
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      var reader = EntityReader(type)
      reader.read()
      entities.append(reader.entity)
      problems += reader.problems
      // A row also contains the inherited properties, so the schema must contain the superclass.
      if let superclass = EntityLinker.supermodel(of: type) { waiting.append(superclass) }
      waiting.append(contentsOf: reader.destinations)
    }
  }
}

extension Schema {
  /// Creates a schema from entities described by hand. Apple's initialiser.
  ///
  /// The given entities are changed: their superentities are set, and inverses that only one side names are set on the
  /// other side too.
  ///
  /// - Parameters:
  ///   - entities: The entities. The schema also contains all their subentities.
  ///   - version: The version of the schema.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    let all = EntityLinker.withSubentities(entities)
    EntityLinker(entities: all).linkByName()
    RelationshipLinker(entities: all).link()
    self.init(entities: all, version: version)
  }

  /// Creates a schema from models, their superclasses and all related models. Apple's initialiser.
  ///
  /// Subclasses must be listed, because they cannot be found at run time.
  ///
  /// - Parameters:
  ///   - types: The model types.
  ///   - version: The version of the schema.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    var builder = SchemaBuilder()
    builder.build(types)
    self.init(entities: builder.entities, version: version, problems: builder.problems)
  }

  /// Creates a schema from models, their superclasses and all related models. Apple's initialiser.
  ///
  /// - Parameters:
  ///   - types: The model types.
  ///   - version: The version of the schema.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// Creates the schema of a version of the models. Apple's initialiser.
  ///
  /// - Parameter versionedSchema: The version.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }
}

extension EntityLinker {
  /// Returns entities and all their subentities, each once.
  fileprivate static func withSubentities(_ entities: [Schema.Entity]) -> [Schema.Entity] {
    var found: [Schema.Entity] = []
    var waiting = entities
    while !waiting.isEmpty {
      let entity = waiting.removeFirst()
      guard !found.contains(where: { $0 === entity }) else { continue }
      found.append(entity)
      waiting.append(contentsOf: entity.subentities.sorted { $0.name < $1.name })
    }
    return found
  }
}
