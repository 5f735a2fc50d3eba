// Objects that come back: their deletion is taken back, or they left a context and are inserted anew. They kept what
// they related to without hearing what became of that, and what stayed in the context let go of them.

import PersistenceRuntime

extension ModelContext {
  /// Lets a model that comes back go of what was deleted meanwhile, as it would have, had it been there.
  ///
  /// A column that leads to what others deleted stays: the save finds it out, and tells of it by its policy. So does
  /// what a model must hold, and the save says that it is not in the store.
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

  /// Makes what a model relates to know of it again.
  ///
  /// - Parameter yields: Whether what holds another model by now keeps that. The model lets go of it then: it may be
  ///   long ago that the two were related, and what is in the context must not change by that.
  func relateAgain<T: PersistentModel>(_ model: T, in map: IdentityMap, yields: Bool) {
    for relationship in map.entity.relationships {
      guard let inverse = relationship.inverse else { continue }
      for object in model._$edit(.read, at: relationship.position).objects {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        guard related._$state.pointee.identityMap?.context === self, !related.isDeleted else { continue }
        // What a list is about to let go of would be found in it.
        if related._$state.pointee.flags.contains(.stale) { related._$flushStale() }
        if yields, related._$holdsOther(than: model, inverse) {
          model._$letGo(of: related, relationship)
        } else if !related._$lists(model, inverse) {
          // The model still holds it if both went together, or if the delete rule left it.
          model._$link(related, relationship)
        }
      }
    }
  }
}

extension PersistentModel {
  /// Whether a to-one end holds another object.
  fileprivate func _$holdsOther(than model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard !inverse.isToMany, let held = _$relatedObject(at: inverse.position) else { return false }
    return held !== model
  }

  /// Whether a to-many end that has been read holds an object.
  ///
  /// Many may come back to one end. What keeps its members finds each of them without a search; what is as in the store
  /// keeps none.
  fileprivate func _$lists(_ model: some PersistentModel, _ inverse: RelationshipLayout.Inverse) -> Bool {
    guard inverse.isToMany, _$edit(.find, at: inverse.position).isLoaded else { return false }
    let state = _$state
    let isChanged = state.pointee.dirty & PropertyMask.bit(inverse.position) != 0
    guard isChanged || state.pointee.hasLeft else { return _$edit(.find, model, at: inverse.position).isFound }
    return _$hasMember(model, state.pointee.listChanges(at: inverse.position))
  }
}
