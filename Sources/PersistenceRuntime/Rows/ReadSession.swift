import PersistenceSupport
import _CSwiftRuntime

/// The state of one fetch.
@usableFromInline
package final class ReadSession {
  @usableFromInline package let identityMap: IdentityMap
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let failure: RowFailure
  /// The to-one relationships whose columns may contain keys of missing rows, as a ``PropertyMask``.
  @usableFromInline let danglingMask: UInt64
  /// Whether values that are stored in files are read with their row, instead of on first access.
  let readsExternalValues: Bool
  /// Reads values that are stored in files. The engine provides it together with the rows.
  var externalValues: (any ExternalValueReader)?
  var cipher: (any ValueCipher)?
  let composites: CompositeTable
  /// The positions of the properties that ``NullRowReader`` turns into faults.
  var released = 0..<0
  /// Whether loaded relationships become faults instead of being set to the row's value.
  let releasesRelationships: Bool
  /// Whether the rows lack columns of the entity, so that the properties of these columns stay faults.
  @usableFromInline package let isPartial: Bool
  /// The objects of the rows, in order.
  @usableFromInline package var objects: ContiguousArray<AnyObject> = []
  /// The fetch group of the objects; nil if they have no relationships to prefetch.
  @usableFromInline package let group: FetchGroup?
  /// In a query of a relationship, collects the related objects; nil in other fetches, which use ``objects``.
  @usableFromInline package let members: MemberCollection?
  /// For each class of referenced objects, their identity map and fetch group. Searched linearly, as there are few.
  @exclusivity(unchecked) private var destinations: ContiguousArray<Destination> = []
  /// The owner whose relationship query returned the row. The row's property at `position` refers to this owner.
  @exclusivity(unchecked) @usableFromInline var expected: (position: Int, object: Unmanaged<AnyObject>)?
  /// References to the owner that are retained in advance, if all rows have the same owner.
  @exclusivity(unchecked) @usableFromInline var expectedRetains: BatchedRetains<AnyObject>?
  package private(set) lazy var transformers = TransformerCache()
  var lastForms = LastForms()
  /// Whether cancellation of the task ends the fetch.
  private let stopsWhenCancelled: Bool
  /// The first column of each class of a hierarchy; empty without inheritance.
  private let levels: [ColumnLevel]
  /// Memory for one composite value. One is enough, because a session decodes one row at a time.
  var scratch: UnsafeMutableRawPointer {
    if let knownScratch { return knownScratch }
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: entity.scratchSize, alignment: 16)
    knownScratch = scratch
    return scratch
  }
  private var knownScratch: UnsafeMutableRawPointer?
  /// The cached results of ``storeEntity`` and ``storeEntity(of:)``.
  private var knownEntity: StoreEntity?
  private var referencedEntities: ContiguousArray<(type: ObjectIdentifier, entity: StoreEntity)> = []
  private let makeError: (Int32) -> SwiftDataError
  /// Whether this fetch is a repetition, because a file of an external value was missing the first time.
  private let isRepeated: Bool
  /// The number of unreadable values and omitted rows that no earlier fetch has found.
  private var unreadCount = 0
  /// Whether the objects may refer to other objects by relationships without an inverse.
  private let refersOneWay: Bool
  /// Whether all objects that got values from the rows are known, because ``objects`` or the caller lists them.
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
    // Called now, because observers of the read may delete objects during the read.
    if refersOneWay { identityMap.ownerType.beginRead(in: identityMap) }
  }

  deinit {
    knownScratch?.deallocate()
    if unreadCount > 1 { logFurtherUnread() }
    guard refersOneWay else { return }
    identityMap.ownerType.endRead(in: identityMap, isComplete: isComplete) { identityMap.keys(of: objects) }
  }

  /// Reports all objects that got values from the rows, if code outside of the session created the objects.
  package func complete(with objects: ContiguousArray<AnyObject>) {
    isComplete = true
    if refersOneWay { self.objects = objects }
  }

  /// Whether a property becomes a fault if the rows have no column for it.
  @usableFromInline
  func releases(_ position: Int) -> Bool { released.contains(position) }

  /// Whether a read without columns (``NullRowReader``) may turn a relationship into a fault.
  @usableFromInline
  func mayRelease(_ position: Int) -> Bool { released.isEmpty || released.contains(position) }

  /// In a hierarchy, the first column of the class whose first property has the given position.
  func column(of firstPosition: Int) -> Int32 {
    level(at: firstPosition)?.column ?? 1
  }

  package func level(at firstPosition: Int) -> ColumnLevel? {
    levels.last { $0.position == firstPosition }
  }

  /// The first property's position and the first column of the class that declares the property at `position`.
  func nearestLevel(to position: Int) -> ColumnLevel? {
    levels.last { $0.position <= position }
  }

  /// Returns the list of objects and empties it. The caller sets ``objects`` again when the list is complete.
  @inlinable
  func takeObjects() -> ContiguousArray<AnyObject> {
    let taken = objects
    objects = []
    return taken
  }

  /// Returns the owner whose relationship query returned the row, retained, if the property refers to the owner.
  @inlinable
  func takeExpected(at position: Int) -> Unmanaged<AnyObject>? {
    guard let expected, expected.position == position else { return nil }
    return expectedRetains?.take() ?? expected.object.retain()
  }

  /// Reserves capacity for a query with a small limit. Large limits are ignored, because there may be far fewer rows.
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

  /// Marks the properties of an object as unread if their columns could not be read.
  ///
  /// - Parameter mask: The properties whose columns were read.
  /// - Throws: A failure other than an unreadable stored value. A missing file is also thrown the first time, so that
  ///   the fetch is repeated: another context may have replaced the value meanwhile.
  package func settle<T: PersistentModel>(_ object: T, mask: UInt64) throws {
    let failures = failure.takeAll()
    if let serious = failures.first(where: { !isOfValue($0.error) }) { throw serious.error }
    countUnread(identityMap.ownerType.noteUnread(failures, of: object, mask: mask, in: identityMap))
  }

  private func isOfValue(_ error: SwiftDataError) -> Bool {
    error.kind == .corruptValue && (isRepeated || !(error.underlyingError is UnreadableExternalValue))
  }

  /// Records that the fetch omits a row because no object can be created from the row.
  package func leaveOut(_ error: SwiftDataError, key: Int64) {
    if identityMap.ownerType.noteLeftOut(error, key: key, in: identityMap) { countUnread([error]) }
  }

  /// Logs the first unreadable value of the fetch with its cause, and counts the other values.
  private func countUnread(_ errors: [SwiftDataError]) {
    if unreadCount == 0, let first = errors.first { identityMap.logUnread(first) }
    unreadCount += errors.count
  }

  private func logFurtherUnread() {
    identityMap.store.logger.error(
      "\(unreadCount - 1) more values of \(entity.name) could not be read by the same fetch; the context lists them")
  }

  /// The context's object of a related row: a living object, or a new fault.
  ///
  /// Nil if the object cannot be created before its row is read, because it has constants or may be of a subclass.
  /// Reading its row during the read of another row might not end, because rows may refer to each other in cycles.
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

  /// The placeholder for a value that is missing in the row.
  @usableFromInline
  func placeholder<T>(_ position: Int) -> T {
    Placeholder.value(of: entity.properties[position])
  }

  // MARK: Entities of identifiers

  /// The entity that the persistent identifiers of the rows contain.
  package var storeEntity: StoreEntity {
    if let knownEntity { return knownEntity }
    let entity = identityMap.store.storeEntity(of: self.entity)
    knownEntity = entity
    return entity
  }

  /// The entity that the persistent identifiers of related rows contain.
  package func storeEntity(of type: any PersistentModel.Type) -> StoreEntity? {
    let identifier = ObjectIdentifier(type)
    if let known = referencedEntities.first(where: { $0.type == identifier }) { return known.entity }
    guard let layout = identityMap.store.layout(of: type) else { return nil }
    let entity = identityMap.store.storeEntity(of: layout)
    referencedEntities.append((identifier, entity))
    return entity
  }
}

