import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

// Reads of single rows.

extension StoreCoordinator {
  /// The identity map of `type` in the context of `map`. If that context is released, in the context that replaces it.
  package func identityMap(for type: any PersistentModel.Type, beside map: IdentityMap) -> IdentityMap? {
    (map.ownContext ?? map.adoptiveContext()).identityMap(for: type)
  }

  /// Loads the empty slots of an object from its row. The same query also reads the rows of its prefetch window:
  /// objects of the same fetch that have empty slots too. If the object has no row, it is marked as deleted.
  func fulfill<T: PersistentModel>(_ object: T, in map: IdentityMap) throws {
    if object._$state.pointee.flags.contains(.fault), fulfillGroup(of: object, in: map) { return }
    if try !reload(object, in: map) { object._$noteMissingRow() }
  }

  /// Sets an object to the values of its row. If the read fails, empties its slots; the next access reads the row.
  func restore<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do { try fulfill(object, in: map) } catch { makeWait(object, in: map, after: error) }
  }

  /// Sets objects to the values of their rows. If there are several rows, one query reads them.
  func restore<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    reload(objects, in: map, as: type, each: { restore($0, in: map) }, missing: { $0._$noteMissingRow() })
  }

  /// Updates the unchanged properties of an object from its row. If the row was deleted, marks the object as deleted,
  /// unless it has pending changes.
  func takeIn<T: PersistentModel>(_ object: T, in map: IdentityMap) {
    do {
      if try !reload(object, in: map) { object._$noteGone(in: map) }
    } catch  where object._$state.pointee.dirty == 0 {
      makeWait(object, in: map, after: error)
    } catch {
      // An object with pending changes also keeps the values of its unchanged properties.
      map.noteReadFailure(error)
    }
  }

  /// Updates the unchanged properties of objects from their rows. If there are several rows, one query reads them.
  func takeIn<T: PersistentModel>(_ objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type) {
    reload(objects, in: map, as: type, each: { takeIn($0, in: map) }, missing: { $0._$noteGone(in: map) })
  }

  /// Reads the rows of objects again, with one query if there are several rows.
  ///
  /// - Parameters:
  ///   - each: Reads the row of one object. Called for every object if all objects have the same row, or if the common
  ///     query fails: a corrupt value in one row must not affect the objects of other rows.
  ///   - missing: Called after the common query, for each object whose row does not exist.
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

  /// Reads the rows of an object and of the other objects with empty slots in its prefetch window. Returns false if the
  /// object still has empty slots; the caller then reads the row of this object alone.
  private func fulfillGroup<T: PersistentModel>(of object: T, in map: IdentityMap) -> Bool {
    // An object with failed reads is read alone: its slots stay empty, so each access would read the window again.
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

  /// Updates the unchanged properties of an object from its row. Returns false if the row does not exist.
  func reload<T: PersistentModel>(_ object: T, in map: IdentityMap) throws -> Bool {
    let request = FetchRequest(entity: map.entity, selection: .key(object._$state.pointee.primaryKey))
    return try rereading(in: map.context) { isRepeated in
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

  /// Updates the unchanged properties of several objects from their rows, with one query. The objects may be
  /// unregistered, and several of them may have the same row.
  ///
  /// - Parameter keys: The key of each object.
  /// - Returns: The keys of existing rows.
  private func reload<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, of keys: [Int64], in map: IdentityMap, as type: T.Type
  ) throws -> Set<Int64> {
    let known = Dictionary(grouping: zip(keys, objects)) { $0.0 }
    let request = FetchRequest(entity: map.entity, selection: .keys(known.keys.sorted()))
    return try rereading(in: map.context) { isRepeated in
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

  /// Returns the registered object of a row. If there is none, reads the row; returns nil if the row does not exist.
  func object(for key: Int64, in map: IdentityMap) throws -> AnyObject? {
    if let known = map.object(for: key) { return known }
    let request = FetchRequest(entity: map.entity, selection: .key(key))
    return try objects(request, in: map).first
  }

  /// Runs a fetch and returns the objects of its rows. The query always reads the columns of `let` properties too,
  /// because an object cannot be created without their values.
  func objects(
    _ request: FetchRequest, in map: IdentityMap, group: FetchGroup? = nil
  ) throws -> ContiguousArray<AnyObject> {
    let constants = map.entity.constantMask
    guard request.mask & constants == constants else {
      var complete = request
      complete.mask |= constants
      return try objects(complete, in: map, group: group)
    }
    if let context = map.context, !context.leftOutRows.isEmpty { context.forgetLeftOut(request, in: map) }
    return try rereading(in: map.context) { isRepeated in
      var objects: ContiguousArray<AnyObject> = []
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        objects = try decode(rows, of: request, in: map, group: group, isRepeated: isRepeated)
      }
      map.context?.transactionSnapshot?.noteRows(map.keys(of: objects), in: map)
      return objects
    }
  }

  /// Reads the key in the column of a to-one relationship of a row, and returns the object with this key.
  ///
  /// - Throws: The error of a read; `SwiftDataError.corruptValue` if the related row is missing. With the delete rule
  ///   `noAction`, a missing row is no error, and the result is nil.
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
      // Between the two reads, another connection may have deleted the related row and changed the reference.
      let later = try self.reference(at: position, of: owner, in: map)
      if later.key == key { break }
      reference = later
    }
    let leadsToRow = (reference.key ?? 0) != 0
    if let error = reference.error, !(leadsToRow && map.entity.mayDangle(at: position)) { throw error }
    return nil
  }

  /// The key in the column of a to-one relationship of a row, with the error to throw if the related row is missing.
  /// There is no error for an optional relationship that is nil.
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

// Decoding of rows of one class or of several classes, to objects or to identifiers.

extension StoreCoordinator {
  /// Creates or updates the objects of fetched rows, and returns them.
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

  /// Decodes the rows of related objects, and adds each object to the list of its owner.
  ///
  /// - Parameter mask: The properties that the rows contain: all, except the reference to the owner if it is known.
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

  /// The identifiers of the fetched rows of an entity with subentities. Each identifier names the entity of its row.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - map: The map of the entity.
  ///   - transaction: The transaction to read in; nil for the transaction of the context, if one is open.
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

// Reads that pass rows to code that may read other rows: initialisers of values, observers and deinitialisers. If the
// engine cannot nest statements, the rows are copied first.

extension StoreCoordinator {
  /// Runs a fetch and passes its rows to code that may read other rows.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  package func fetch(
    _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    guard !nestsReads else { return try engine.fetch(request, in: transaction, body) }
    try drain(request.columnCount, body) { try engine.fetch(request, in: transaction, $0) }
  }

  /// Fetches related models and passes their rows to code that may read other rows.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  package func members(
    _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    guard !nestsReads else { return try engine.members(request, in: transaction, body) }
    try drain(request.columns.position + 1, body) { try engine.members(request, in: transaction, $0) }
  }

  /// Runs an aggregation and passes the results to code that may read other rows.
  ///
  /// - Throws: `SwiftDataError` of the store, or the error of `body`.
  package func aggregate(
    _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
  ) throws {
    guard !nestsReads else { return try engine.aggregate(request, in: transaction, body) }
    let columnCount = Int32(request.columns.count) + (request.group == nil ? 0 : 1)
    try drain(columnCount, body) { try engine.aggregate(request, in: transaction, $0) }
  }

  private func drain(
    _ columnCount: Int32, _ body: (EngineRows) throws -> Void, _ read: ((EngineRows) throws -> Void) throws -> Void
  ) throws {
    var drained: (copies: DrainedRows, rows: EngineRows)?
    try read { source in
      let copies = try DrainedRows(source, columnCount: columnCount)
      drained = (copies, copies.rows(like: source))
    }
    guard let drained else { return }
    let thread = ThreadIdentity.current
    drainedReads.withLock { $0[thread, default: 0] += 1 }
    defer { drainedReads.withLock { $0[thread] = $0[thread].flatMap { $0 > 1 ? $0 - 1 : nil } } }
    try withExtendedLifetime(drained.copies) { try body(drained.rows) }
  }
}

