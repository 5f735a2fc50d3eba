// Decoding of rows of one class or of several, to objects or to identifiers.

import PersistenceRuntime

extension StoreCoordinator {
  /// The objects of the rows of a request.
  func decode(
    _ rows: EngineRows, of request: FetchRequest, in map: IdentityMap, group: FetchGroup?, isRepeated: Bool
  ) throws -> ContiguousArray<AnyObject> {
    guard !map.entity.isPolymorphic else {
      var decoder = PolymorphicRowDecoder(rows, request: request, in: map, group: group, isRepeated: isRepeated)
      return try decoder.decodeAll()
    }
    let session = ReadSession(
      identityMap: map, wanted: request.mask, group: group, levels: map.entity.levels(wanted: request.mask),
      stopsWhenCancelled: request.stopsWhenCancelled, isRepeated: isRepeated, error: rows.error)
    session.expectCount(atMost: request.limit)
    try withExtendedLifetime(session) {
      var reader = RowReader(rows, session: session, mask: request.mask)
      try map.entity.modelType._$decode(&reader)
    }
    session.isComplete = true
    return session.objects
  }

  /// Adds the objects of the rows of relationships to the lists of their owners.
  ///
  /// - Parameter mask: The properties in the rows: all, except for the reference to a known owner.
  func decode(
    _ rows: EngineRows, of destination: IdentityMap, into members: MemberCollection, mask: UInt64, isRepeated: Bool
  ) throws {
    guard !destination.entity.isPolymorphic else {
      let all = FetchRequest(entity: destination.entity)
      var decoder = PolymorphicRowDecoder(
        rows, request: all, in: destination, group: FetchGroup(), collection: members, isRepeated: isRepeated)
      _ = try decoder.decodeAll()
      return
    }
    let group = destination.entity.loadsInGroups ? FetchGroup() : nil
    let session = ReadSession(
      identityMap: destination, group: group, members: members, isRepeated: isRepeated, error: rows.error)
    try withExtendedLifetime(session) {
      var reader = RowReader(rows, session: session, mask: mask)
      try destination.entity.modelType._$decode(&reader)
    }
    session.isComplete = true
  }

  /// The identifiers of the rows of a request for an entity with subentities, each with its own entity.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - map: The map of the entity.
  ///   - transaction: The transaction to read in; nil for that of the context, if it has one.
  package func familyIdentifiers(
    _ request: FetchRequest, in map: IdentityMap, transaction: (any StoreTransaction)? = nil
  ) throws -> [PersistentIdentifier] {
    var request = request
    request.mask = 0
    var identifiers: [PersistentIdentifier] = []
    try fetch(request, in: transaction ?? map.context?.openTransaction(of: self)) { rows in
      var decoder = PolymorphicRowDecoder(rows, request: request, in: map)
      identifiers = try decoder.identifiers()
    }
    return identifiers
  }
}
