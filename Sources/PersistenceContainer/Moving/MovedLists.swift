import PersistenceRuntime
import PersistenceSupport

/// A to-many relationship whose pairs or positions are copied after the rows of all entities.
struct MovedList {
  /// What is copied for the relationship.
  enum Kind {
    /// Pairs of keys of a junction table, copied in the order of the lists on this side of the relationship.
    case pairs
    /// Only the order of the lists on this side. The pairs are copied with the relationship of the other side.
    case order
    /// Positions in the lists of this relationship, stored in columns of the destination's rows.
    case places
  }

  let relationship: RelationshipLayout
  let entity: EntityLayout
  let destination: EntityLayout
  let kind: Kind

  var name: String { "\(entity.name).\(relationship.name)" }

  /// The to-many relationships to copy, each once: an inherited one only for the class that declares it. Those of the
  /// kind `order` come after the relationships whose pairs they order.
  static func all(of entities: [EntityLayout]) -> [MovedList] {
    let named = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
    let all = entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> MovedList? in
        guard relationship.isToMany, relationship.position >= entity.inheritance?.firstPosition ?? 0,
          let destination = named[relationship.destination], let kind = kind(of: relationship)
        else { return nil }
        return MovedList(relationship: relationship, entity: entity, destination: destination, kind: kind)
      }
    }
    return all.filter { $0.kind != .order } + all.filter { $0.kind == .order }
  }

  private static func kind(of relationship: RelationshipLayout) -> Kind? {
    switch relationship.storage {
    case .links(isReversed: false): .pairs
    case .links(isReversed: true): .order
    case .inverseColumn: relationship.isOrdered ? .places : nil
    case .column: nil
    }
  }

  // MARK: Reading

  /// Reads the pairs of some owners. The pairs of one owner are in the order of its list.
  func forEachPair(
    of owners: [Int64], in engine: any StoreEngine, _ transaction: (any StoreTransaction)?,
    _ body: (RelatedPair) throws -> Void
  ) throws {
    let request = MemberRequest(
      relationship: relationship, entity: entity, destination: destination, owners: .some(owners))
    guard let column = request.columns.owner else { return }
    try engine.members(request, in: transaction) { rows in
      var rows = MovedRows(rows, columns: [])
      while try rows.next() { try body(RelatedPair(owner: rows.integer(column), target: rows.key)) }
    }
  }

  /// Reads the stored positions of rows in their owners' lists, in any order. A row without a stored position is sorted
  /// by its key.
  func forEachPlace(
    in engine: any StoreEngine, _ transaction: (any StoreTransaction)?,
    _ body: (ListOrder.Position) throws -> Void
  ) throws {
    let request = MemberRequest(relationship: relationship, entity: entity, destination: destination, owners: .all)
    let column = request.columns.position
    try engine.members(request, in: transaction) { rows in
      var rows = MovedRows(rows, columns: [])
      while try rows.next() {
        if let rank = rows.real(column) { try body(ListOrder.Position(key: rows.key, rank: rank)) }
      }
    }
  }
}

/// The checksum over the pairs of a relationship. For an ordered one it includes each pair's index in the list.
struct PairDigest {
  private(set) var contents = ContentsDigest()
  private let isOrdered: Bool
  /// The number of pairs so far, by owner.
  private var counts: [Int64: UInt64] = [:]

  init(_ relationship: RelationshipLayout) { isOrdered = relationship.isOrdered }

  /// Begins a batch of owners. Drops the counts of the previous owners, since the pairs of an owner are in one batch.
  mutating func beginOwners() { counts.removeAll(keepingCapacity: true) }

  mutating func add(_ pair: RelatedPair) {
    var row = RowDigest(key: pair.owner)
    row.combine(UInt64(bitPattern: pair.target))
    if isOrdered {
      let index = counts[pair.owner, default: 0]
      counts[pair.owner] = index + 1
      row.combine(index)
    }
    contents.add(row)
  }
}

extension ContentsDigest {
  mutating func add(_ place: ListOrder.Position) {
    var row = RowDigest(key: place.key)
    row.combine(place.rank.bitPattern)
    add(row)
  }
}
