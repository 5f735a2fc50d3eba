// Objects that are made or completed from single rows.

import PersistenceRuntime

extension StoreCoordinator {
  /// The map of another entity in the context of a map.
  package func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap? {
    (map.context ?? map.adoptiveContext()).identityMap(for: type)
  }

  /// Reads the row of an object into the slots that wait for it, and those of the objects that it was met with. An object
  /// whose row is gone says so by `isDeleted`.
  func fulfill<T: PersistentModel>(_ object: T, in map: IdentityMap) throws {
    if object._$state.pointee.flags.contains(.fault), fulfillGroup(of: object, in: map) { return }
    if try !reload(object, in: map) { object._$noteMissingRow() }
  }

  /// Makes an object what its row says. If that cannot be read now, the object waits for it, and has nothing else meanwhile.
  func restore<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do { try fulfill(object, in: map) } catch { makeWait(object, in: map, after: error) }
  }

  /// Makes an object what its row says by now, but for what waits to be saved. An object whose row is gone says so,
  /// unless something waits.
  func takeIn<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do {
      if try !reload(object, in: map) { object._$noteGone(in: map) }
    } catch  where object._$state.pointee.dirty == 0 {
      makeWait(object, in: map, after: error)
    } catch {
      // An object with changes to save keeps its other values, too.
      map.noteReadFailure(error)
    }
  }

  /// Makes an object wait for its row, which could not be read.
  private func makeWait<T: PersistentModel>(_ object: T, in map: IdentityMap, after error: any Error) {
    map.noteReadFailure(error)
    NullRowReader.release(0..<map.entity.properties.count, of: object, in: map)
  }

  /// Reads the rows of all objects that wait for theirs in the group of one. False when its own row was not among them, or
  /// when not all could be read: then that one is read alone.
  private func fulfillGroup<T: PersistentModel>(of object: T, in map: IdentityMap) -> Bool {
    guard let group = object._$state.pointee.group else { return false }
    var waiting: ContiguousArray<AnyObject> = []
    for key in group.window(around: object._$state.pointee.primaryKey, for: nil).keys {
      guard let other = map.object(for: key) else { continue }
      if unsafeDowncast(other, to: T.self)._$state.pointee.flags.contains(.fault) { waiting.append(other) }
    }
    guard waiting.count > 1 else { return false }
    let keys = map.keys(of: waiting)
    do {
      _ = try objects(FetchRequest(entity: map.entity, selection: .keys(keys)), in: map)
    } catch {
      return false
    }
    return !object._$state.pointee.flags.contains(.fault)
  }

  /// Reads the row of an object again, or some properties of it, but for what waits to be saved. False when the row is
  /// gone.
  func reload<T: PersistentModel>(
    _ object: T, in map: IdentityMap, mask: UInt64 = PropertyMask.all
  ) throws -> Bool {
    let request = FetchRequest(entity: map.entity, selection: .key(object._$state.pointee.primaryKey), mask: mask)
    return try rereading {
      var found = false
      try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(identityMap: map, error: rows.error)
        try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: request.mask)
          found = try reader.next()
          session.objects = [object]
          if found { reader.refresh(object) }
          session.isComplete = true
        }
        try session.throwFailure()
      }
      map.context?.transactionSnapshot?.noteRows([object._$state.pointee.primaryKey], in: map)
      return found
    }
  }

  /// The object of a row, read now; nil when there is none.
  func object(for key: Int64, in map: IdentityMap) throws -> AnyObject? {
    if let known = map.object(for: key) { return known }
    let request = FetchRequest(entity: map.entity, selection: .key(key))
    return try objects(request, in: map).first
  }

  /// Runs a fetch and turns its rows into the objects of a map.
  func objects(
    _ request: FetchRequest, in map: IdentityMap, group: FetchGroup? = nil
  ) throws -> ContiguousArray<AnyObject> {
    try rereading {
      var objects: ContiguousArray<AnyObject> = []
      try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        objects = try decode(rows, of: request, in: map, group: group)
      }
      map.context?.transactionSnapshot?.noteRows(map.keys(of: objects), in: map)
      return objects
    }
  }

  /// The object that a to-one relationship of a row holds, read now.
  func related<T: PersistentModel>(
    _ type: T.Type, toOne position: Int, of owner: Int64, in map: IdentityMap
  ) throws -> T? {
    guard let destination = identityMap(for: type, beside: map) else { return nil }
    let property = map.entity.properties[position]
    let request = FetchRequest(entity: map.entity, selection: .key(owner), mask: property.bit)
    var key: Int64?
    try engine.fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(identityMap: map, error: rows.error)
      key = try withExtendedLifetime(session) {
        try RowReader(rows, session: session, mask: request.mask).reference(at: position)
      }
    }
    map.context?.transactionSnapshot?.noteRows([owner], in: map)
    return try key.flatMap { try object(for: $0, in: destination) } as? T
  }
}
