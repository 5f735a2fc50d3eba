import PersistenceRuntime

/// Objects whose rows a store deleted by its own rules, which lists of the context may still hold.
///
/// What refers to them by a column is among the rows that the store changed. A list, and a relationship that is kept in
/// the column of the one that leads back, have no row that says so.
struct DeletedMembers {
  private var objects = ObjectSet()
  private let names: Set<String>
  private let store: StoreCoordinator

  /// Nil when the context has no object of the rows: then nothing in it holds one. Asked before the objects are let go.
  init?(_ rows: AffectedRows, in map: IdentityMap) {
    for key in rows.deleted.sorted() {
      for object in map.objects(ofRow: key) { objects.insert(object) }
    }
    guard !objects.isEmpty else { return nil }
    names = Set(rows.entity.family.map(\.name))
    store = map.store
  }

  /// Has every relationship read again that holds one of the objects and has no changes of its own.
  func release(in context: ModelContext) {
    // The objects of a hierarchy are registered with its root.
    for changes in context.entityChanges.values where changes.isRoot && changes.map.store === store {
      let map = changes.map
      guard map.entity.family.contains(where: { $0.relationships.contains(where: concerns) }) else { continue }
      for object in map.objectsOfRows() { release(map.entity.model(object), in: map, of: context) }
    }
  }

  private func concerns(_ relationship: RelationshipLayout) -> Bool {
    relationship.storage != .column && names.contains(relationship.destination)
  }

  private func release<T: PersistentModel>(_ model: T, in map: IdentityMap, of context: ModelContext) {
    let state = model._$state
    let own = state.pointee.identityMap ?? map
    guard !model.isDeleted else { return }
    for relationship in own.entity.relationships where concerns(relationship) {
      let position = relationship.position
      guard state.pointee.dirty & PropertyMask.bit(position) == 0,
        !objects.members(of: model._$edit(.read, at: position).objects).isEmpty
      else { continue }
      context.didTouch(model, in: own)
      model._$forgetRead(relationship)
    }
  }
}
