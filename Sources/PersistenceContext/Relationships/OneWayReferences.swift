import PersistenceRuntime

/// Removes deleted objects from relationships without an inverse.
///
/// A model does not know its referrers without an inverse. So all objects of the context are searched, once for a
/// deletion with its cascades, and once for many deletions in a row.
struct OneWayReferences {
  let context: ModelContext

  /// Removes deleted objects from every one-way relationship to some entities.
  ///
  /// - Parameters:
  ///   - targets: The objects that were deleted since the last call.
  ///   - names: The names of their entities, with all superentities.
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
      // The insertion of a new object may have been taken back since.
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
      // The map of a root has the objects of all classes, whose relationships differ.
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

  // MARK: Candidates

  /// The objects of an entity in the context; for the root of a hierarchy, of all classes.
  private func objects(of changes: EntityChanges) -> [AnyObject] {
    let inserted = changes.livingInserted
    return changes.isRoot ? changes.map.objectsOfRows() + inserted : Array(inserted)
  }

  /// Whether objects of a map may refer to some entities, or to any without names.
  private func mayRefer(_ map: IdentityMap, to names: Set<String>? = nil) -> Bool {
    let entities = map.isRoot ? map.entity.family : [map.entity]
    return entities.contains { !relationships(of: $0, to: names).isEmpty }
  }

  private func relationships(of entity: EntityLayout, to names: Set<String>? = nil) -> [RelationshipLayout] {
    entity.relationships.filter { $0.inverse == nil && (names?.contains($0.destination) ?? true) }
  }

  // MARK: The index

  /// Creates the index, unless there are hand-written models, which do not report changes of references.
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

  /// Adds the references of rows that were read since the index was created.
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

  /// Adds the references of an object. Returns their number.
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
