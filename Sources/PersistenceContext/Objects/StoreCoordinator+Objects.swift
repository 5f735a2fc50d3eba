// Reads of single rows.

import PersistenceRuntime
import PersistenceSupport

extension StoreCoordinator {
  /// The map of another entity in the same context.
  package func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap? {
    (map.ownContext ?? map.adoptiveContext()).identityMap(for: type)
  }

  /// Reads the row of an object and of its prefetch window into the empty slots. The object of a deleted row becomes
  /// deleted.
  func fulfill<T: PersistentModel>(_ object: T, in map: IdentityMap) throws {
    if object._$state.pointee.flags.contains(.fault), fulfillGroup(of: object, in: map) { return }
    if try !reload(object, in: map) { object._$noteMissingRow() }
  }

  /// Restores an object from its row. After an error all slots are emptied, so that the next access reads the row.
  func restore<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do { try fulfill(object, in: map) } catch { makeWait(object, in: map, after: error) }
  }

  /// Restores objects from their rows, of several rows with one read.
  func restore<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    reload(objects, in: map, as: type, each: { restore($0, in: map) }, missing: { $0._$noteMissingRow() })
  }

  /// Updates an object from its row, except for pending changes. The object of a deleted row becomes deleted, unless
  /// changes are pending.
  func takeIn<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do {
      if try !reload(object, in: map) { object._$noteGone(in: map) }
    } catch  where object._$state.pointee.dirty == 0 {
      makeWait(object, in: map, after: error)
    } catch {
      // An object with pending changes keeps its other values too.
      map.noteReadFailure(error)
    }
  }

  /// Updates objects from their rows, of several rows with one read.
  func takeIn<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    reload(objects, in: map, as: type, each: { takeIn($0, in: map) }, missing: { $0._$noteGone(in: map) })
  }

  /// Reads the rows of objects again, of several rows with one read.
  ///
  /// - Parameters:
  ///   - each: Reads one row: the only one, or after an error, since a corrupt value must not concern other rows.
  ///   - missing: Runs for each object without a row after a read of several.
  private func reload<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type, each: (T) -> Void,
    missing: (T) -> Void
  ) {
    let keys = map.keys(of: objects)
    guard Set(keys).count > 1, let found = try? reload(objects, of: keys, in: map, as: type) else {
      for object in objects { each(unsafeDowncast(object, to: T.self)) }
      return
    }
    for (object, key) in zip(objects, keys) where !found.contains(key) {
      missing(unsafeDowncast(object, to: T.self))
    }
  }

  /// Empties the slots of an object whose row could not be read.
  private func makeWait<T: PersistentModel>(_ object: T, in map: IdentityMap, after error: any Error) {
    map.noteReadFailure(error)
    NullRowReader.release(0..<map.entity.properties.count, of: object, in: map)
  }

  /// Reads the rows of all objects with empty slots in the prefetch window of an object. False if its own row is not
  /// among them, or after an error; then it is read alone.
  private func fulfillGroup<T: PersistentModel>(of object: T, in map: IdentityMap) -> Bool {
    // An object with unread values would be read again by each access, and its window with it.
    guard let group = object._$state.pointee.group, !object._$state.pointee.hasFailedReads else { return false }
    var waiting: ContiguousArray<AnyObject> = []
    for key in group.window(around: object._$state.pointee.primaryKey, for: nil).keys {
      guard let other = map.object(for: key) else { continue }
      let state = unsafeDowncast(other, to: T.self)._$state
      if state.pointee.flags.contains(.fault), !state.pointee.hasFailedReads { waiting.append(other) }
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

  /// Reads the row of an object again, except for pending changes. False if the row is deleted.
  func reload<T: PersistentModel>(_ object: T, in map: IdentityMap) throws -> Bool {
    let request = FetchRequest(entity: map.entity, selection: .key(object._$state.pointee.primaryKey))
    return try rereading { isRepeated in
      var found = false
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(
          identityMap: map, levels: map.entity.levels(wanted: request.mask), isRepeated: isRepeated, error: rows.error)
        try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: request.mask)
          found = try reader.next()
          session.objects = [object]
          if found { try reader.refreshSettled(object) }
          session.isComplete = true
        }
      }
      map.context?.transactionSnapshot?.noteRows([object._$state.pointee.primaryKey], in: map)
      return found
    }
  }

  /// Reads the rows of several objects again with one query, except for pending changes. Objects need not be
  /// registered, and several may have one row.
  ///
  /// - Parameter keys: The key of each object.
  /// - Returns: The keys of existing rows.
  private func reload<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, of keys: [Int64], in map: IdentityMap, as type: T.Type
  ) throws -> Set<Int64> {
    let known = Dictionary(grouping: zip(keys, objects)) { $0.0 }
    let request = FetchRequest(entity: map.entity, selection: .keys(known.keys.sorted()))
    return try rereading { isRepeated in
      var found: Set<Int64> = []
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(identityMap: map, isRepeated: isRepeated, error: rows.error)
        try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: request.mask)
          session.objects = objects
          while try reader.next() {
            let key = reader.key
            found.insert(key)
            for (_, object) in known[key] ?? [] { try reader.refreshSettled(unsafeDowncast(object, to: T.self)) }
          }
          session.isComplete = true
        }
      }
      map.context?.transactionSnapshot?.noteRows(keys, in: map)
      return found
    }
  }

  /// The object of a row, registered or read; nil if there is no row.
  func object(for key: Int64, in map: IdentityMap) throws -> AnyObject? {
    if let known = map.object(for: key) { return known }
    let request = FetchRequest(entity: map.entity, selection: .key(key))
    return try objects(request, in: map).first
  }

  /// Runs a fetch and decodes its rows to the objects of a map. The rows have the constants, wanted or not: objects
  /// cannot be created without them.
  func objects(
    _ request: FetchRequest, in map: IdentityMap, group: FetchGroup? = nil
  ) throws -> ContiguousArray<AnyObject> {
    let constants = map.entity.constantMask
    guard request.mask & constants == constants else {
      var complete = request
      complete.mask |= constants
      return try objects(complete, in: map, group: group)
    }
    map.context?.forgetLeftOut(request, in: map)
    return try rereading { isRepeated in
      var objects: ContiguousArray<AnyObject> = []
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        objects = try decode(rows, of: request, in: map, group: group, isRepeated: isRepeated)
      }
      map.context?.transactionSnapshot?.noteRows(map.keys(of: objects), in: map)
      return objects
    }
  }

  /// The object of a to-one relationship of a row, read now.
  ///
  /// - Throws: The error of a read; `SwiftDataError.corruptValue` if there is no row to which the relationship leads. One
  ///   whose delete rule is `noAction` may lead to a deleted row.
  func related<T: PersistentModel>(
    _ type: T.Type, toOne position: Int, of owner: Int64, in map: IdentityMap
  ) throws -> T? {
    guard let destination = identityMap(for: type, beside: map) else { return nil }
    var reference = try self.reference(at: position, of: owner, in: map)
    map.context?.transactionSnapshot?.noteRows([owner], in: map)
    while let key = reference.key, key != 0 {
      if let found = try object(for: key, in: destination) as? T {
        destination.missingKeys.remove(key)
        return found
      }
      // Others may have deleted that row, and changed this one, between the two reads.
      let later = try self.reference(at: position, of: owner, in: map)
      if later.key == key { break }
      reference = later
    }
    let leadsToRow = (reference.key ?? 0) != 0
    if let error = reference.error, !(leadsToRow && map.entity.mayDangle(at: position)) { throw error }
    return nil
  }

  /// The key in the column of a to-one relationship of a row, with the error if no row has it; no error if there may be
  /// none.
  private func reference(
    at position: Int, of owner: Int64, in map: IdentityMap
  ) throws -> (key: Int64?, error: SwiftDataError?) {
    let property = map.entity.properties[position]
    let request = FetchRequest(entity: map.entity, selection: .key(owner), mask: property.bit)
    var reference: (key: Int64?, error: SwiftDataError?)
    try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(
        identityMap: map, levels: map.entity.levels(wanted: request.mask), error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        guard try reader.next() else { return }
        let key = reader.currentReference(at: position)
        reference.key = key
        if key == nil, property.isOptional { return }
        reference.error = reader.referenceError(at: position, isMissing: key.map { $0 != 0 } ?? false)
      }
    }
    return reference
  }
}
