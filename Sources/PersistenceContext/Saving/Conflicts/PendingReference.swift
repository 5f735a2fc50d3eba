import PersistenceRuntime

/// A reference that a save writes to a row that existed before.
struct PendingReference {
  let owner: any PersistentModel
  let ownerMap: IdentityMap
  let relationship: RelationshipLayout
  let target: any PersistentModel
  let targetMap: IdentityMap
  /// Whether this context has deleted the target, and not others.
  let isDeletedHere: Bool

  var targetKey: Int64 { target._$state.pointee.primaryKey }

  private var ownerName: String { "\(ownerMap.entity.name) \(owner.persistentModelID.primaryKeyText)" }
  private var targetName: String { "\(targetMap.entity.name) \(target.persistentModelID.primaryKeyText)" }

  var conflict: ModelContext.SaveConflict {
    ModelContext.SaveConflict(
      kind: .deletedElsewhere, persistentModelID: owner.persistentModelID, entityName: ownerMap.entity.name,
      propertyName: relationship.name, read: nil, ours: targetName, theirs: nil)
  }

  /// The violation of a required reference.
  var violation: String {
    "\(relationship.path) of \(ownerName) must have a value, but \(targetName) was deleted by another context or "
      + "process; set it to another \(relationship.destination), or delete the \(ownerMap.entity.name)"
  }

  /// The violation of a reference that this context broke.
  var ownViolation: String {
    let cure = relationship.isToMany ? "take it out" : "set it to another \(relationship.destination)"
    return "\(relationship.path) of \(ownerName) refers to \(targetName), which this context has deleted; \(cure), or "
      + "delete the \(ownerMap.entity.name)"
  }
}

extension SavedChanges.SavedEntity {
  /// The references to existing rows that the save writes.
  func pendingReferences() -> [PendingReference] {
    map.entity.hasRelationships ? pendingReferences(as: map.entity.modelType) : []
  }

  private func pendingReferences<T: PersistentModel>(as type: T.Type) -> [PendingReference] {
    var references: [PendingReference] = []
    for object in inserted + changed {
      let model = unsafeDowncast(object, to: T.self)
      for relationship in map.entity.relationships {
        for target in written(relationship, of: model) {
          let target = EntityLayout.model(target, as: relationship.destinationType)
          guard let targetMap = target._$state.pointee.identityMap, targetMap.context === map.context,
            target._$wasSavedBefore
          else { continue }
          let isBatchDeleted = targetMap.batchDeletedKeys.contains(target._$state.pointee.primaryKey)
          references.append(
            PendingReference(
              owner: model, ownerMap: map, relationship: relationship, target: target, targetMap: targetMap,
              isDeletedHere: isBatchDeleted || target._$isDeletedHere))
        }
      }
    }
    return references
  }

  /// The objects of a relationship that are written with an object, in a column or as pairs.
  private func written<T: PersistentModel>(
    _ relationship: RelationshipLayout, of model: T
  ) -> ContiguousArray<AnyObject> {
    let state = model._$state
    let isNew = state.pointee.flags.contains(.inserted)
    switch relationship.storage {
    case .column:
      guard isNew || state.pointee.dirty & PropertyMask.bit(relationship.position) != 0 else { return [] }
    case .links:
      guard isNew else { return state.pointee.extras?.list(at: relationship.position)?.added.objects ?? [] }
    case .inverseColumn: return []
    }
    return model._$edit(.read, at: relationship.position).objects
  }
}

extension PersistentModel {
  /// Whether the row of the object existed before this save.
  fileprivate var _$wasSavedBefore: Bool {
    _$state.pointee.primaryKey != 0 && !_$state.pointee.flags.contains(.inserted)
  }

  /// Whether this context has deleted the row, or deletes it with this save.
  fileprivate var _$isDeletedHere: Bool {
    let flags = _$state.pointee.flags
    return flags.contains(.deleted) || (flags.contains(.gone) && !flags.contains(.lost))
  }
}
