import PersistenceRuntime
import PersistenceSupport

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

  /// The moves in a list that was not read and to which new objects were added that became existing rows. The keys of
  /// those rows may be less than those of the members before them.
  func unreadMoves(
    of object: AnyObject, _ relationship: RelationshipLayout, _ changes: SavedChanges.SavedEntity,
    _ destination: EntityChanges, _ upserts: Upserts, in transaction: any StoreTransaction
  ) throws -> [ListOrder.Position] {
    let list = changes.map.entity.model(object)._$state.pointee.extras?.list(at: relationship.position)
    guard let inverse = relationship.inverse, let arrivals = list?.added.objects,
      arrivals.contains(where: upserts.contains)
    else { return [] }
    // Several new objects may have become one row. Those that code of the save has added have no rows yet.
    var known: Set<Int64> = [0]
    let own = destination.ranks(of: arrivals[...], at: inverse.position).filter { known.insert($0.key).inserted }
    let former = try formerMembers(of: object, relationship, changes, destination, besides: own, in: transaction)
    guard !Self.isRising(former + own) else { return [] }
    return ListOrder.moves(former + own, end: try transaction.reserveKeys(0, for: destination.map.entity))
  }
}
