import PersistenceRuntime

extension RelationshipSlotOperation {
  /// Applies the operation to a relationship in backing data, like `apply` to a slot.
  mutating func apply<Model: PersistentModel>(
    to model: Model, _ property: PropertyLayout, _ data: KeyPathBackingData<Model>
  ) {
    let isToMany = property.relationship?.isToMany ?? false
    guard let value = data.value(atAny: property.keyPath), property.isRelationship else {
      if kind == .fill || kind == .restore {
        load(isToMany ? objects : ContiguousArray(objects.prefix(1)), property, into: data)
      }
      return
    }
    let held = isToMany ? ContiguousArray(ModelContext.models(value) as [AnyObject]) : held(value)
    note(held)
    switch kind {
    case .read: objects = held
    case .find, .announce: break
    case .set: load(object.map { [$0] } ?? [], property, into: data)
    case .clear: if property.isOptional { load([], property, into: data) }
    case .append: load(held + (object.map { [$0] } ?? []), property, into: data)
    case .takeOut, .remove: load(held.filter { !removal.contains($0) }, property, into: data)
    case .fill, .restore: load(objects, property, into: data)
    case .release: data.forget(property.keyPath)
    }
  }

  private func held(_ value: Any) -> ContiguousArray<AnyObject> {
    ModelContext.model(value).map { [$0] } ?? []
  }

  private func load<Model: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, _ property: PropertyLayout, into data: KeyPathBackingData<Model>
  ) {
    guard let relationship = property.relationship else { return }
    func value<Destination: PersistentModel>(_ type: Destination.Type) -> Any {
      let models = objects.map { unsafeDowncast($0, to: Destination.self) }
      if relationship.isToMany { return relationship.isOptional ? Optional(models) as Any : models }
      if relationship.isOptional { return models.first as Destination? as Any }
      return models.first as Any
    }
    data.load(value(relationship.destinationType), at: property.keyPath)
  }
}
