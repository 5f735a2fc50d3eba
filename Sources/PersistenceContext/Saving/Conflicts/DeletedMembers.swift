import PersistenceRuntime
import PersistenceSupport

/// Objects whose rows a store deleted by its foreign keys, and which lists of the context may still contain.
///
/// Rows that referred to them by a column are reported as changed. A list, or a relationship in the column of its
/// inverse, has no such row.
struct DeletedMembers {
  private var objects = ObjectSet()
  private let names: Set<String>
  private let store: StoreCoordinator

  /// Nil if the context has no object of the rows. Created before the objects are unregistered.
  init?(_ rows: AffectedRows, in map: IdentityMap) {
    for key in rows.deleted.sorted() {
      for object in map.objects(ofRow: key) { objects.insert(object) }
    }
    guard !objects.isEmpty else { return nil }
    names = Set(rows.entity.family.map(\.name))
    store = map.store
  }

  /// Empties every unchanged relationship that contains one of the objects, so that it is read again.
  func release(in context: ModelContext) {
    // The root of a hierarchy registers the objects of all classes.
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
