/// Takes deleted objects out of relationships that nothing leads back from.
///
/// Nobody keeps who refers to them, so the objects that the context has are looked through, once for a whole deletion.
struct OneWayReferences {
  let context: ModelContext

  /// Takes what is deleted out of every relationship to some entities.
  func drop(to types: Set<ObjectIdentifier>) {
    for map in context.identityMaps.values {
      let concerned = map.entity.relationships.filter {
        $0.inverse == nil && types.contains(ObjectIdentifier($0.destinationType))
      }
      if !concerned.isEmpty { drop(concerned, in: map, as: map.modelType) }
    }
  }

  private func drop<T: PersistentModel>(_ relationships: [RelationshipLayout], in map: IdentityMap, as type: T.Type) {
    var objects = map.livingObjects() + map.livingInserted
    objects += map.secondObjects.map { $0 as AnyObject }
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      guard !model.isDeleted else { continue }
      for relationship in relationships { drop(relationship, of: model) }
    }
  }

  private func drop<T: PersistentModel>(_ relationship: RelationshipLayout, of model: T) {
    for object in model._$edit(.read, at: relationship.position).objects {
      let target = EntityLayout.model(object, as: relationship.destinationType)
      if target.isDeleted { model._$letGo(of: target, relationship) }
    }
  }
}
