/// Takes deleted objects out of relationships that nothing leads back from.
///
/// Nobody keeps who refers to them, so the objects that the context has are looked through, once for a whole deletion, and
/// once for many deletions that follow each other.
struct OneWayReferences {
  let context: ModelContext

  /// Takes what is deleted out of every relationship to some entities.
  ///
  /// - Parameter targets: The objects of these entities that were deleted since this was last done.
  func drop(_ targets: ContiguousArray<AnyObject>, of types: Set<ObjectIdentifier>) {
    if let referrers = context.referrers.referrers {
      for target in targets {
        for referrer in referrers[ObjectIdentifier(target)] ?? [] { drop(from: referrer) }
      }
      return
    }
    dropFromAll(to: types)
    if context.referrers.noteSearch(), let made = makeReferrers() { context.referrers.keep(made) }
  }

  private func dropFromAll(to types: Set<ObjectIdentifier>) {
    for map in context.identityMaps.values {
      let concerned = map.entity.relationships.filter {
        $0.inverse == nil && types.contains(ObjectIdentifier($0.destinationType))
      }
      if !concerned.isEmpty { drop(concerned, in: map, as: map.modelType) }
    }
  }

  private func drop(from referrer: ReferrerIndex.Referrer) {
    guard let object = referrer.object else { return }
    func dropTyped<T: PersistentModel>(_ type: T.Type) {
      let model = unsafeDowncast(object, to: T.self)
      // A new one may have been taken back since.
      guard !model.isDeleted, model._$state.pointee.identityMap?.context === context else { return }
      drop(referrer.relationship, of: model)
    }
    dropTyped(referrer.map.modelType)
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

  // MARK: The index

  /// Notes what everything refers to; nil where models are written by hand, which do not say what they come to refer to.
  private func makeReferrers() -> ReferrerIndex.Referrers? {
    let maps = context.identityMaps.values.filter { $0.entity.relationships.contains { $0.inverse == nil } }
    guard maps.allSatisfy({ $0.modelType._$isGenerated }) else { return nil }
    var referrers: ReferrerIndex.Referrers = [:]
    for map in maps {
      add(map.entity.relationships.filter { $0.inverse == nil }, in: map, to: &referrers, as: map.modelType)
    }
    return referrers
  }

  private func add<T: PersistentModel>(
    _ relationships: [RelationshipLayout], in map: IdentityMap, to referrers: inout ReferrerIndex.Referrers,
    as type: T.Type
  ) {
    let objects = map.livingObjects() + map.livingInserted
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      let state = model._$state
      let inserted = state.pointee.flags.contains(.inserted) ? object : nil
      for relationship in relationships {
        let referrer = ReferrerIndex.Referrer(
          map: map, relationship: relationship, key: state.pointee.primaryKey, inserted: inserted)
        for target in model._$edit(.read, at: relationship.position).objects {
          referrers[ObjectIdentifier(target), default: []].append(referrer)
        }
      }
    }
  }
}
