import PersistenceRuntime
import PersistenceSupport

/// Finds the references to rows that are not there: another program that does not enforce foreign keys deleted the rows,
/// or wrote keys of none.
///
/// An object of a to-one relationship is created before its row is read. When the read finds none, the relationships of
/// the rows that refer to it become unread: they have a value in the store, and none in memory. A delete rule of
/// `noAction` leaves references to deleted rows behind, which are no error.
struct DanglingReferences {
  let map: IdentityMap
  let context: ModelContext
  /// The missing rows of the map's entity.
  let keys: [Int64]

  func leaveUnread() {
    for layout in map.store.layouts {
      for relationship in layout.relationships where concerns(relationship, of: layout) {
        leaveUnread(relationship, of: layout)
      }
    }
  }

  /// Whether a relationship, which the entity itself declares, may refer to rows of the map's entity.
  private func concerns(_ relationship: RelationshipLayout, of layout: EntityLayout) -> Bool {
    guard relationship.storage == .column, relationship.inverseDeleteRule != .noAction,
      relationship.position >= layout.inheritance?.firstPosition ?? 0
    else { return false }
    return relationship.destination == map.entity.name
      || map.entity.inheritance?.superentityNames.contains(relationship.destination) == true
  }

  private func leaveUnread(_ relationship: RelationshipLayout, of layout: EntityLayout) {
    guard let referring = context.identityMap(for: layout.modelType) else { return }
    let request = FetchRequest(entity: layout, selection: .matching(condition(relationship)))
    do {
      let owners = try map.store.engine.keys(request, in: context.openTransaction(of: map.store))
      let errors = owners.compactMap { owner in
        referring.object(for: owner).flatMap { leaveUnread(relationship, of: referring.entity.model($0)) }
      }
      guard let first = errors.first else { return }
      referring.logUnread(first)
      guard errors.count > 1 else { return }
      map.store.logger.error(
        "\(errors.count - 1) more values of \(relationship.path) lead to no row; the context lists them")
    } catch {
      // The objects keep the deleted one until their rows are read again.
      map.store.logger.error("which rows refer to missing ones of \(map.entity.name) is unknown: \(error)")
    }
  }

  private func condition(_ relationship: RelationshipLayout) -> QueryTree {
    var tree = QueryTree()
    tree.append(list: keys.map { .integer($0) })
    tree.append(.property(relationship.position))
    tree.append(.containsValue)
    return tree
  }

  /// Empties the relationship of one object, if that holds the missing one. Returns the error, if it is not known.
  private func leaveUnread<T: PersistentModel>(_ relationship: RelationshipLayout, of model: T) -> SwiftDataError? {
    let state = model._$state
    guard let own = state.pointee.identityMap, own.context === context, !model.isDeleted,
      state.pointee.dirty & PropertyMask.bit(relationship.position) == 0,
      let held = model._$edit(.read, at: relationship.position).objects.first
    else { return nil }
    let key = EntityLayout.model(held, as: relationship.destinationType)._$state.pointee.primaryKey
    guard keys.contains(key) else { return nil }
    context.didTouch(model, in: own)
    let column = own.entity.properties[relationship.position].columns.first?.name ?? relationship.name
    let error = SwiftDataError(
      .corruptValue,
      "\(own.entity.name).\(relationship.name) of row \(state.pointee.primaryKey): the column \(column) has the number "
        + "\(key), which is the key of no \(relationship.destination)")
    return model._$leaveUnread(relationship, error, in: own)
  }
}

extension IdentityMap {
  /// Notes that there are no rows of some keys, after others deleted them or referred to them.
  func noteMissing(_ keys: [Int64]) {
    // A key that has a row later is found by its look-up, so forgetting only repeats the look-ups.
    if missingKeys.count > 10_000 { missingKeys.removeAll() }
    missingKeys.formUnion(keys)
    guard let context, !context.isUndoing else { return }
    DanglingReferences(map: self, context: context, keys: keys).leaveUnread()
  }
}

extension EntityLayout {
  /// Whether a to-one relationship may refer to a deleted row, by its delete rule.
  func mayDangle(at position: Int) -> Bool { relationship(at: position)?.inverseDeleteRule == .noAction }
}
