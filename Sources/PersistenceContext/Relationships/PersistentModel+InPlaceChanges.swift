// Code that runs during an in-place change, such as the closure of `trip.stops.removeAll { … }`, may use the context: it
// may save, roll back, or read the property. The value is not in its slot then, and the change is made when the access
// ends.

import PersistenceRuntime

extension PersistentModel {
  /// The members of a to-many relationship whose slot is empty because it is being changed in place; nil if it is empty
  /// for another reason.
  ///
  /// The members are those from before the change, with what code has linked and unlinked since.
  func _$modifiedMembers(at position: Int) -> ContiguousArray<AnyObject>? {
    guard let list = _$state.pointee.extras?.list(at: position), let former = list.members?.objects,
      let map = _$state.pointee.identityMap, map.context != nil,
      let relationship = map.entity.relationship(at: position)
    else { return nil }
    var members: ContiguousArray<AnyObject> = []
    for member in former
    where !list.removed.contains(member) && !EntityLayout.model(member, as: relationship.destinationType).isDeleted {
      members.append(member)
    }
    return members + list.added.objects(besides: members)
  }

  /// The objects of a loaded relationship, also of a list that is being changed in place.
  func _$heldMembers(at position: Int) -> ContiguousArray<AnyObject> {
    let edit = _$edit(.read, at: position)
    return edit.isLoaded ? edit.objects : _$modifiedMembers(at: position) ?? []
  }

  /// Keeps the lists pending that are being changed in place when a save has written what they were before.
  ///
  /// - Returns: The mask of these relationships.
  func _$postponeModifiedLists() -> UInt64 {
    var mask: UInt64 = 0
    for list in _$state.pointee.extras?.lists ?? []
    where list.members != nil && !_$edit(.find, at: list.position).isLoaded {
      guard let members = _$modifiedMembers(at: list.position), let relationship = _$relationship(at: list.position)
      else { continue }
      // Members without a row get theirs with the next save.
      let written = ContiguousArray(
        members.filter {
          EntityLayout.model($0, as: relationship.destinationType)._$state.pointee.primaryKey != 0
        })
      _$state.pointee.identityMap?.ownContext?.postpone(self, at: list.position, besides: written)
      mask |= PropertyMask.bit(list.position)
    }
    return mask
  }

  /// Whether a to-one relationship is being changed in place. Its slot must stay empty, so that no save takes what is
  /// read meanwhile for the value.
  var _$modifiesReferences: Bool { _$state.pointee.extras?.modified.isEmpty == false }

  /// The value of an attribute before its pending changes; nil if it is unknown.
  func _$originalValue<Value>(at position: Int) -> Value? {
    guard let originals = _$state.pointee.identityMap?.changes?.originals, !originals.isEmpty else { return nil }
    return originals.grouped()[ObjectIdentifier(self)]?[position] as? Value
  }

  /// Whether a property has changes. If its slot is empty, it is being changed in place.
  func _$isDirty(_ position: Int) -> Bool {
    _$state.pointee.dirty & PropertyMask.bit(position) != 0
  }

  /// Marks a property as changed at the end of an in-place change, if code of the access saved or discarded the mark.
  @usableFromInline
  func _$changeAgain(_ position: Int) {
    let state = _$state
    guard let map = state.pointee.identityMap, map.context != nil, !state.pointee.flags.contains(.gone),
      !_$isRefused(position)
    else { return }
    let property = map.entity.properties[position]
    if !property.isRelationship, state.pointee.primaryKey != 0, let value = self[keyPath: property.keyPath] {
      _$noteOriginal(value, at: position)
    }
    _$willChange(position)
  }

  /// Marks a property as changed again, if an observer saved or rolled back that was notified of the change before it was
  /// made.
  ///
  /// - Returns: Whether one did.
  @discardableResult
  func _$markAgain(_ position: Int) -> Bool {
    guard _$isObserved, _$state.pointee.identityMap != nil, !_$isDirty(position) else { return false }
    _$keepOriginalReference(at: position)
    _$changeAgain(position)
    return true
  }
}
