/// Sets the superentities and subentities of a schema's entities, and adds inherited properties.
package struct EntityLinker {
  let entities: [Schema.Entity]
  private let byName: [String: Schema.Entity]

  package init(entities: [Schema.Entity]) {
    self.entities = entities
    self.byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Finds the superentity of each entity by its name.
  package func linkByName() {
    for entity in entities {
      for subentity in entity.subentities { subentity.superentity = entity }
    }
    for entity in entities {
      guard let name = entity.superentityName, let superentity = byName[name] else { continue }
      entity.superentity = superentity
    }
    inherit()
  }

  /// Finds the superentity of each entity by the superclass of its model.
  package func linkByClass() {
    let byType = Dictionary(
      entities.compactMap { entity in entity.modelType.map { (ObjectIdentifier($0), entity) } }
    ) { first, _ in first }
    for entity in entities {
      guard let model = entity.modelType, let superclass = Self.supermodel(of: model) else { continue }
      guard let superentity = byType[ObjectIdentifier(superclass)] else { continue }
      entity.superentity = superentity
    }
    inherit()
  }

  /// The superclass of a model if it is a model too, else nil.
  package static func supermodel(of model: any PersistentModel.Type) -> (any PersistentModel.Type)? {
    _getSuperclass(model as AnyClass) as? any PersistentModel.Type
  }

  // Visits superentities first, because an entity also inherits the properties that its superentity has inherited.
  private func inherit() {
    let ordered = entities.map { ($0, $0.superentities.count) }.sorted { $0.1 < $1.1 }.map(\.0)
    for entity in ordered {
      guard let superentity = entity.superentity, superentity !== entity else { continue }
      inheritProperties(of: superentity, in: entity)
    }
    for entity in ordered {
      entity.superentity?.subentities.insert(entity)
    }
  }

  // Removes inherited properties from the stored ones: a subclass's metadata may list them with its own key paths.
  private func inheritProperties(of superentity: Schema.Entity, in entity: Schema.Entity) {
    let inherited = Set(superentity.properties.map(\.name))
    entity.storedProperties.removeAll { inherited.contains($0.name) }
    entity.inheritedProperties = superentity.properties
    entity.namesByKeyPath.merge(superentity.namesByKeyPath) { own, _ in own }
  }
}