// Relationships without a column, such as lists, are read for all objects of a prefetch window with one query.

extension StoreCoordinator {
  /// Reads a relationship for an object and its prefetch window. If that fails, reads it only for the object.
  func loadMembers<T: PersistentModel>(_ relationship: RelationshipLayout, of object: T, in map: IdentityMap) throws {
    let state = object._$state
    let window = state.pointee.group?.window(around: state.pointee.primaryKey, for: relationship.position)
    var owners: ContiguousArray<AnyObject> = []
    for key in window?.keys ?? [] where key != state.pointee.primaryKey {
      guard let other = map.object(for: key), isWaiting(unsafeDowncast(other, to: T.self), relationship) else {
        continue
      }
      owners.append(other)
    }
    owners.append(object)
    do {
      try loadMembers(relationship, of: owners, in: map, isComplete: window?.isComplete ?? false, as: T.self)
    } catch {
      guard owners.count > 1 else { throw error }
      try loadMembers(relationship, of: [object], in: map, isComplete: false, as: T.self)
    }
  }

  /// Reads a relationship that has no column, with one query for all given objects that have not read it yet.
  ///
  /// An error is ignored: the next access of an object reads its relationship again, and records the error.
  func prefetchMembers<T: PersistentModel>(
    _ relationship: RelationshipLayout, of objects: ContiguousArray<AnyObject>, in map: IdentityMap, as type: T.Type
  ) {
    guard relationship.storage != .column else { return }
    let waiting: ContiguousArray<AnyObject> = objects.filter { object in
      let model = unsafeDowncast(object, to: T.self)
      return model._$state.pointee.primaryKey != 0 && isWaiting(model, relationship)
    }
    guard waiting.count > 1 else { return }
    let group = unsafeDowncast(waiting[0], to: T.self)._$state.pointee.group
    let isComplete = group?.isComplete(with: waiting.count) ?? false
    try? loadMembers(relationship, of: waiting, in: map, isComplete: isComplete, as: type)
  }

