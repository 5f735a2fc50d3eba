import CSQLite
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteConnection {
  private var pairStatements: PairStatements { PairStatements(dialect: SQLiteDialect()) }

  /// The link table of a relationship.
  func link(of relationship: RelationshipLayout, in entity: EntityLayout) throws -> LinkTableMapping {
    if let link = try database.table(for: entity).links[relationship.position] { return link }
    throw SwiftDataError(.storeFailure, "\(relationship.path) has no table of pairs.")
  }

  func add(_ pairs: [RelatedPair], to link: LinkTableMapping) throws {
    guard !pairs.isEmpty else { return }
    let first = try nextKey(of: link)
    let (next, isOver) = first.addingReportingOverflow(Int64(pairs.count))
    guard !isOver else { throw SwiftDataError(.storeFull, "The table \(link.name) has used up all its numbers.") }
    try withStatement(pairStatements.insert(into: link)) { statement in
      for (pair, number) in zip(pairs, first...) {
        try statement.bind(pair.owner, at: 1)
        try statement.bind(pair.target, at: 2)
        try statement.bind(number, at: 3)
        try statement.run()
      }
    }
    try setNextKey(next, of: link)
  }

  func remove(_ pairs: [RelatedPair], from link: LinkTableMapping) throws {
    guard !pairs.isEmpty else { return }
    try withStatement(pairStatements.delete(from: link)) { statement in
      for pair in pairs {
        try statement.bind(pair.owner, at: 1)
        try statement.bind(pair.target, at: 2)
        try statement.run()
      }
    }
  }

  /// Stores new positions in a link table so that the targets of each owner are in the given order.
  func order(_ link: LinkTableMapping, _ orders: [PairOrder]) throws {
    let (reading, writing) = (pairStatements.ranks(in: link), pairStatements.setRank(in: link))
    let end = try nextKey(of: link)
    for order in orders {
      let known = try ranks(of: order.owner, reading)
      try setRanks(ListOrder.moves(order.targets.compactMap { known[$0] }, end: end), writing)
    }
  }

  /// The positions of one owner's pairs, by the key of the target.
  private func ranks(of owner: Int64, _ sql: String) throws -> [Int64: ListOrder.Position] {
    try withStatement(sql) { statement in
      try statement.bind(owner, at: 1)
      var known: [Int64: ListOrder.Position] = [:]
      while try statement.step() {
        known[statement.integer(0)] = ListOrder.Position(key: statement.integer(1), rank: statement.real(2))
      }
      return known
    }
  }

  /// Runs `sql` once for each position. The statement sets the position of one row.
  func setRanks(_ positions: [ListOrder.Position], _ sql: String) throws {
    guard !positions.isEmpty else { return }
    try withStatement(sql) { statement in
      for position in positions {
        try statement.bind(position.rank, at: 1)
        try statement.bind(position.key, at: 2)
        try statement.run()
      }
    }
  }
}

/// Finding references to missing rows.
extension SQLiteConnection {
  /// The foreign keys that refer to missing rows, as the open transaction sees them. Call this only after SQLite has
  /// reported a foreign key violation.
  ///
  /// - Parameter table: The table whose references are checked; nil for all tables.
  func brokenReferences(of table: String? = nil) throws -> [BrokenReference] {
    let name = table.map { "(\(SQLiteDialect().quoted($0)))" } ?? ""
    let statement = try SQLiteStatement("PRAGMA foreign_key_check\(name)", on: handle)
    var result: [BrokenReference] = []
    while result.count < 1_000, try statement.step() {
      let table = statement.text(0) ?? ""
      let column = try column(ofReference: statement.integer(3), in: table)
      result.append(
        BrokenReference(table: table, column: column, key: statement.integer(1), parent: statement.text(2) ?? ""))
    }
    return result
  }

  private func column(ofReference number: Int64, in table: String) throws -> String {
    let name = SQLiteDialect().quoted(table)
    return try withStatement("PRAGMA foreign_key_list(\(name))") { statement in
      while try statement.step() {
        if statement.integer(0) == number { return statement.text(3) ?? "" }
      }
      return ""
    }
  }
}
