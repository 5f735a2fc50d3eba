extension ModelContext {
  /// Reads relationships of models that were just fetched, each with one query.
  func prefetch<T: PersistentModel>(_ keyPaths: [PartialKeyPath<T>], of models: [T], in map: IdentityMap) throws {
    for keyPath in keyPaths {
      guard let relationship = map.entity.property(at: keyPath)?.relationship else { continue }
      let stored = models.filter { $0._$state.pointee.primaryKey != 0 && !$0.isDeleted }
      if relationship.storage == .column {
        fulfill(relationship, of: stored)
      } else {
        let waiting = stored.filter { !$0._$edit(.find, at: relationship.position).isLoaded }
        guard !waiting.isEmpty else { continue }
        let isComplete = waiting.first?._$state.pointee.group?.isComplete(with: waiting.count) ?? false
        try map.store.loadMembers(
          relationship, of: ContiguousArray(waiting), in: map, isComplete: isComplete, as: T.self)
      }
    }
  }

  /// Reads the rows of the objects that a to-one relationship leads to; the first of each group brings the others along.
  private func fulfill<T: PersistentModel>(_ relationship: RelationshipLayout, of models: [T]) {
    for model in models {
      guard let object = model._$edit(.read, at: relationship.position).objects.first else { continue }
      let related = EntityLayout.model(object, as: relationship.destinationType)
      if related._$state.pointee.flags.contains(.fault) { related._$fulfill() }
    }
  }
}
