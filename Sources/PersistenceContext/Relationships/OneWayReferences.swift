import PersistenceRuntime

/// Takes deleted objects out of relationships that nothing leads back from.
///
/// A model does not know what refers to it without an inverse, so all objects of the context are looked through, once
/// for a whole deletion, and once for many deletions that follow each other.
struct OneWayReferences {
  let context: ModelContext

  /// Takes what is deleted out of every relationship to some entities.
  ///
  /// - Parameters:
  ///   - targets: The objects that were deleted since this was last done.
  ///   - names: The names of their entities, and of all that these inherit from.
  func drop(_ targets: ContiguousArray<AnyObject>, of names: Set<String>) {
    takeInReads()
    if let referrers = context.referrers.current {
      for target in targets {
        for referrer in referrers[ObjectIdentifier(target)] ?? [] { drop(from: referrer) }
      }
      return
    }
    for changes in context.entityChanges.values where mayRefer(changes.map, to: names) {
      drop(names, from: objects(of: changes), of: changes.map, as: changes.map.modelType)
    }
    if context.referrers.noteSearch() { makeReferrers() }
  }

  private func drop(from referrer: ReferrerIndex.Referrer) {
    func dropTyped<T: PersistentModel>(_ model: T) {
      // A new one may have been taken back since.
      guard !model.isDeleted, model._$state.pointee.identityMap?.context === context else { return }
      drop(referrer.relationship, of: model)
    }
    for model in referrer.objects { dropTyped(model) }
  }

  private func drop<T: PersistentModel>(
    _ names: Set<String>, from objects: [AnyObject], of map: IdentityMap, as type: T.Type
  ) {
    var entity = map.entity
    var concerned = relationships(of: entity, to: names)
    for object in objects {
      let model = unsafeDowncast(object, to: T.self)
      guard !model.isDeleted, let own = model._$state.pointee.identityMap?.entity else { continue }
      // The root of a hierarchy has the objects of all its classes, whose relationships differ.
      if own !== entity { (entity, concerned) = (own, relationships(of: own, to: names)) }
      for relationship in concerned { drop(relationship, of: model) }
    }
  }

  private func drop<T: PersistentModel>(_ relationship: RelationshipLayout, of model: T) {
    for object in model._$edit(.read, at: relationship.position).objects {
      let target = EntityLayout.model(object, as: relationship.destinationType)
      if target.isDeleted { model._$letGo(of: target, relationship) }
    }
  }

  // MARK: Who may refer to others

  /// What the context has of an entity, and of the root of a hierarchy, of all classes of that.
  private func objects(of changes: EntityChanges) -> [AnyObject] {
    let inserted = changes.livingInserted
    return changes.isRoot ? changes.map.objectsOfRows() + inserted : Array(inserted)
  }

  /// Whether the objects that a map has may refer to some entities, or to any where no names are given.
  private func mayRefer(_ map: IdentityMap, to names: Set<String>? = nil) -> Bool {
    let entities = map.isRoot ? map.entity.family : [map.entity]
    return entities.contains { !relationships(of: $0, to: names).isEmpty }
  }

  private func relationships(of entity: EntityLayout, to names: Set<String>? = nil) -> [RelationshipLayout] {
    entity.relationships.filter { $0.inverse == nil && (names?.contains($0.destination) ?? true) }
  }

  // MARK: The index

  /// Notes what everything refers to, unless there are models that are written by hand, which do not say what they come
  /// to refer to.
  private func makeReferrers() {
    let all = context.entityChanges.values.filter { mayRefer($0.map) }
    guard all.allSatisfy({ $0.map.entity.family.allSatisfy { $0.modelType._$isGenerated } }) else { return }
    var referrers: ReferrerIndex.Referrers = [:]
    var size = 0
    for changes in all {
      func add<T: PersistentModel>(as type: T.Type) {
        for object in objects(of: changes) { size += self.add(unsafeDowncast(object, to: T.self), to: &referrers) }
      }
      add(as: changes.map.modelType)
    }
    context.referrers.keep(referrers, size: size)
  }

  /// Adds to the index what rows refer to that were read since it was made.
  private func takeInReads() {
    guard var taken = context.referrers.takeReads() else { return }
    var growth = 0
    for (map, keys) in taken.reads {
      for key in keys {
        for model in map.objects(ofRow: key) { growth += add(model, to: &taken.referrers) }
      }
    }
    context.referrers.putBack(taken.referrers, growth: growth)
  }

  /// Adds what an object refers to, and says how much that is.
  private func add<T: PersistentModel>(_ model: T, to referrers: inout ReferrerIndex.Referrers) -> Int {
    let state = model._$state
    guard let map = state.pointee.identityMap else { return 1 }
    let inserted = state.pointee.flags.contains(.inserted) ? model : nil
    var size = 1
    for relationship in map.entity.relationships where relationship.inverse == nil {
      let referrer = ReferrerIndex.Referrer(
        map: map, relationship: relationship, key: state.pointee.primaryKey, inserted: inserted)
      let targets = model._$edit(.read, at: relationship.position).objects
      for target in targets { referrers[ObjectIdentifier(target), default: []].append(referrer) }
      size += targets.count
    }
    return size
  }
}
