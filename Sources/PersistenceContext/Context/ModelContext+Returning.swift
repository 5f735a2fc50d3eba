// Objects that return to a context: their deletion is taken back, or they are inserted again. They kept their
// relationships without updates meanwhile, and the objects of the context released them.

import PersistenceRuntime

extension ModelContext {
  /// Removes deleted objects from the relationships of a returning model.
  ///
  /// A reference in a column to a row that others deleted stays: the save finds it and applies its conflict policy. So
  /// does a required reference, for which the save throws.
  func dropDeleted<T: PersistentModel>(from model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships
    where relationship.inverseDeleteRule != .noAction && (relationship.isToMany || relationship.isOptional) {
      for object in model._$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        guard related._$state.pointee.identityMap?.context === self, related.isDeleted else { continue }
        if relationship.storage == .column, related._$state.pointee.flags.contains(.lost) { continue }
        model._$letGo(of: related, relationship)
      }
    }
  }

  /// Restores the inverses of a returning model.
  ///
  /// - Parameter yields: Whether a related object that refers to another model by now keeps that. The returning model
  ///   releases it then, because an old relationship must not change the objects of the context.
  func relateAgain<T: PersistentModel>(_ model: T, in map: IdentityMap, yields: Bool) {
    for relationship in map.entity.relationships {
      guard let inverse = relationship.inverse else { continue }
      for object in model._$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        guard related._$state.pointee.identityMap?.context === self, !related.isDeleted else { continue }
        // Members whose removal is pending would be found in the list.
        if related._$state.pointee.flags.contains(.stale) { related._$flushStale() }
        if yields, related._$holdsOther(than: model, inverse) {
          model._$letGo(of: related, relationship)
        } else if !related._$lists(model, inverse) {
          // The inverse may still be set: if both objects left together, or by the delete rule.
          model._$link(related, relationship)
        }
      }
    }
  }
}

extension PersistentModel {
  /// Whether a to-one inverse refers to another object.
  fileprivate func _$holdsOther(than model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard !inverse.isToMany, let held = _$relatedObject(at: inverse.position) else { return false }
    return held !== model
  }

  /// Whether a loaded to-many inverse contains an object.
  ///
  /// Many objects may return to one list. A changed list has a set of members for the search; an unchanged list has
  /// none.
  fileprivate func _$lists(_ model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard inverse.isToMany, _$edit(.find, at: inverse.position).isLoaded else { return false }
    let state = _$state
    let isChanged = state.pointee.dirty & PropertyMask.bit(inverse.position) != 0
    guard isChanged || state.pointee.hasLeft else { return _$edit(.find, model, at: inverse.position).isFound }
    return _$hasMember(model, state.pointee.listChanges(at: inverse.position))
  }
}
