import PersistenceContext
import PersistenceRuntime

extension StoreCoordinator {
  /// Fetches the rows of a request as values.
  func values<T: ValueReadable>(_ request: FetchRequest, in map: IdentityMap, as type: T.Type) throws -> [T.Value] {
    var request = request
    request.mask = T._$valuePositions.reduce(0) { $0 | PropertyMask.bit($1) }
    var values = try rereading { _ in
      var values: [T.Value] = []
      try fetch(request, in: map.context?.openTransaction(of: self)) { rows in
        let session = ReadSession(identityMap: map, readsExternalValues: true, error: rows.error)
        values = try withExtendedLifetime(session) {
          var reader = RowReader(rows, session: session, mask: request.mask)
          return try T._$decodeValues(&reader)
        }
      }
      return values
    }
    let positions = T._$valuePositions
    for relationship in map.entity.relationships where positions.contains(relationship.position) {
      try fill(relationship, of: &values, in: map)
    }
    return values
  }

  /// Sets the identifiers of a relationship in all values, if the decoded rows have no foreign key column for the
  /// relationship, or if the classes of the related rows must be read first.
  private func fill<Value: ModelValue>(
    _ relationship: RelationshipLayout, of values: inout [Value], in map: IdentityMap
  ) throws {
    guard let destination = layout(of: relationship.destinationType), !values.isEmpty else { return }
    let isColumnless = map.entity.properties[relationship.position].columns.isEmpty
    guard isColumnless || destination.isPolymorphic else { return }
    let keys = values.map { key(of: $0.persistentModelID) ?? 0 }
    let lists =
      isColumnless
      ? try memberKeys(relationship, of: keys, destination, in: map)
      : try referencedKeys(relationship, of: keys, in: map)
    let identifiers = try identifiers(of: lists, destination, in: map)
    for (index, list) in lists.enumerated() {
      values[index]._$fill(relationship.position, list.compactMap { identifiers($0) })
    }
  }

  /// For each owner, the keys of its related rows, in list order. Used if the owner's row has no foreign key column.
  private func memberKeys(
    _ relationship: RelationshipLayout, of owners: [Int64], _ destination: EntityLayout, in map: IdentityMap
  ) throws -> [[Int64]] {
    let request = MemberRequest(
      relationship: relationship, entity: map.entity, destination: destination, owners: .some(owners))
    let indexes = Dictionary(owners.enumerated().map { ($1, $0) }) { first, _ in first }
    let columns = request.columns
    var lists = Array(repeating: [(position: Double, key: Int64)](), count: owners.count)
    try members(request, in: map.context?.openTransaction(of: self)) { rows in
      let session = ReadSession(identityMap: map, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: 0)
        while try reader.next() {
          guard let index = columns.owner.flatMap({ indexes[reader.integer(at: $0)] }) else { continue }
          let key = reader.key
          lists[index].append((reader.real(at: columns.position) ?? Double(key), key))
        }
      }
    }
    guard relationship.isOrdered, relationship.storage == .inverseColumn else { return lists.map { $0.map(\.key) } }
    return lists.map { list in list.sorted { ($0.position, $0.key) < ($1.position, $1.key) }.map(\.key) }
  }

  /// For each owner, the key in the foreign key column of a to-one relationship, as a list; empty if it is NULL.
  private func referencedKeys(
    _ relationship: RelationshipLayout, of owners: [Int64], in map: IdentityMap
  ) throws -> [[Int64]] {
    let references = try references(at: relationship.position, of: owners, in: map)
    return owners.map { owner in references[owner].map { [$0] } ?? [] }
  }

  /// Returns a function that converts keys to identifiers. For a class hierarchy, first reads the class of each row.
  private func identifiers(
    of lists: [[Int64]], _ destination: EntityLayout, in map: IdentityMap
  ) throws -> (Int64) -> PersistentIdentifier? {
    let entity = storeEntity(of: destination)
    guard destination.isPolymorphic, let family = identityMap(for: destination.modelType, beside: map) else {
      return { PersistentIdentifier(row: $0, of: entity) }
    }
    let keys = Array(Set(lists.joined()))
    let request = FetchRequest(entity: destination, selection: .keys(keys))
    let known = try familyIdentifiers(request, in: family)
    let byKey = Dictionary(known.compactMap { identifier in key(of: identifier).map { ($0, identifier) } }) {
      first, _ in
      first
    }
    return { byKey[$0] }
  }
}
