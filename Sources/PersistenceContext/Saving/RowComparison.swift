import Foundation
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Compares an object with its current row and with the values that the context read from the row.
struct RowComparison<T: PersistentModel> {
  let object: T
  /// The current row, as an unregistered object.
  let currentRow: T
  /// The properties of the row whose columns cannot be read.
  let unread: ContiguousArray<PropertyFailure>
  /// Returns the key that the row has for the to-one relationship at a position; 0 if it refers to no row.
  let reference: (Int) -> Int64
  let entity: EntityLayout
  /// The values of changed properties before the change.
  let originals: [Int: Any]

  struct Difference {
    let property: PropertyLayout
    let read: String
    let ours: String
    let theirs: String
  }

  /// The properties that both sides changed to different values.
  func changedTwice() -> [Difference] {
    let dirty = object._$state.pointee.dirty
    return entity.properties.compactMap { property in
      guard dirty & property.bit != 0, !property.columns.isEmpty, let original = originals[property.position] else {
        return nil
      }
      guard !isStored(original, property), !isStored(ours(property), property) else { return nil }
      return difference(property, read: original)
    }
  }

  /// The first property that another context or process has changed.
  func firstChangedElsewhere() -> Difference? {
    for property in entity.properties where !property.columns.isEmpty {
      // A property that was never read cannot have influenced the deletion.
      guard let read = originals[property.position] ?? known(property) else { continue }
      if !isStored(read, property) { return difference(property, read: read) }
    }
    return nil
  }

  /// The properties that only another context or process changed, but that this save writes too: all properties from
  /// the 64th on share one mask bit.
  func writtenAlong() -> [PropertyLayout] {
    let dirty = object._$state.pointee.dirty
    return entity.properties.filter { property in
      property.position >= 63 && dirty & property.bit != 0 && !property.columns.isEmpty
        && originals[property.position] == nil && failure(of: property) == nil && !isStored(ours(property), property)
    }
  }

  /// Sets a property of the object to the value of the row.
  ///
  /// - Parameter destination: The map of the objects of a relationship, in the context of the save.
  /// - Throws: The error of reading a related row.
  func takeOver(_ property: PropertyLayout, in destination: IdentityMap?) throws {
    guard failure(of: property) == nil else { return }
    if let relationship = property.relationship {
      let key = reference(property.position)
      let related = try destination.flatMap { destination in try destination.store.object(for: key, in: destination) }
      let model = key == 0 ? nil : related.map { EntityLayout.model($0, as: relationship.destinationType) }
      // The cast adds a level of optional, so the value has the property's type.
      object._$set(model as Any, at: property.keyPath)
    } else if let value = currentRow[keyPath: property.keyPath] {
      object._$set(value, at: property.keyPath)
    }
  }

  // MARK: Values

  /// Whether the row has this value.
  private func isStored(_ value: Any, _ property: PropertyLayout) -> Bool {
    // An unreadable file counts as unchanged. A stored value that cannot be decoded differs from every value.
    if let failure = failure(of: property) { return failure.underlyingError is UnreadableExternalValue }
    if property.isRelationship { return (value as? OriginalReference)?.key == reference(property.position) }
    return currentRow[keyPath: property.keyPath].map { StoredEquality.areSame(value, $0, as: property) } ?? false
  }

  private func failure(of property: PropertyLayout) -> SwiftDataError? {
    unread.first { $0.position == property.position }?.error
  }

  private func ours(_ property: PropertyLayout) -> Any {
    guard let relationship = property.relationship else { return object[keyPath: property.keyPath] as Any }
    let held = object._$edit(.read, at: property.position).objects.first
    return OriginalReference(object: held.map { EntityLayout.model($0, as: relationship.destinationType) })
  }

  /// The value of an unchanged property; nil if it has not been read.
  private func known(_ property: PropertyLayout) -> Any? {
    guard object._$state.pointee.dirty & property.bit == 0,
      object._$state.pointee.failedRead(at: property.position) == nil
    else { return nil }
    if property.isRelationship {
      return object._$edit(.read, at: property.position).isLoaded ? ours(property) : nil
    }
    return entity.outOfRowValue(at: property.position) == nil ? object[keyPath: property.keyPath] : nil
  }

  // MARK: Descriptions

