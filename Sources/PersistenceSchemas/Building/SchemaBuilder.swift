import PersistenceRuntime

/// Builds entities from models, their superclasses and all related models.
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
      // A row contains the inherited properties, so the superclass is part of the schema.
      if let superclass = EntityLinker.supermodel(of: type) { waiting.append(superclass) }
      waiting.append(contentsOf: reader.destinations)
    }
  }
}
