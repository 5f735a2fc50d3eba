// Objects that are made or completed from single rows.

extension StoreCoordinator {
  /// The map of another entity in the context of a map.
  func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap? {
    (map.context ?? map.adoptiveContext()).identityMap(for: type)
  }

  /// Reads the row of an object into the slots that wait for it.
  ///
  /// Never fails: an object whose row is gone says so by `isDeleted`, and a store that cannot be read is logged.
  func fulfill<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do {
      if try !reload(object, in: map) { object._$state.pointee.flags.insert(.gone) }
    } catch {
      logger.error("reading \(map.entity.name) \(object._$state.pointee.primaryKey) failed: \(error)")
    }
  }

  /// Reads the row of an object again, but for what waits to be saved. False when the row is gone.
  func reload<T: PersistentModel>(_ object: T, in map: IdentityMap) throws -> Bool {
    let request = FetchRequest(entity: map.entity, selection: .key(object._$state.pointee.primaryKey))
    var found = false
    try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(identityMap: map, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        guard try reader.next() else { return }
        found = true
        reader.refresh(object)
      }
      try session.throwFailure()
    }
    return found
  }

  /// The object of a row, read now; nil when there is none.
  func object(for key: Int64, in map: IdentityMap) throws -> AnyObject? {
    if let known = map.object(for: key) { return known }
    let request = FetchRequest(entity: map.entity, selection: .key(key))
    return try objects(request, in: map).first
  }

  /// Runs a fetch and turns its rows into the objects of a map.
  func objects(_ request: FetchRequest, in map: IdentityMap) throws -> ContiguousArray<AnyObject> {
    var objects: ContiguousArray<AnyObject> = []
    try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(identityMap: map, wanted: request.mask, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        try map.entity.modelType._$decode(&reader)
      }
      objects = session.objects
    }
    return objects
  }

  /// The object that a to-one relationship of a row holds, read now.
  func related<T: PersistentModel>(_ type: T.Type, toOne position: Int, of owner: Int64, in map: IdentityMap) -> T? {
    guard let destination = identityMap(for: type, beside: map) else { return nil }
    let property = map.entity.properties[position]
    let request = FetchRequest(entity: map.entity, selection: .key(owner), mask: property.bit)
    do {
      var key: Int64?
      try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(identityMap: map, error: rows.error)
        key = try withExtendedLifetime(session) {
          try RowReader(rows, session: session, mask: request.mask).reference(at: position)
        }
      }
      return try key.flatMap { try object(for: $0, in: destination) } as? T
    } catch {
      logger.error("reading \(map.entity.name).\(property.name) failed: \(error)")
      return nil
    }
  }

  /// The objects that a to-many relationship of a row holds.
  func related<T: PersistentModel>(_ type: T.Type, to owner: Int64, at position: Int, in map: IdentityMap) -> [T] {
    guard let destination = identityMap(for: type, beside: map) else { return [] }
    do {
      let property = map.entity.properties[position]
      let links = try engine.links(
        of: property, in: map.entity, owners: [owner], transaction: map.context?.openTransaction(of: self))
      return try (links[owner] ?? []).compactMap { key in
        guard destination.entity.hasConstants else { return destination.objectOrFault(for: key, as: type) }
        return try object(for: key, in: destination) as? T
      }
    } catch {
      logger.error("reading \(map.entity.name).\(map.entity.properties[position].name) failed: \(error)")
      return []
    }
  }
}

extension IdentityMap {
  /// The living object of a key, or one whose slots are read when they are touched.
  func objectOrFault<T: PersistentModel>(for key: Int64, as type: T.Type) -> T? {
    if let known = object(for: key) { return known as? T }
    let object = EmptyRow.make(type, in: self)
    object._$register(key, in: self, flags: .fault)
    return object
  }
}
