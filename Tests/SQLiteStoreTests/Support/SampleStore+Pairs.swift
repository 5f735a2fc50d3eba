import PersistenceCore
import SQLiteStore

extension SampleStore {
  private var children: RelationshipLayout { entities.parent.relationships[0] }

  /// Relates a parent to items in the given order, instead of to the old items.
  func relate(_ targets: [Int64], instead old: [Int64], owner: Int64, in transaction: any StoreTransaction) throws {
    try transaction.changePairs(
      of: children, in: entities.parent,
      adding: targets.filter { !old.contains($0) }.map { RelatedPair(owner: owner, target: $0) },
      removing: old.filter { !targets.contains($0) }.map { RelatedPair(owner: owner, target: $0) })
    try transaction.orderPairs(of: children, in: entities.parent, [PairOrder(owner: owner, targets: targets)])
  }

  /// Reads the items of the given parents, in the order of their lists.
  func members(of owners: [Int64]) throws -> [RelatedPair] {
    let request = MemberRequest(
      relationship: children, entity: entities.parent, destination: entities.item, owners: .some(owners))
    guard let ownerColumn = request.columns.owner else { return [] }
    var pairs: [RelatedPair] = []
    try engine.members(request, in: nil) { rows in
      var isOnNextRow = rows.isOnFirstRow
      while try rows.next(&isOnNextRow) {
        let owner = rows.functions.pointee.integer(rows.row, ownerColumn)
        pairs.append(RelatedPair(owner: owner, target: rows.functions.pointee.integer(rows.row, 0)))
      }
    }
    return pairs
  }
}