  private func difference(_ property: PropertyLayout, read: Any) -> Difference {
    guard property.outOfRowValue?.isEncrypted != true else {
      return Difference(property: property, read: "(encrypted)", ours: "(encrypted)", theirs: "(encrypted)")
    }
    guard failure(of: property) == nil else {
      return Difference(
        property: property, read: words(read, property), ours: words(ours(property), property),
        theirs: "what cannot be read")
    }
    let isReference = property.isRelationship
    let theirs = isReference ? name(reference(property.position), property) : currentRow[keyPath: property.keyPath]
    return Difference(
      property: property, read: words(read, property), ours: words(ours(property), property),
      theirs: StoredEquality.describe(theirs))
  }

  private func words(_ value: Any, _ property: PropertyLayout) -> String {
    guard let reference = value as? OriginalReference else { return StoredEquality.describe(value) }
    return StoredEquality.describe(name(reference.key, property))
  }

  private func name(_ key: Int64, _ property: PropertyLayout) -> Any? {
    guard let relationship = property.relationship, key != 0 else { return nil }
    // The text contains the row's primary key, or in a custom store the identifier that the store gave to the row.
    let own = object._$state.pointee.identityMap?.store.identities?.identifier(of: key)
    return Unquoted(description: "\(relationship.destination) \(own?.primaryKeyText ?? "\(key)")")
  }

  private struct Unquoted: CustomStringConvertible { let description: String }
}

/// A reference that a save writes, to a row that existed before the save.
struct PendingReference {
  let owner: any PersistentModel
  let ownerMap: IdentityMap
  let relationship: RelationshipLayout
  let target: any PersistentModel
  let targetMap: IdentityMap
  /// Whether this context has deleted the target. False if only another context or process has deleted it.
  let isDeletedHere: Bool

  var targetKey: Int64 { target._$state.pointee.primaryKey }

  private var ownerName: String { "\(ownerMap.entity.name) \(owner.persistentModelID.primaryKeyText)" }
  private var targetName: String { "\(targetMap.entity.name) \(target.persistentModelID.primaryKeyText)" }

  var conflict: ModelContext.SaveConflict {
    ModelContext.SaveConflict(
      kind: .deletedElsewhere, persistentModelID: owner.persistentModelID, entityName: ownerMap.entity.name,
      propertyName: relationship.name, read: nil, ours: targetName, theirs: nil)
  }

  /// The message of the error if the reference is required.
  var violation: String {
    "\(relationship.path) of \(ownerName) must have a value, but \(targetName) was deleted by another context or "
      + "process; set it to another \(relationship.destination), or delete the \(ownerMap.entity.name)"
  }

  /// The message of the error if this context itself has deleted the target.
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

  /// The targets that the save writes for an object and a relationship, in a column or in rows of a junction table.
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

extension StoreCoordinator {
  /// Decodes rows to unregistered objects. The registered objects of the context stay unchanged.
  ///
  /// - Parameter body: Gets the key, the object, the properties whose columns cannot be read, and a function. The
  ///   function returns the key that the row has for the to-one relationship at a position, or 0 for none.
  func readUnregistered<T: PersistentModel>(
    _ keys: [Int64], in map: IdentityMap, _ transaction: any StoreTransaction, as type: T.Type,
    _ body: (Int64, T, ContiguousArray<PropertyFailure>, @escaping (Int) -> Int64) throws -> Void
  ) throws {
    let request = FetchRequest(entity: map.entity, selection: .keys(keys))
    try fetch(request, in: transaction) { rows in
      try decodeUnregistered(rows, mask: request.mask, in: map, as: type) { reader, currentRow, unread in
        if let serious = unread.first(where: { $0.error.kind != .corruptValue }) { throw serious.error }
        try body(reader.key, currentRow, unread) { [reader] in reader.currentReference(at: $0) ?? 0 }
      }
    }
  }

  /// Decodes rows with the columns of a mask to unregistered objects, one by one.
  package func decodeUnregistered<T: PersistentModel>(
    _ rows: EngineRows, mask: UInt64, in map: IdentityMap, as type: T.Type,
    _ body: (RowReader, T, ContiguousArray<PropertyFailure>) throws -> Void
  ) throws {
    let session = ReadSession(
      identityMap: map, readsExternalValues: true, levels: map.entity.levels(wanted: mask), error: rows.error)
    try withExtendedLifetime(session) {
      var reader = RowReader(rows, session: session, mask: mask)
      while try reader.next() {
        reader.column = 1
        reader.current = nil
        let object = T._$make(&reader)
        try body(reader, object, session.failure.takeAll())
      }
    }
  }
}