/// References to one object that are retained in batches and handed out one by one.
///
/// Every object of a fetch retains the same identity map and group. An atomic retain per row drains the processor's
/// store buffer. Right after the creation of an object this takes longer than decoding its row. The owner calls
/// ``close()``, which releases the remaining references.
@usableFromInline
struct BatchedRetains<Object: AnyObject> {
  @usableFromInline let object: Unmanaged<Object>
  @usableFromInline var count: UInt32 = 0
  private var next: UInt32 = 16

  @usableFromInline
  init(_ object: Object) {
    self.init(.passUnretained(object))
  }

  @usableFromInline
  init(_ object: Unmanaged<Object>) {
    self.object = object
  }

  /// Returns a retained reference, owned by the caller.
  @inlinable
  @inline(__always)
  mutating func take() -> Unmanaged<Object> {
    if count == 0 { fill() }
    count &-= 1
    return object
  }

  @usableFromInline
  mutating func fill() {
    _ = swift_retain_n(object.toOpaque(), next)
    count = next
    next = min(next &* 4, 1024)
  }

  @usableFromInline
  mutating func close() {
    if count > 0 { swift_release_n(object.toOpaque(), count) }
    count = 0
  }
}

// Relationships in rows. A to-one relationship is stored as the key of the destination's row, and decoded as the
// context's object of this key, possibly a fault. A to-many relationship has no column; the first access loads it.

