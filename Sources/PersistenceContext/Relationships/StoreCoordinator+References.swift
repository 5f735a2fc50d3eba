// Reads of to-one relationships whose objects cannot be created before their rows are read, because they may be of
// several classes or have constants: for all objects of a prefetch window at once.

import PersistenceRuntime

extension StoreCoordinator {
  /// Reads a to-one relationship of an object and of its prefetch window, with two queries. False if nothing else
  /// waits, or after an error; then only that of the object is read.
  func loadReferences<T: PersistentModel>(
    at position: Int, to type: any PersistentModel.Type, of object: T, in map: IdentityMap
  ) -> Bool {
    let owners = waitingOwners(at: position, beside: object, in: map)
    guard owners.count > 1, let destination = identityMap(for: type, beside: map) else { return false }
    do {
      let references = try references(at: position, of: map.keys(of: owners), in: map)
      let unknown = Set(references.values).filter { destination.object(for: $0) == nil }.sorted()
      let request = FetchRequest(entity: destination.entity, selection: .keys(unknown))
      // Retained until the slots reference them.
      let found = unknown.isEmpty ? [] : try objects(request, in: destination, group: FetchGroup())
      withExtendedLifetime(found) {
        fill(owners, at: position, with: references, from: destination, in: map, as: T.self)
      }
      map.context?.transactionSnapshot?.noteRows(map.keys(of: owners), in: map)
      return true
    } catch {
      return false
    }
  }

  /// The object, and those of its prefetch window, whose relationship has not been read.
  private func waitingOwners<T: PersistentModel>(
    at position: Int, beside object: T, in map: IdentityMap
  ) -> ContiguousArray<AnyObject> {
    guard let group = object._$state.pointee.group else { return [] }
    var owners: ContiguousArray<AnyObject> = []
    for key in group.window(around: object._$state.pointee.primaryKey, for: position).keys {
      guard let other = map.object(for: key) else { continue }
      let model = unsafeDowncast(other, to: T.self)
      guard !model.isDeleted, model._$state.pointee.dirty & PropertyMask.bit(position) == 0 else { continue }
      if !model._$edit(.find, at: position).isLoaded { owners.append(other) }
    }
    return owners
  }

  /// The keys in the column of a to-one relationship, by the keys of the rows.
  package func references(at position: Int, of owners: [Int64], in map: IdentityMap) throws -> [Int64: Int64] {
    let property = map.entity.properties[position]
    let request = FetchRequest(entity: map.entity, selection: .keys(owners), mask: property.bit)
    var references: [Int64: Int64] = [:]
    try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(identityMap: map, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        while try reader.next() {
          if let reference = reader.currentReference(at: position) { references[reader.key] = reference }
        }
      }
    }
    return references
  }

  private func fill<T: PersistentModel>(
    _ owners: ContiguousArray<AnyObject>, at position: Int, with references: [Int64: Int64],
    from destination: IdentityMap, in map: IdentityMap, as type: T.Type
  ) {
    let isOptional = map.entity.properties[position].isOptional
    for owner in owners {
      let related = references[map.key(of: owner)].map { destination.object(for: $0) }
      var edit = RelationshipSlotOperation(.fill)
      switch related {
      case .some(let object?): edit.objects = [object]
      // A reference to a deleted row. An access of the property reports it.
      case .some(nil): continue
      case nil: if !isOptional { continue }
      }
      unsafeDowncast(owner, to: T.self)._$relate(&edit, position)
      unsafeDowncast(owner, to: T.self)._$didRead(position)
    }
  }
}
