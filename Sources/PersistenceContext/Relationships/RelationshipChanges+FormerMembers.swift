import PersistenceRuntime

extension RelationshipChanges {
  /// The members that a row had before a new object became it. Those of the object come after them.
  func formerMembers(
    of object: AnyObject, _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity,
    _ destination: EntityChanges, besides own: [ListOrder.Position], in transaction: any StoreTransaction
  ) throws -> [ListOrder.Position] {
    let request = MemberRequest(
      relationship: relationship, entity: changes.map.entity, destination: destination.map.entity,
      owners: .one(changes.map.key(of: object)))
    let (column, ownKeys) = (request.columns.position, Set(own.map(\.key)))
    var members: [ListOrder.Position] = []
    try changes.map.store.members(request, in: transaction) { rows in
      let session = ReadSession(identityMap: destination.map, error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: 0)
        while try reader.next() {
          let rank = reader.isNull(column) ? Double(reader.key) : rows.functions.pointee.real(rows.row, column)
          if !ownKeys.contains(reader.key) { members.append(ListOrder.Position(key: reader.key, rank: rank)) }
        }
      }
    }
    return members.sorted { ($0.rank, $0.key) < ($1.rank, $1.key) }
  }
}
