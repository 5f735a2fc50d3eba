import PersistenceSupport

/// The state of one fetch.
@usableFromInline
package final class ReadSession {
  @usableFromInline package let identityMap: IdentityMap
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let failure: RowFailure
  /// The mask of to-one relationships whose rows may not exist.
  @usableFromInline let danglingMask: UInt64
  /// Whether external values are read with the row, instead of on first access.
  let readsExternalValues: Bool
  /// Decoders of out-of-row values, provided with the rows.
  var externalValues: (any ExternalValueReader)?
  var cipher: (any ValueCipher)?
  let composites: CompositeTable
  /// The positions of properties that become faults.
  var released = 0..<0
  /// Whether relationships become faults, instead of taking the row's value.
  let releasesRelationships: Bool
  /// Whether the rows lack columns, so that objects keep faults.
  @usableFromInline package let isPartial: Bool
  /// The objects of the rows, in order.
  @usableFromInline package var objects: ContiguousArray<AnyObject> = []
  /// The fetch group of the objects; nil if they have no relationships to prefetch.
  @usableFromInline package let group: FetchGroup?
  /// The destination of the objects instead of ``objects``, for members of relationships.
  @usableFromInline package let members: MemberCollection?
  /// The map and group of referenced objects, by type. Searched linearly, since there are few.
  @exclusivity(unchecked) private var destinations: ContiguousArray<Destination> = []
  /// The object that the row is known to refer to, with the position of the property.
  @exclusivity(unchecked) @usableFromInline var expected: (position: Int, object: Unmanaged<AnyObject>)?
  /// Retained references to that object, if it is the same for all rows.
  @exclusivity(unchecked) @usableFromInline var expectedRetains: BatchedRetains<AnyObject>?
  package let transformers = TransformerCache()
  var lastForms = LastForms()
  /// Whether cancelling the task ends the fetch.
  private let stopsWhenCancelled: Bool
  /// The first columns of each class of a hierarchy; empty without inheritance.
  private let levels: [ColumnLevel]
  /// Memory for one composite value in progress, exclusive because a session has one row at a time.
  var scratch: UnsafeMutableRawPointer {
    if let knownScratch { return knownScratch }
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: entity.scratchSize, alignment: 16)
    knownScratch = scratch
    return scratch
  }
  private var knownScratch: UnsafeMutableRawPointer?
  /// Cached entities of identifiers.
  private var knownEntity: StoreEntity?
  private var referencedEntities: ContiguousArray<(type: ObjectIdentifier, entity: StoreEntity)> = []
  private let makeError: (Int32) -> SwiftDataError
  /// Whether the fetch is repeated, because a file of an external value was missing.
  private let isRepeated: Bool
  /// The number of values and rows that the fetch found unreadable, and no earlier one.
  private var unreadCount = 0
  /// Whether the objects may refer to others by one-way relationships.
  private let refersOneWay: Bool
  /// Whether all objects that took values of the rows are known: those in ``objects``, or those that the caller
  /// reports.
  @inlinable package var isComplete: Bool {
    get { knowsAllObjects }
    set { knowsAllObjects = newValue }
  }
  @exclusivity(unchecked) @usableFromInline var knowsAllObjects = false

  package init(
    identityMap: IdentityMap, wanted: UInt64 = PropertyMask.all, releasesRelationships: Bool = false,
    readsExternalValues: Bool = false, group: FetchGroup? = nil, members: MemberCollection? = nil,
    levels: [ColumnLevel]? = nil, stopsWhenCancelled: Bool = false, isRepeated: Bool = false,
    error: @escaping (Int32) -> SwiftDataError
  ) {
    self.identityMap = identityMap
    self.isPartial = identityMap.entity.storedMask & ~wanted != 0
    self.entity = identityMap.entity
    self.danglingMask = identityMap.entity.danglingMask
    self.composites = identityMap.entity.composites
    self.failure = RowFailure(entity: identityMap.entity)
    self.readsExternalValues = readsExternalValues
    self.releasesRelationships = releasesRelationships
    self.group = identityMap.entity.loadsInGroups ? group : nil
    self.members = members
    self.levels = levels ?? identityMap.entity.inheritance?.ownLevels ?? []
    self.stopsWhenCancelled = stopsWhenCancelled
    self.makeError = error
    self.isRepeated = isRepeated
    self.refersOneWay = !identityMap.store.oneWayDestinations.isEmpty && identityMap.entity.refersOneWayInFamily
    // Observers of the read may delete objects meanwhile.
    if refersOneWay { identityMap.ownerType.beginRead(in: identityMap) }
  }

  deinit {
    knownScratch?.deallocate()
    if unreadCount > 1 { logFurtherUnread() }
    guard refersOneWay else { return }
    identityMap.ownerType.endRead(in: identityMap, isComplete: isComplete) { identityMap.keys(of: objects) }
  }

  /// Reports all objects that took values of the rows, if other code created them.
  package func complete(with objects: ContiguousArray<AnyObject>) {
    isComplete = true
    if refersOneWay { self.objects = objects }
  }

  /// Whether a property without a column in the rows becomes a fault.
  @usableFromInline
  func releases(_ position: Int) -> Bool { released.contains(position) }

  /// Whether a relationship of an object without a row may become a fault.
  @usableFromInline
  func mayRelease(_ position: Int) -> Bool { released.isEmpty || released.contains(position) }

  /// The first column of the class whose properties begin at a position.
  func column(of firstPosition: Int) -> Int32 {
    level(at: firstPosition)?.column ?? 1
  }

  package func level(at firstPosition: Int) -> ColumnLevel? {
    levels.last { $0.position == firstPosition }
  }

  /// The level of the class that declares a property.
  func nearestLevel(to position: Int) -> ColumnLevel? {
    levels.last { $0.position <= position }
  }

  /// Moves the list of objects out, to be stored back in ``objects`` when it is complete.
  @inlinable
  func takeObjects() -> ContiguousArray<AnyObject> {
    let taken = objects
    objects = []
    return taken
  }

  /// The object that a property of the row is known to refer to, retained.
  @inlinable
  func takeExpected(at position: Int) -> Unmanaged<AnyObject>? {
    guard let expected, expected.position == position else { return nil }
    return expectedRetains?.take() ?? expected.object.retain()
  }

  /// Reserves capacity for a query with a small limit. There may be far fewer rows, so large limits are ignored.
  package func expectCount(atMost limit: Int?) {
    if let limit, limit <= 128 { objects.reserveCapacity(limit) }
  }

  @usableFromInline
  package func error(_ code: Int32) -> SwiftDataError { makeError(code) }

  /// Throws if the task is cancelled. Called every 256 rows.
  @usableFromInline
  package func stopIfCancelled() throws {
    if stopsWhenCancelled { try Task.checkCancellation() }
  }

  @usableFromInline
  package func throwFailure() throws {
    try failure.throwFirst()
  }

  // MARK: Values that cannot be read

  /// Leaves the properties of an object unread whose columns in its row could not be read.
  ///
  /// - Parameter mask: The properties in the row.
  /// - Throws: A failure that is not one of a stored value, and one of a file if the fetch can be repeated: another
  ///   context may have replaced the value meanwhile.
  package func settle<T: PersistentModel>(_ object: T, mask: UInt64) throws {
    let failures = failure.takeAll()
    if let serious = failures.first(where: { !isOfValue($0.error) }) { throw serious.error }
    countUnread(identityMap.ownerType.noteUnread(failures, of: object, mask: mask, in: identityMap))
  }

  private func isOfValue(_ error: SwiftDataError) -> Bool {
    error.kind == .corruptValue && (isRepeated || !(error.underlyingError is UnreadableExternalValue))
  }

  /// Leaves out a row of which no object can be made.
  package func leaveOut(_ error: SwiftDataError, key: Int64) {
    if identityMap.ownerType.noteLeftOut(error, key: key, in: identityMap) { countUnread([error]) }
  }

  /// Logs the first unreadable value of the fetch with its cause, and counts the others.
  private func countUnread(_ errors: [SwiftDataError]) {
    if unreadCount == 0, let first = errors.first { identityMap.logUnread(first) }
    unreadCount += errors.count
  }

  private func logFurtherUnread() {
    identityMap.store.logger.error(
      "\(unreadCount - 1) more values of \(entity.name) could not be read by the same fetch; the context lists them")
  }

  /// The context's object of a related row: a living one, or a new fault.
  ///
  /// Nil if the object cannot be created before its row is read, because it has constants or may be of a subclass.
  /// Reading that row here, in the middle of another one, might not terminate: rows may refer to each other in cycles.
  @usableFromInline
  package func related(_ type: any PersistentModel.Type, key: Int64) -> AnyObject? {
    guard let index = destination(of: type) else { return nil }
    return destinations.withUnsafeMutableBufferPointer { destinations in
      // Consecutive rows often refer to the same object.
      if destinations[index].lastKey == key { return destinations[index].last }
      let map = destinations[index].map
      let object = map.object(for: key) ?? map.makeFault(for: key, in: destinations[index].group)
      destinations[index].lastKey = key
      destinations[index].last = object
      return object
    }
  }

  private struct Destination {
    let type: ObjectIdentifier
    let map: IdentityMap
    let group: FetchGroup
    var lastKey: Int64 = 0
    var last: AnyObject?
  }

  private func destination(of type: any PersistentModel.Type) -> Int? {
    for index in destinations.indices where destinations[index].type == ObjectIdentifier(type) { return index }
    guard let map = identityMap.ownerType.identityMap(for: type, beside: identityMap) else { return nil }
    destinations.append(Destination(type: ObjectIdentifier(type), map: map, group: FetchGroup()))
    return destinations.count - 1
  }

  /// The placeholder for a value that the row lacks.
  @usableFromInline
  func placeholder<T>(_ position: Int) -> T {
    Placeholder.value(of: entity.properties[position])
  }

  // MARK: Entities of identifiers

  /// The entity of the rows, for identifiers.
  package var storeEntity: StoreEntity {
    if let knownEntity { return knownEntity }
    let entity = identityMap.store.storeEntity(of: self.entity)
    knownEntity = entity
    return entity
  }

  /// The entity of a related model, for identifiers.
  package func storeEntity(of type: any PersistentModel.Type) -> StoreEntity? {
    let identifier = ObjectIdentifier(type)
    if let known = referencedEntities.first(where: { $0.type == identifier }) { return known.entity }
    guard let layout = identityMap.store.layout(of: type) else { return nil }
    let entity = identityMap.store.storeEntity(of: layout)
    referencedEntities.append((identifier, entity))
    return entity
  }
}
