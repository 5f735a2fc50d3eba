import PersistenceRuntime
import PersistenceSupport

/// A to-many relationship with pairs or places of its own, which move after the rows.
struct MovedList {
  /// What is stored for the relationship.
  enum Kind {
    /// Pairs, in the order of this side.
    case pairs
    /// Pairs that the other side has brought: their order.
    case order
    /// Places in the rows of the destination.
    case places
  }

  let relationship: RelationshipLayout
  let entity: EntityLayout
  let destination: EntityLayout
  let kind: Kind

  var name: String { "\(entity.name).\(relationship.name)" }

  /// Those of all entities, each once: those of a hierarchy with the class that declares them, and pairs before orders.
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

  /// Reads the pairs of some owners, those of each owner in their order.
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

  /// Reads the places that rows have in the list of their owner, in any order. Most have none: their keys order them.
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

/// The checksum over the pairs of a relationship, in their order if that is kept.
struct PairDigest {
  private(set) var contents = ContentsDigest()
  private let isOrdered: Bool
  /// How many pairs of each owner there were.
  private var counts: [Int64: UInt64] = [:]

  init(_ relationship: RelationshipLayout) { isOrdered = relationship.isOrdered }

  /// Begins with other owners, so that the former need no memory.
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