  private func isWaiting<T: PersistentModel>(_ object: T, _ relationship: RelationshipLayout) -> Bool {
    !object.isDeleted && !object._$edit(.find, at: relationship.position).isLoaded
  }

  /// Reads a relationship of several objects with one query, and fills their slots.
  func loadMembers<T: PersistentModel>(
    _ relationship: RelationshipLayout, of objects: ContiguousArray<AnyObject>, in map: IdentityMap, isComplete: Bool,
    as type: T.Type
  ) throws {
    guard let destination = identityMap(for: relationship.destinationType, beside: map) else { return }
    let keys = map.keys(of: objects)
    let owners: MemberRequest.Owners = isComplete ? .all : keys.count == 1 ? .one(keys[0]) : .some(keys)
    // In a context, the read sets the inverse slots of the related objects to the owner. Without a context, the inverse
    // slots are read from the rows of the related objects.
    let ownerPosition = map.context == nil ? nil : relationship.inverse?.position
    let request = MemberRequest(
      relationship: relationship, entity: map.entity, destination: destination.entity, owners: owners,
      knowsOwner: ownerPosition != nil && destination.entity.modelType._$isGenerated)
    let members = try rereading(in: map.context) { isRepeated in
      let members = MemberCollection(
        owners: keys, objects: objects, ownerPosition: ownerPosition,
        columns: request.columns, isOrderedByStore: relationship.storage != .inverseColumn)
      try self.members(request, in: map.context?.openTransaction(of: self)) { rows in
        try decode(rows, of: destination, into: members, mask: request.mask, isRepeated: isRepeated)
      }
      return members
    }
    if relationship.inverse == nil { map.context?.referrers.note(keys, of: map) }
    var lists = members.takeLists()
    let leaving = destination.batchDeletedKeys
    if !leaving.isEmpty {
      for index in lists.indices { lists[index].removeAll { leaving.contains(destination.key(of: $0)) } }
    }
    if let context = destination.context, context.referrers.isKept {
      for list in lists { context.referrers.note(destination.keys(of: list), of: destination) }
    }
    destination.changes?.note(members.positions, of: relationship, in: lists)
    for (index, object) in objects.enumerated() {
      let list = destination.ordered(lists[index], at: index, in: members, of: relationship)
      unsafeDowncast(object, to: T.self)._$fill(list, relationship)
    }
    guard let log = map.context?.transactionSnapshot else { return }
    log.noteRead(keys, at: relationship.position, in: map)
    for list in lists { log.noteRows(destination.keys(of: list), in: destination) }
  }
}

extension EntityChanges {
  /// Caches the explicit list positions that the store has for list members. Other members are sorted by their keys.
  fileprivate func note(
    _ positions: [Int64: Double], of relationship: RelationshipLayout,
    in lists: ContiguousArray<ContiguousArray<AnyObject>>
  ) {
    guard let inverse = relationship.inverse else { return }
    if let known = listPositions[inverse.position], !known.isEmpty {
      for object in lists.joined() { listPositions[inverse.position]?[map.key(of: object)] = nil }
    }
    guard !positions.isEmpty else { return }
    listPositions[inverse.position, default: [:]].merge(positions) { $1 }
    pruneRanks()
  }
}

extension IdentityMap {
  /// The objects of one list, sorted by their explicit positions. An object without one is sorted by its key.
  fileprivate func ordered(
    _ list: ContiguousArray<AnyObject>, at index: Int, in members: MemberCollection,
    of relationship: RelationshipLayout
  ) -> ContiguousArray<AnyObject> {
    guard members.scattered.contains(index) else { return list }
    let positions = relationship.isOrdered ? members.positions : [:]
    let ranked = list.map { (object: $0, key: key(of: $0)) }.map { entry in
      (entry.object, positions[entry.key] ?? Double(entry.key), entry.key)
    }
    return ContiguousArray(ranked.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0))
  }
}

extension PersistentModel {
  /// Sets a relationship to the objects that were read, and applies the changes that were made before it was read.
  fileprivate func _$fill(_ objects: ContiguousArray<AnyObject>, _ relationship: RelationshipLayout) {
    var objects = objects
    if !relationship.isToMany {
      // Two contexts that saved at the same time may both have related a row to this object. The last row is used.
      objects = objects.last.map { [$0] } ?? []
    } else if let changes = _$state.pointee.extras?.list(at: relationship.position) {
      if !changes.removed.isEmpty { objects.removeAll(where: changes.removed.contains) }
      let arrivals = changes.added.objects(besides: objects)
      if !arrivals.isEmpty { changes.noteMove(from: objects.count) }
      objects += arrivals
      changes.forgetMembers()
    }
    _$fill(objects, at: relationship.position)
    _$didRead(relationship.position)
  }
}
