import PersistenceRuntime
import PersistenceSupport

/// The rows that a query speaks of besides those that it asks for, as tables under other names.
///
/// A to-one relationship is a join, which adds no rows: it is by the primary key. It belongs to the statement or to the
/// subquery that its owner belongs to. To-many relationships and lists are the sources of subqueries.
struct QueryRows {
  private let rows: [QueryRow]
  private let tables: [TableMapping?]
  private let optional: [Bool]
  /// The rows of which only the key is asked for, which a table of pairs has too.
  private let keysOnly: Set<Int32>
  private let root: TableMapping
  private let dialect: any SQLDialect

  init(_ shape: RequestShape, table: TableMapping, database: DatabaseMapping, dialect: any SQLDialect) throws {
    rows = shape.rows
    root = table
    self.dialect = dialect
    var tables: [TableMapping?] = []
    var optional: [Bool] = []
    for row in shape.rows {
      guard let (from, relationship) = Self.relationship(row, root: table, tables) else {
        tables.append(nil)
        optional.append(false)
        continue
      }
      guard let destination = database.table(named: relationship.destination) else {
        throw Self.unsupported("\(relationship.path), whose models are in another store")
      }
      tables.append(destination)
      let isReached = from > 0 && optional[Int(from) - 1]
      optional.append(!relationship.isToMany && (relationship.isOptional || isReached))
    }
    self.tables = tables
    self.optional = optional
    keysOnly = Self.rowsOfKeysOnly(in: shape)
  }

  var isEmpty: Bool { rows.isEmpty }

  func isList(_ row: Int32) -> Bool { rows[Int(row) - 1] == .element }

  /// Whether there may be no such row.
  func isOptional(_ row: Int32) -> Bool { row > 0 && optional[Int(row) - 1] }

  func table(_ row: Int32) throws -> TableMapping {
    if row == 0 { return root }
    guard let table = tables[Int(row) - 1] else { throw Self.unsupported("a property of an element of a list") }
    return table
  }

  // MARK: Names

  func alias(_ row: Int32) -> String { "t\(row)" }

  /// What stands before a column of the row.
  func prefix(_ row: Int32) -> String {
    if row > 0 { return "t\(row)." }
    return rows.isEmpty ? "" : dialect.quoted(root.name) + "."
  }

  func key(_ row: Int32) -> String {
    if keysOnly.contains(row), let link = link(of: row) { return "l\(row).\(dialect.quoted(link.target.column))" }
    return prefix(row) + dialect.quoted(DatabaseMapping.keyColumn)
  }

  // MARK: Sources

  /// The joins for the to-one relationships of a row, and of those that they lead to.
  func joins(of scope: Int32) throws -> String {
    var result = ""
    for (index, row) in rows.enumerated() {
      guard case .toOne(let from, let member, let position) = row, self.scope(of: from) == scope else { continue }
      let number = Int32(index + 1)
      let key = try reference(from: from, member: member, position: position)
      let name = dialect.table(try table(number).name)
      result += " LEFT JOIN \(name) AS \(alias(number)) ON \(self.key(number)) = \(key)"
    }
    return result
  }

  /// The source of a to-many relationship's rows, and what connects them with their owner.
  func source(of row: Int32) throws -> (tables: String, connection: String) {
    guard case .toMany(let from, _, _) = rows[Int(row) - 1], let relationship = relationship(row) else {
      throw Self.unsupported("a row that no relationship leads to")
    }
    let destination = try table(row)
    if let link = link(of: row) {
      let pairs = "\(dialect.table(link.name)) AS l\(row)"
      let target = "l\(row).\(dialect.quoted(link.target.column))"
      let join = " JOIN \(dialect.table(destination.name)) AS \(alias(row)) ON \(key(row)) = \(target)"
      return (
        keysOnly.contains(row) ? pairs : pairs + join, "l\(row).\(dialect.quoted(link.owner.column)) = \(key(from))"
      )
    }
    let column = try inverseColumn(of: relationship, in: destination)
    return ("\(dialect.table(destination.name)) AS \(alias(row))", "\(prefix(row))\(column) = \(key(from))")
  }