extension RowReader {
  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<T> {
    if let expected = expectedObject(T.self, at: position) { return .value(expected) }
    guard includes(position) else { return .fault }
    let column = advance()
    guard !isNull(column) else {
      reportMissing(position, column)
      return .fault
    }
    guard let object = related(T.self, at: column, position) else { return .fault }
    return .value(object)
  }

  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<T?> {
    if let expected = expectedObject(T.self, at: position) { return .value(expected) }
    guard includes(position) else { return .fault }
    let column = advance()
    guard !isNull(column) else { return .value(nil) }
    guard let object = related(T.self, at: column, position) else { return .fault }
    return .value(object)
  }

  /// The owner whose relationship query returned the row, if the property refers to it. Skips the property's column.
  @inlinable
  @inline(__always)
  mutating func expectedObject<T: PersistentModel>(_ type: T.Type, at position: Int) -> T? {
    let session = Unmanaged.passUnretained(session)
    guard let counted = session._withUnsafeGuaranteedRef({ $0.takeExpected(at: position) }) else { return nil }
    if includes(position) { column &+= 1 }
    return unsafeDowncast(counted.takeRetainedValue(), to: T.self)
  }

  /// True if the row refers to the owner whose relationship query returned it, and `object` is not this owner.
  func expectsOther(than object: AnyObject?, at position: Int) -> Bool {
    guard let expected = session.expected, expected.position == position, !isPending(position) else { return false }
    return object.map { Unmanaged.passUnretained($0).toOpaque() } != expected.object.toOpaque()
  }

  /// The object whose key is in a column. Nil (the property becomes a fault) if the row refers to itself and its object
  /// is not registered yet, or the related row may be missing, or its object cannot be created before the row is read.
  @inlinable
  func related<T: PersistentModel>(_ type: T.Type, at column: Int32, _ position: Int) -> T? {
    let related = functions.pointee.integer(row, column)
    if session.danglingMask & PropertyMask.bit(position) != 0 || related == key {
      return relatedLater(type, related, position)
    }
    return session.related(type, key: related).map { unsafeDowncast($0, to: T.self) }
  }

