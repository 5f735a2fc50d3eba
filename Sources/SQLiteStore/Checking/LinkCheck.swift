import PersistenceRuntime
import PersistenceSchemas
import SQLEngine

/// Checks the pairs of one link table: both rows of each pair exist, and no pair occurs twice.
struct LinkCheck: CheckStep {
  private let link: LinkTableMapping
  private let relationship: RelationshipLayout
  /// The tables of the two sides. A side whose table is not in the store is omitted.
  private let ends: [(side: LinkTableMapping.Side, table: TableMapping)]
  var tables: [String] { [link.name] + ends.map(\.table.name) }

  static func all(of database: DatabaseMapping) -> [LinkCheck] {
    database.definedLinks.map { relationship, link in
      let sides = [(link.owner, relationship.entity), (link.target, relationship.destination)]
      return LinkCheck(
        link: link, relationship: relationship,
        ends: sides.compactMap { side, entity in database.table(named: entity).map { (side: side, table: $0) } })
    }
  }

  func run(in check: StoreCheck) throws {
    let (owner, target) = ("l.\(check.quoted(link.owner.column))", "l.\(check.quoted(link.target.column))")
    let types = "typeof(\(owner)) <> 'integer' OR typeof(\(target)) <> 'integer'"
    let missing = ends.map { "NOT EXISTS (\(row(at: $0.side, of: $0.table, check)))" }
    try remove(
      where: ([types] + missing).joined(separator: " OR "), "one of the two rows of the pair is not there", in: check)
    try removeDoubles(in: check)
  }

  /// Removes duplicate pairs. They exist only if another program recreated the table without its constraint.
  private func removeDoubles(in check: StoreCheck) throws {
    if try DatabaseShape.hasUniquePairs(link, in: check.handle) { return }
    let (key, pair) = (check.key, [link.owner, link.target].map { check.quoted($0.column) }.joined(separator: ", "))
    // Sorts all pairs once. Without an index, a join would compare each pair with all other pairs of its owner.
    let doubles =
      "SELECT \(key), \(pair) FROM (SELECT \(key), \(pair), row_number() OVER (PARTITION BY \(pair) ORDER BY \(key)) "
      + "AS number FROM \(check.quoted(link.name))) WHERE number > 1"
    var found: [Pair] = []
    try check.rows(doubles) { found.append(Pair($0)) }
    for pair in found { try remove(pair, "the pair is there twice", in: check) }
  }

  private struct Pair {
    let key: Int64
    let owner: StoredValue
    let target: StoredValue

    init(_ row: SQLiteStatement) {
      key = row.integer(0)
      owner = row.value(1)
      target = row.value(2)
    }
  }

  private func row(at side: LinkTableMapping.Side, of table: TableMapping, _ check: StoreCheck) -> String {
    let classes = table.rowTest(includesSubentities: true, of: "p.", isSearched: false, dialect: check.dialect)
    return "SELECT 1 FROM \(check.quoted(table.name)) AS p WHERE p.\(check.key) = l.\(check.quoted(side.column))"
      + (classes.map { " AND \($0)" } ?? "")
  }

  private func remove(where condition: String, _ explanation: String, in check: StoreCheck) throws {
    let columns = [link.owner, link.target].map { "l.\(check.quoted($0.column))" }.joined(separator: ", ")
    let sql =
      "SELECT l.\(check.key), \(columns) FROM \(check.quoted(link.name)) AS l "
      + "WHERE l.\(check.key) >= ?1 AND (\(condition)) ORDER BY l.\(check.key) LIMIT ?2"
    try check.batches(sql) {
      Pair($0)
    } handle: {
      try remove($0, explanation, in: check)
    }
  }

  private func remove(_ pair: Pair, _ explanation: String, in check: StoreCheck) throws {
    if check.isRepairing {
      try check.run("DELETE FROM \(check.quoted(link.name)) WHERE \(check.key) = ?1", .integer(pair.key))
    }
    check.log.add(
      .pair, entity: relationship.entity, table: link.name, key: pair.key,
      value: "\(pair.owner.shortened) and \(pair.target.shortened)", "\(explanation) (\(relationship.path))",
      advice: check.isRepairing ? "It was removed" : "It can be removed", repair: check.repair)
  }
}

extension DatabaseMapping {
  /// All link tables. Each is listed with the relationship that defines it.
  var definedLinks: [(relationship: RelationshipLayout, link: LinkTableMapping)] {
    var known: Set<String> = []
    return tables.flatMap { table in
      table.entity.relationships.compactMap { relationship in
        guard let link = table.links[relationship.position], link.isDefining, known.insert(link.name).inserted else {
          return nil
        }
        return (relationship: relationship, link: link)
      }
    }
  }
}