  /// The owner of a to-many relationship, and a query for the keys of those that a model with a key belongs to.
  func owners(of row: Int32, member: String) throws -> (owner: String, keys: String) {
    guard case .toMany(let from, _, _) = rows[Int(row) - 1], let relationship = relationship(row) else {
      throw Self.unsupported("a row that no relationship leads to")
    }
    if let link = link(of: row) {
      let owner = "l\(row).\(dialect.quoted(link.owner.column))"
      let target = "l\(row).\(dialect.quoted(link.target.column))"
      return (key(from), "SELECT \(owner) FROM \(dialect.table(link.name)) AS l\(row) WHERE \(target) = \(member)")
    }
    let destination = try table(row)
    let column = prefix(row) + (try inverseColumn(of: relationship, in: destination))
    let key = prefix(row) + dialect.quoted(DatabaseMapping.keyColumn)
    return (
      self.key(from),
      "SELECT \(column) FROM \(dialect.table(destination.name)) AS \(alias(row)) "
        + "WHERE \(key) = \(member) AND \(column) IS NOT NULL"
    )
  }

  // MARK: Relationships

  /// The row whose source a row belongs to: that which is asked about, or one of a subquery.
  private func scope(of row: Int32) -> Int32 {
    guard row > 0, case .toOne(let from, _, _) = rows[Int(row) - 1] else { return row }
    return scope(of: from)
  }

  /// The key of what a to-one relationship leads to.
  private func reference(from row: Int32, member: Int32, position: Int32) throws -> String {
    let owner = try table(row)
    let table = member == 0 ? owner : owner.subtables[Int(member) - 1]
    if let column = table.columns(of: Int(position)).first { return prefix(row) + dialect.quoted(column.name) }
    guard let relationship = table.entity.relationship(at: Int(position)),
      let destination = tables[rows.firstIndex(of: .toOne(from: row, member: member, property: position)) ?? 0]
    else { throw Self.unsupported("a relationship without a column") }
    // Only a race of two contexts can leave several; the one that was saved last counts.
    let column = try inverseColumn(of: relationship, in: destination)
    return "(SELECT max(\(dialect.quoted(DatabaseMapping.keyColumn))) FROM \(dialect.table(destination.name)) AS i "
      + "WHERE i.\(column) = \(key(row)))"
  }

  private func inverseColumn(of relationship: RelationshipLayout, in destination: TableMapping) throws -> String {
    guard let inverse = relationship.inverse, let column = destination.columns(of: inverse.position).first else {
      throw Self.unsupported("\(relationship.path), which has no column")
    }
    return dialect.quoted(column.name)
  }

  private func link(of row: Int32) -> LinkTableMapping? {
    guard case .toMany(let from, let member, let position) = rows[Int(row) - 1] else { return nil }
    let owner = from == 0 ? root : tables[Int(from) - 1]
    return (member == 0 ? owner : owner?.subtables[Int(member) - 1])?.links[Int(position)]
  }

  private func relationship(_ row: Int32) -> RelationshipLayout? {
    Self.relationship(rows[Int(row) - 1], root: root, tables)?.relationship
  }

  private static func relationship(
    _ row: QueryRow, root: TableMapping, _ tables: [TableMapping?]
  ) -> (from: Int32, relationship: RelationshipLayout)? {
    let (from, member, position): (Int32, Int32, Int32)
    switch row {
    case .toOne(let row, let index, let property), .toMany(let row, let index, let property):
      (from, member, position) = (row, index, property)
    case .element: return nil
    }
    guard let owner = from == 0 ? root : tables[Int(from) - 1] else { return nil }
    return owner.entity.family[Int(member)].relationship(at: Int(position)).map { (from, $0) }
  }

  /// The rows of which nothing but the key is asked for.
  private static func rowsOfKeysOnly(in shape: RequestShape) -> Set<Int32> {
    var result = Set(shape.rows.indices.map { Int32($0 + 1) })
    for case .related(let row, let value) in shape.nodes where value != .key { result.remove(row) }
    for case .toOne(let from, _, _) in shape.rows { result.remove(from) }
    return result
  }

  private static func unsupported(_ what: String) -> SwiftDataError {
    SwiftDataError(.unsupportedPredicate, "A predicate cannot be put to the store: \(what).")
  }
}