  @usableFromInline
  func relatedLater<T: PersistentModel>(_ type: T.Type, _ related: Int64, _ position: Int) -> T? {
    if session.danglingMask & PropertyMask.bit(position) != 0 { return nil }
    if T.self == session.entity.modelType { return session.identityMap.object(for: key) as? T }
    return session.related(type, key: related).map { unsafeDowncast($0, to: T.self) }
  }

  @usableFromInline
  package func reportMissing(_ position: Int, _ column: Int32) {
    let destination = session.entity.relationship(at: position)?.destination ?? "model"
    reportUnreadable(position, column, as: "no key of a \(destination)")
  }

  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<[T]> { .fault }

  @inlinable
  public mutating func slot<T: PersistentModel>(_ position: Int) -> _PersistenceRuntime.Slot<[T]?> { .fault }

  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T>, _ position: Int) -> Bool {
    if session.releasesRelationships { return true }
    if isColumnless(position) { return isLoaded(slot, position) }
    guard includes(position) else { return expectsOther(than: slot.known, at: position) }
    guard !isKept(position) else { return false }
    guard case .value(let old) = slot else { return fills(position) { $0.slot(position) as Slot<T> } }
    guard old._$state.pointee.primaryKey == functions.pointee.integer(row, column) else { return true }
    column &+= 1
    return false
  }

  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<T?>, _ position: Int) -> Bool {
    if session.releasesRelationships { return true }
    if isColumnless(position) { return isLoaded(slot, position) }
    guard includes(position) else { return expectsOther(than: slot.known ?? nil, at: position) }
    guard !isKept(position) else { return false }
    guard case .value(let old) = slot else { return fills(position) { $0.slot(position) as Slot<T?> } }
    let stored = isNull(column) ? nil : functions.pointee.integer(row, column)
    guard old?._$state.pointee.primaryKey == stored else { return true }
    column &+= 1
    return false
  }

  /// Whether a to-one relationship has no column, because the column of its inverse stores it.
  private func isColumnless(_ position: Int) -> Bool {
    session.entity.properties[position].columns.isEmpty
  }

  private func isLoaded<Value>(_ slot: Slot<Value>, _ position: Int) -> Bool {
    guard !isPending(position), case .value = slot else { return false }
    return mask != 0 || session.mayRelease(position)
  }

  /// Turns a loaded to-many relationship into a fault, which the next access loads again.
  @inlinable
  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]>, _ position: Int) -> Bool {
    guard !isPending(position), case .value(let list) = slot else { return false }
    return releases(list, position)
  }

  @inlinable
  public mutating func refresh<T: PersistentModel>(_ slot: _PersistenceRuntime.Slot<[T]?>, _ position: Int) -> Bool {
    guard !isPending(position), case .value(let list) = slot else { return false }
    return releases(list ?? [], position)
  }

  /// True if the row shows that the object's list may be stale. A list with the owner whose query returned the row
  /// counts as current; otherwise reading two lists alternately would unload them. Long lists are not searched.
  @usableFromInline
  func releases<T: PersistentModel>(_ list: [T], _ position: Int) -> Bool {
    guard mask != 0 else { return session.mayRelease(position) }
    guard let expected = session.expected, expected.position == position, list.count <= 32 else { return true }
    return !list.contains { Unmanaged.passUnretained($0).toOpaque() == expected.object.toOpaque() }
  }
}

extension RowReader {
  /// Reads the next row and returns the key in the column of a to-one relationship. The row may have other columns,
  /// because all properties from the 64th on share one bit of a ``PropertyMask``.
  package func reference(at position: Int) throws -> Int64? {
    var reader = self
    return try reader.next() ? reader.currentReference(at: position) : nil
  }

  /// The key in the column of a to-one relationship in the current row.
  package func currentReference(at position: Int) -> Int64? {
    let before = session.entity.properties[..<position].filter { includes($0.position) }
    let column = Int32(1 + before.reduce(0) { $0 + $1.columns.count })
    return isNull(column) ? nil : functions.pointee.integer(row, column)
  }
}
