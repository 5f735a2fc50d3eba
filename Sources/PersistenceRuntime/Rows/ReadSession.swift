import PersistenceSupport

/// One fetch: what its rows become, and where.
@usableFromInline
package final class ReadSession {
  @usableFromInline package let identityMap: IdentityMap
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let failure: RowFailure
  /// The bits of to-one relationships whose rows may be gone.
  @usableFromInline let danglingMask: UInt64
  /// Whether values outside of the rows are read now, instead of when they are touched.
  let readsExternalValues: Bool
  /// What the engine has for values in envelopes, as the rows bring it along.
  var externalValues: (any ExternalValueReader)?
  var cipher: (any ValueCipher)?
  let composites: CompositeTable
  /// The properties that give up what they have, to be read again when they are touched.
  var released = 0..<0
  /// Whether relationships give up what they have, instead of taking what the row says.
  let releasesRelationships: Bool
  /// Whether the rows lack columns, so that the objects have slots that wait for them.
  @usableFromInline package let isPartial: Bool
  /// The objects of the rows, in order.
  @usableFromInline package var objects: ContiguousArray<AnyObject> = []
  /// The group that the objects of the rows form; nil where they have no relationships to load together.
  @usableFromInline package let group: FetchGroup?
  /// Where the objects go instead of ``objects``, when the rows are members of relationships.
  @usableFromInline package let members: MemberCollection?
  /// The map and the group of the objects that the rows refer to, by type; looked for from the front, since there are few.
  @exclusivity(unchecked) private var destinations: ContiguousArray<Destination> = []
  /// An object that the row is known to refer to, by the property that has it.
  @exclusivity(unchecked) @usableFromInline var expected: (position: Int, object: Unmanaged<AnyObject>)?
  /// References to that object, when it is the same for all rows.
  @exclusivity(unchecked) @usableFromInline var expectedStock: BatchedRetains<AnyObject>?
  package let transformers = TransformerCache()
  var lastForms = LastForms()
  /// Whether the fetch is given up when its task is cancelled.
  private let stopsWhenCancelled: Bool
  /// Where in the rows the columns of each class of a hierarchy begin; empty for entities that inherit nothing.
  private let levels: [ColumnLevel]
  /// Room for the one composite value that is being made; nobody else's, since a session has one row at a time.
  var scratch: UnsafeMutableRawPointer {
    if let knownScratch { return knownScratch }
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: entity.scratchSize, alignment: 16)
    knownScratch = scratch
    return scratch
  }
  private var knownScratch: UnsafeMutableRawPointer?
  /// What identifiers in values are made of, looked up once.
  var knownEntity: StoreEntity?
  var referencedEntities: ContiguousArray<(type: ObjectIdentifier, entity: StoreEntity)> = []
  private let makeError: (Int32) -> SwiftDataError
  /// Whether the rows become objects that may refer to others which do not know of them.
  private let refersOneWay: Bool
  /// Whether all objects that took values of the rows are known: those in ``objects``, and those of which who asked for
  /// the rows tells.
  @inlinable package var isComplete: Bool {
    get { knowsAllObjects }
    set { knowsAllObjects = newValue }
  }
  @exclusivity(unchecked) @usableFromInline var knowsAllObjects = false

  package init(
    identityMap: IdentityMap, wanted: UInt64 = PropertyMask.all, releasesRelationships: Bool = false,
    readsExternalValues: Bool = false, group: FetchGroup? = nil, members: MemberCollection? = nil,
    levels: [ColumnLevel]? = nil, stopsWhenCancelled: Bool = false,
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
    self.refersOneWay = !identityMap.store.oneWayDestinations.isEmpty && identityMap.entity.refersOneWayInFamily
    // Observers of what is read may delete something meanwhile.
    if refersOneWay { identityMap.owner?.beginRead() }
  }

  deinit {
    knownScratch?.deallocate()
    guard refersOneWay else { return }
    identityMap.owner?.endRead(isComplete: isComplete) { identityMap.keys(of: objects) }
  }

  /// Notes all objects that took values of the rows, where others have made them.
  package func complete(with objects: ContiguousArray<AnyObject>) {
    isComplete = true
    if refersOneWay { self.objects = objects }
  }

  /// Whether a property that the rows do not have gives up what it has.
  @usableFromInline
  func releases(_ position: Int) -> Bool { released.contains(position) }

  /// Whether a relationship of an object without a row may give up what it has.
  @usableFromInline
  func mayRelease(_ position: Int) -> Bool { released.isEmpty || released.contains(position) }

  /// The first column of the class whose properties begin at a position.
  func column(of firstPosition: Int) -> Int32 {
    level(at: firstPosition)?.column ?? 1
  }

  package func level(at firstPosition: Int) -> ColumnLevel? {
    levels.last { $0.position == firstPosition }
  }

  /// The list to put the objects in, which goes back to ``objects`` when it is complete.
  @inlinable
  func takeObjects() -> ContiguousArray<AnyObject> {
    let taken = objects
    objects = []
    return taken
  }

  /// The object that a property of the row is known to refer to, counted for the taker.
  @inlinable
  func takeExpected(at position: Int) -> Unmanaged<AnyObject>? {
    guard let expected, expected.position == position else { return nil }
    return expectedStock?.take() ?? expected.object.retain()
  }

  /// Makes room for the objects of a query with a limit. There may be far fewer, so not for many.
  package func expectCount(atMost limit: Int?) {
    if let limit, limit <= 128 { objects.reserveCapacity(limit) }
  }

  @usableFromInline
  package func error(_ code: Int32) -> SwiftDataError { makeError(code) }

  /// Throws when the fetch is to be given up. Called now and then between rows.
  @usableFromInline
  package func stopIfCancelled() throws {
    if stopsWhenCancelled { try Task.checkCancellation() }
  }

  /// No row of ours has the key 0, which is what an object without a row has.
  @usableFromInline
  package func keyIsZero() -> SwiftDataError {
    SwiftDataError(
      .corruptValue, "a row of \(entity.name) has the primary key 0, which this library never gives; change it by hand")
  }

  @usableFromInline
  package func throwFailure() throws {
    try failure.throwFirst()
  }

  /// The context's object of a related row: the living one, or one whose row is read when it is touched.
  ///
  /// Nil when the object cannot be made before its row is read, because it has constants or may be of a subclass.
  /// Reading it here, in the middle of another row, might never end: rows may refer to each other.
  @usableFromInline
  package func related(_ type: any PersistentModel.Type, key: Int64) -> AnyObject? {
    guard let index = destination(of: type) else { return nil }
    return destinations.withUnsafeMutableBufferPointer { destinations in
      // Rows that follow each other often refer to the same object.
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

  /// What stands for a value that the row does not have.
  @usableFromInline
  func placeholder<T>(_ position: Int) -> T {
    Placeholder.value(of: entity.properties[position])
  }
}
