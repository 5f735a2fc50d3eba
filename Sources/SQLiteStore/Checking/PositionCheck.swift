import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Checks the positions in the lists of one relationship: each is a valid number, and none occurs twice in a list.
///
/// Most rows have no stored position; their key is their position (decision 11). Only stored positions can be invalid.
struct PositionCheck: CheckStep {
  /// Above this limit, a sum of positions, which are floating-point numbers, may be off by 1 or more.
  private static let greatest = 9e15

  private let table: String
  /// The column that references the row whose list contains this row.
  private let owner: String
  private let position: String
  private let entity: String
  /// The name of the sequence that numbers new rows of the table.
  private let sequence: String
  let tables: [String]

  static func all(of database: DatabaseMapping) -> [PositionCheck] {
    let lists = database.tables.filter { !$0.isShared }.flatMap { table in
      table.declaredProperties.compactMap { owner, property -> PositionCheck? in
        guard let position = owner.positionColumns[property.position],
          let column = owner.columns(of: property.position).first, let relationship = property.relationship,
          database.isOrdered(relationship.inverse, of: relationship.destination)
        else { return nil }
        return PositionCheck(
          table: table.name, owner: column.name, position: position, entity: owner.entity.name,
          sequence: table.sequenceName, tables: [table.name])
      }
    }
    return lists
      + database.definedLinks.flatMap { relationship, link -> [PositionCheck] in
        let isOrdered = database.isOrdered(relationship.inverse, of: relationship.destination)
        return [(link.owner, relationship.isOrdered), (link.target, isOrdered)].compactMap {
          side, isOrdered -> PositionCheck? in
          guard isOrdered else { return nil }
          return PositionCheck(
            table: link.name, owner: side.column, position: side.positionColumn, entity: relationship.entity,
            sequence: link.name, tables: [link.name])
        }
      }
  }

  func run(in check: StoreCheck) throws {
    try checkNumbers(in: check)
    try checkDoubles(in: check)
  }

  // MARK: Numbers

  private func checkNumbers(in check: StoreCheck) throws {
    let column = check.quoted(position)
    let sql =
      "SELECT \(check.key), \(column) FROM \(check.quoted(table)) WHERE \(check.key) >= ?1 AND "
      + "(typeof(\(column)) NOT IN ('null', 'real', 'integer') OR abs(\(column)) > \(Self.greatest)) "
      + "ORDER BY \(check.key) LIMIT ?2"
    try check.batches(sql) {
      (key: $0.integer(0), value: $0.value(1))
    } handle: { found in
      if check.isRepairing {
        // The repair stores the number that a read of the value returns, limited to the valid range.
        let number = "max(-\(Self.greatest), min(\(Self.greatest), CAST(\(column) AS REAL)))"
        try check.run(
          "UPDATE \(check.quoted(table)) SET \(column) = \(number) WHERE \(check.key) = ?1", .integer(found.key))
      }
      add(found.key, found.value.shortened, "the place in the list is no number that a place can have", in: check)
    }
  }

  // MARK: Duplicate positions

  private func checkDoubles(in check: StoreCheck) throws {
    var (broken, known): ([Int64], Set<Int64>) = ([], [])
    try check.rows(doubles(check)) { row in
      let list = row.integer(1)
      if check.isRepairing, known.insert(list).inserted { broken.append(list) }
      add(
        row.integer(0), row.value(2).shortened, "the place in the list of row \(list) is taken twice", in: check)
    }
    for list in broken { try renumber(list, in: check) }
  }

  /// The query for the key, list and position of each row whose position occurs more than once in its list.
  ///
  /// The query sorts the stored positions once. A join of each list with itself would take quadratic time, because link
  /// tables have no index on positions.
  private func doubles(_ check: StoreCheck) -> String {
    let (key, owner, position) = (check.key, check.quoted(owner), check.quoted(position))
    let table = check.quoted(table)
    let rows =
      "SELECT \(key) AS row, \(owner) AS list, \(position) AS place, count(*) OVER (PARTITION BY \(owner), \(position)) "
      + "AS number FROM \(table) WHERE typeof(\(owner)) = 'integer' AND typeof(\(position)) IN ('real', 'integer')"
    // The position of a row without a stored position is its key.
    let byKey =
      "SELECT 1 FROM \(table) AS o WHERE o.\(key) = CAST(place AS INTEGER) AND CAST(o.\(key) AS REAL) = place "
      + "AND o.\(key) <> row AND o.\(owner) = list AND o.\(position) IS NULL"
    return "SELECT row, list, place FROM (\(rows)) WHERE number > 1 OR EXISTS (\(byKey))"
  }

  /// Stores new positions for the members of a list, in the order in which they are read.
  private func renumber(_ list: Int64, in check: StoreCheck) throws {
    var members: [ListOrder.Position] = []
    let rank = "coalesce(\(check.quoted(position)), CAST(\(check.key) AS REAL))"
    try check.rows(
      "SELECT \(check.key), \(rank) FROM \(check.quoted(table)) WHERE \(check.quoted(owner)) = ?1 "
        + "ORDER BY 2, 1", .integer(list)
    ) { members.append(ListOrder.Position(key: $0.integer(0), rank: $0.real(1))) }
    let end = try check.handle.number("SELECT max(\(check.key)) FROM \(check.quoted(table))") ?? 0
    let next = try check.connection.nextNumber(of: sequence) ?? 1
    for move in moves(members, end: max(next, min(end, .max - 1) + 1)) {
      try check.run(
        "UPDATE \(check.quoted(table)) SET \(check.quoted(position)) = ?1 WHERE \(check.key) = ?2", .real(move.rank),
        .integer(move.key))
    }
  }

  private func moves(_ members: [ListOrder.Position], end: Int64) -> [ListOrder.Position] {
    let moves = ListOrder.moves(members, end: end)
    // Near the limit no positions are left after the last member, so all members get new positions just below `end`.
    guard moves.contains(where: { abs($0.rank) > Self.greatest }) else { return moves }
    let start = Double(end) - Double(members.count)
    return members.enumerated().map { ListOrder.Position(key: $1.key, rank: start + Double($0)) }
  }

  private func add(_ key: Int64, _ value: String, _ explanation: String, in check: StoreCheck) {
    check.log.add(
      .listPosition, entity: entity, table: table, key: key, column: position, value: value, explanation,
      advice: check.isRepairing
        ? "The list was numbered anew, in the order in which it was read"
        : "The list can be numbered anew, in the order in which it is read", repair: check.repair)
  }
}

extension DatabaseMapping {
  /// Returns true if one side of a relationship is an ordered list.
  fileprivate func isOrdered(_ end: RelationshipLayout.Inverse?, of entity: String) -> Bool {
    guard let end, end.isToMany else { return false }
    return table(named: entity)?.entity.relationship(at: end.position)?.isOrdered ?? false
  }
}
