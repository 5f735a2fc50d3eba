import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

// What a save tells the history of a store.

extension SavedHistory {
  /// Notes changed rows.
  ///
  /// - Parameter mask: The properties that were set.
  func noteUpdates(_ objects: ContiguousArray<AnyObject>, mask: UInt64, of changes: SavedChanges.SavedEntity) {
    let (map, entity) = (changes.map, changes.map.entity)
    guard !objects.isEmpty, mask & entity.recordedMask != 0 else { return }
    if !map.seconds.isEmpty { mayRepeat = true }
    let isShared = mask & PropertyMask.bit(PropertyMask.sharedPosition) != 0
    let unchanged = trustsOriginals && mask & entity.storedMask != 0 ? changes.unchangedProperties(of: objects) : [:]
    guard isShared || !unchanged.isEmpty else { return noteUpdates(map.keys(of: objects), mask: mask, of: entity) }
    for object in objects {
      noteUpdate(
        map.key(of: object), mask: mask, shared: isShared ? changes.changedSharedPositions(of: object) : nil,
        without: unchanged[ObjectIdentifier(object)] ?? [], of: entity)
    }
  }

  /// Notes the rows of a save's deletions, before they are deleted.
  func willDelete(_ entities: [SavedChanges.SavedEntity], in transaction: any StoreTransaction) throws {
    let deletions = entities.flatMap { changes in
      let (entity, root) = (changes.map.entity, changes.map.rootMap.entity)
      return [
        Deletion(of: entity, in: root, keys: changes.map.keys(of: changes.deleted)),
        Deletion(of: nil, in: root, keys: changes.batchDeletedKeys),
      ]
    }
    try willDelete(deletions.filter { !$0.keys.isEmpty }, in: transaction)
  }
}

extension SavedChanges.SavedEntity {
  /// The changed ones of the properties that share a mask bit, and all relationships among these: the old value of a
  /// list is noted when it changes, that of a reference when it is read.
  fileprivate func changedSharedPositions(of object: AnyObject) -> Set<Int> {
    let positions = map.entity.properties.indices.dropFirst(PropertyMask.sharedPosition)
    return Set(
      positions.filter {
        map.entity.properties[$0].isRelationship || source.originals.shared(of: object, at: $0) != nil
      })
  }

  /// The properties with columns that were set, and have again the value that they had before, by object.
  ///
  /// Code that the save executes may have set a written property to another value since; then there are none.
  fileprivate func unchangedProperties(of objects: ContiguousArray<AnyObject>) -> [ObjectIdentifier: Set<Int>] {
    guard lateChanges == nil else { return [:] }
    var result: [ObjectIdentifier: Set<Int>] = [:]
    func find<T: PersistentModel>(_ type: T.Type) {
      source.originals.forEach(of: objects) { object, position, value in
        if unsafeDowncast(object, to: T.self)._$has(value, at: position, in: map.entity) {
          result[ObjectIdentifier(object), default: []].insert(position)
        } else if !result.isEmpty {
          result[ObjectIdentifier(object)]?.remove(position)
        }
      }
    }
    find(map.entity.modelType)
    return result
  }
}

extension PersistentModel {
  /// Whether a property has the value, or the reference, that was noted before it changed. False where that is not certain.
  fileprivate func _$has(_ original: Any, at position: Int, in entity: EntityLayout) -> Bool {
    guard _$state.pointee.failedRead(at: position) == nil else { return false }
    guard let relationship = entity.relationship(at: position) else {
      let keyPath = entity.properties[position].keyPath
      if let isSame = _$hasPlain(original, at: keyPath) { return isSame }
      guard let current = self[keyPath: keyPath] else { return false }
      return StoredEquality.areSamePlain(original, current)
        ?? StoredEquality.areStoredAlike(original, current, as: entity.properties[position])
    }
    let edit = _$edit(.read, at: position)
    guard let reference = original as? OriginalReference, edit.isLoaded else { return false }
    let held = edit.objects.first.map { EntityLayout.model($0, as: relationship.destinationType) }
    return reference.key == OriginalReference(object: held).key
  }

  /// The same for values of the most frequent types, read without a box; nil for others.
  private func _$hasPlain(_ original: Any, at keyPath: AnyKeyPath) -> Bool? {
    // Inlined, so that the compiler knows the types: looking up `KeyPath<Self, Value>` takes as long as the rest.
    @inline(__always) func has<Value: StorableValue>(_ type: Value.Type) -> Bool? {
      guard let original = original as? Value, let keyPath = keyPath as? KeyPath<Self, Value> else { return nil }
      return original._$isStored(as: self[keyPath: keyPath])
    }
    let type = type(of: original)
    if type == Int.self { return has(Int.self) }
    if type == String.self { return has(String.self) }
    return type == Double.self ? has(Double.self) : nil
  }
}
