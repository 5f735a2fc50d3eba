/// One fetch: what its rows become, and where.
@usableFromInline
package final class ReadSession {
  @usableFromInline package let identityMap: IdentityMap
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let failure: RowFailure
  /// Whether values outside of the rows are read now, instead of when they are touched.
  let readsExternalValues: Bool
  /// What the engine has for values in envelopes, as the rows bring it along.
  var externalValues: (any ExternalValueReader)?
  var cipher: (any ValueCipher)?
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
  private var destinations: ContiguousArray<Destination> = []
  package let transformers = TransformerCache()
  private let makeError: (Int32) -> SwiftDataError

  package init(
    identityMap: IdentityMap, wanted: UInt64 = PropertyMask.all, releasesRelationships: Bool = false,
    readsExternalValues: Bool = false, group: FetchGroup? = nil, members: MemberCollection? = nil,
    error: @escaping (Int32) -> SwiftDataError
  ) {
    self.identityMap = identityMap
    self.isPartial = identityMap.entity.storedMask & ~wanted != 0
    self.entity = identityMap.entity
    self.failure = RowFailure(entity: identityMap.entity)
    self.readsExternalValues = readsExternalValues
    self.releasesRelationships = releasesRelationships
    self.group = identityMap.entity.hasRelationships ? group : nil
    self.members = members
    self.makeError = error
  }

  @usableFromInline
  package func error(_ code: Int32) -> SwiftDataError { makeError(code) }

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
  /// Nil when the object cannot be made before its row is read, because it has constants. Reading it here, in the middle
  /// of another row, might never end: rows may refer to each other.
  func related<T: PersistentModel>(_ type: T.Type, key: Int64) -> T? {
    guard let place = destination(of: type) else { return nil }
    if destinations[place].lastKey == key, let object = destinations[place].last { return object as? T }
    let (map, group) = (destinations[place].map, destinations[place].group)
    let object = map.entity.hasConstants ? map.object(for: key) as? T : map.objectOrFault(for: key, as: type, in: group)
    destinations[place].lastKey = key
    destinations[place].last = object
    return object
  }

  private struct Destination {
    let type: ObjectIdentifier
    let map: IdentityMap
    let group: FetchGroup
    /// Rows that follow each other often refer to the same object.
    var lastKey: Int64 = 0
    var last: AnyObject?
  }

  private func destination<T: PersistentModel>(of type: T.Type) -> Int? {
    for place in destinations.indices where destinations[place].type == ObjectIdentifier(type) { return place }
    guard let map = identityMap.store.identityMap(for: type, beside: identityMap) else { return nil }
    destinations.append(Destination(type: ObjectIdentifier(type), map: map, group: FetchGroup()))
    return destinations.count - 1
  }

  /// What stands for a value that the row does not have.
  @usableFromInline
  func placeholder<T>(_ position: Int) -> T {
    Placeholder.value(of: entity.properties[position])
  }
}
