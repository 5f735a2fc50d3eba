import PersistenceRuntime
import PersistenceSupport

/// What the statement of a request returns.
package enum RequestPurpose: UInt8, Sendable, Hashable {
  case rows
  case keys
  case count
}

/// Those parts of a request that determine its statement. Statement caches use the shape as key.
///
/// It does not contain the values of the request, nor the lengths of its lists.
package struct RequestShape: Sendable, Hashable {
  package let purpose: RequestPurpose
  package let table: Int
  package let nodes: [QueryNode]
  /// The rows of other tables, and elements of lists, that the nodes read.
  package let rows: [QueryRow]
  package let sort: [SortTerm]
  package let mask: UInt64
  package let hasLimit: Bool
  package let hasOffset: Bool
  /// A bit for each list, which is set if the list contains nil.
  package let nilLists: UInt64
  package let includesSubentities: Bool

  package init(_ request: FetchRequest, purpose: RequestPurpose, table: TableMapping) {
    self.purpose = purpose
    self.table = table.index
    self.sort = purpose == .count ? [] : request.sort
    self.mask = purpose == .rows ? request.mask & request.entity.storedMask : 0
    self.hasLimit = request.limit != nil
    self.hasOffset = request.offset > 0
    self.includesSubentities = request.includesSubentities
    if case .matching(let tree) = request.selection {
      self.nodes = tree.nodes
      self.rows = tree.rows
      self.nilLists = Self.nilLists(in: tree)
    } else {
      self.nodes = []
      self.rows = []
      self.nilLists = 0
    }
  }

  /// Combines all parts into one word, which is hashed. The standard hasher would take more time for the nodes than the
  /// rest of the cache look-up.
  package func hash(into hasher: inout Hasher) {
    var word = mask ^ nilLists &* 0x9E37_79B9_7F4A_7C15
    word = Self.mix(word, UInt64(truncatingIfNeeded: table) << 8 | UInt64(purpose.rawValue))
    word = Self.mix(word, (hasLimit ? 1 : 0) | (hasOffset ? 2 : 0) | (includesSubentities ? 4 : 0))
    for node in nodes { word = Self.mix(word, node.code) }
    for row in rows { word = Self.mix(word, row.code) }
    for term in sort {
      let bits = UInt64(truncatingIfNeeded: term.property) << 32 | UInt64(truncatingIfNeeded: term.column) << 1
      word = Self.mix(word, bits | (term.isDescending ? 1 : 0))
      for step in term.steps { word = Self.mix(word, UInt64(truncatingIfNeeded: step.position)) }
    }
    hasher.combine(word)
  }

  private static func mix(_ word: UInt64, _ next: UInt64) -> UInt64 {
    let product = (word ^ next) &* 0xD6E8_FEB8_6659_FD93
    return product ^ (product >> 32)
  }

  /// Reads the values only if a node is a list, because values are reference counted and nodes are not.
  private static func nilLists(in tree: QueryTree) -> UInt64 {
    guard tree.nodes.contains(where: \.isList) else { return 0 }
    var result: UInt64 = 0
    var position: UInt64 = 0
    for case .list(let elements) in tree.values {
      if elements.contains(where: \.isNull) { result |= 1 << position }
      position += 1
    }
    return result
  }
}

extension QueryNode {
  fileprivate var isList: Bool {
    if case .list = self { true } else { false }
  }

  /// A number that identifies the node, for hashing.
  fileprivate var code: UInt64 {
    switch self {
    case .property(let position): 1 | UInt64(truncatingIfNeeded: position) << 8
    case .value(let format): 2 | format.code << 8
    case .list(let format): 3 | format.code << 8
    case .truth(let isTrue): isTrue ? 4 : 5
    case .key: 6
    case .null: 7
    case .equal: 8
    case .notEqual: 9
    case .less: 10
    case .lessOrEqual: 11
    case .greater: 12
    case .greaterOrEqual: 13
    case .and: 14
    case .or: 15
    case .containsText: 16
    case .startsWithText: 17
    case .containsValue: 18
    case .coalesce: 19
    case .not: 20
    case .betweenClosed: 21
    case .betweenHalfOpen: 22
    case .conditional: 23
    case .isEntity(let member): 24 | UInt64(truncatingIfNeeded: member) << 8
    case .memberProperty(let member, let position):
      25 | UInt64(truncatingIfNeeded: member) << 8 | UInt64(truncatingIfNeeded: position) << 32
    case .member(let position, let column):
      26 | UInt64(truncatingIfNeeded: position) << 8 | UInt64(truncatingIfNeeded: column) << 32
    case .composite(let position, let part):
      27 | UInt64(truncatingIfNeeded: position) << 8 | UInt64(truncatingIfNeeded: part) << 32
    case .related(let row, let value): 28 | value.code << 8 ^ UInt64(truncatingIfNeeded: row) << 48
    default: operatorCode
    }
  }

  /// A number that identifies an operator, for hashing.
  private var operatorCode: UInt64 {
    switch self {
    case .arithmetic(let operation, let form): 29 | UInt64(operation.rawValue) << 8 | UInt64(form.rawValue) << 16
    case .negative(let form): 30 | UInt64(form.rawValue) << 8
    case .containsLocalized: 31
    case .compareText(let comparison): 32 | UInt64(comparison.rawValue) << 8
    case .valueForKey(let form): 33 | UInt64(form.rawValue) << 8
    case .elementAt(let format): 34 | format.code << 8
    case .lookUp(let format): 35 | format.code << 8
    case .textCount: 36
    case .dataCount: 37
    case .elements(let form): 38 | UInt64(form.rawValue) << 8
    case .hasMember(let row): 39 | UInt64(truncatingIfNeeded: row) << 8
    case .exists(let row): 40 | UInt64(truncatingIfNeeded: row) << 8
    case .count(let row): 41 | UInt64(truncatingIfNeeded: row) << 8
    case .minimum(let row): 42 | UInt64(truncatingIfNeeded: row) << 8
    case .maximum(let row): 43 | UInt64(truncatingIfNeeded: row) << 8
    case .containsRegex: 44
    default: 0
    }
  }
}

extension RowValue {
  fileprivate var code: UInt64 {
    switch self {
    case .property(let position): 1 | UInt64(truncatingIfNeeded: position) << 4
    case .memberProperty(let member, let position):
      2 | UInt64(truncatingIfNeeded: member) << 4 | UInt64(truncatingIfNeeded: position) << 20
    case .column(let position, let column):
      3 | UInt64(truncatingIfNeeded: position) << 4 | UInt64(truncatingIfNeeded: column) << 20
    case .composite(let position, let part):
      4 | UInt64(truncatingIfNeeded: position) << 4 | UInt64(truncatingIfNeeded: part) << 20
    case .key: 5
    case .isEntity(let member): 6 | UInt64(truncatingIfNeeded: member) << 4
    case .element(let format, let isOptional): 7 | format.code << 4 | (isOptional ? 128 : 0)
    }
  }
}

extension QueryRow {
  fileprivate var code: UInt64 {
    switch self {
    case .toOne(let row, let member, let position):
      1 | UInt64(truncatingIfNeeded: row) << 4 | UInt64(truncatingIfNeeded: member) << 20
        | UInt64(truncatingIfNeeded: position) << 36
    case .toMany(let row, let member, let position):
      2 | UInt64(truncatingIfNeeded: row) << 4 | UInt64(truncatingIfNeeded: member) << 20
        | UInt64(truncatingIfNeeded: position) << 36
    case .element: 3
    }
  }
}

extension ColumnFormat {
  fileprivate var code: UInt64 {
    switch self {
    case .integer: 0
    case .real: 1
    case .text: 2
    case .decimal: 3
    case .blob: 4
    case .json: 5
    case .reference: 6
    case .url: 7
    }
  }
}

/// Those parts of an aggregate request that determine its statement. Statement caches use the shape as key.
package struct AggregateShape: Sendable, Hashable {
  /// A value that is aggregated, or by which the rows are grouped.
  enum Operand: Sendable, Hashable {
    case column(SortTerm)
    /// An expression, given as the range of its nodes in ``AggregateShape/whole``.
    case nodes(Range<Int>)
  }

  struct Column: Sendable, Hashable {
    let function: AggregateFunction
    let operand: Operand?
  }

  /// The nodes of the condition and of all expressions, one after the other, as if they were one condition.
  let whole: RequestShape
  /// The range of the condition's nodes in ``whole``; nil if there is no condition.
  let condition: Range<Int>?
  let group: Operand?
  let columns: [Column]

  func nodes(_ range: Range<Int>) -> [QueryNode] { Array(whole.nodes[range]) }
}

/// The shape of an aggregate request, and the values that are bound to the statement of that shape.
package struct AggregateQuery {
  package let shape: AggregateShape
  /// All values of the request in one tree: first those of the condition, then those of each operand.
  package let values: QueryTree

  package init(_ request: AggregateRequest, table: TableMapping) {
    var joined = QueryTree()
    func add(_ tree: QueryTree) -> Range<Int> {
      let start = joined.nodes.count
      joined.append(tree)
      return start..<joined.nodes.count
    }
    func operand(_ operand: AggregateOperand) -> AggregateShape.Operand {
      switch operand {
      case .column(let term): .column(term)
      case .tree(let tree): .nodes(add(tree))
      }
    }
    var condition: Range<Int>?
    if case .matching(let tree) = request.selection { condition = add(tree) }
    let group = request.group.map { operand($0) }
    let columns = request.columns.map { column in
      AggregateShape.Column(function: column.function, operand: column.operand.map { operand($0) })
    }
    let whole = FetchRequest(entity: request.entity, selection: .matching(joined))
    shape = AggregateShape(
      whole: RequestShape(whole, purpose: .count, table: table), condition: condition, group: group, columns: columns)
    values = joined
  }
}

/// The rows that a query reads in addition to the request's own rows, as tables with an alias.
///
/// The row of a to-one relationship is joined by its primary key, in the statement or subquery of its owner. This adds
/// no rows to the result. Members of to-many relationships and elements of lists are read in subqueries.
struct QueryRows {
  private let rows: [QueryRow]
  private let tables: [TableMapping?]
  private let optional: [Bool]
  /// The rows of which the query reads only the key. If a link table contains the key, the row itself is not joined.
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

  /// Whether the row may be missing, because an optional relationship may be nil.
  func isOptional(_ row: Int32) -> Bool { row > 0 && optional[Int(row) - 1] }

  func table(_ row: Int32) throws -> TableMapping {
    if row == 0 { return root }
    guard let table = tables[Int(row) - 1] else { throw Self.unsupported("a property of an element of a list") }
    return table
  }

  // MARK: Names

  func alias(_ row: Int32) -> String { "t\(row)" }

  /// The qualifier of the row's columns, with the dot.
  func prefix(_ row: Int32) -> String {
    if row > 0 { return "t\(row)." }
    return rows.isEmpty ? "" : dialect.quoted(root.name) + "."
  }

  func key(_ row: Int32) -> String {
    if keysOnly.contains(row), let link = link(of: row) { return "l\(row).\(dialect.quoted(link.target.column))" }
    return prefix(row) + dialect.quoted(DatabaseMapping.keyColumn)
  }

  // MARK: Sources

  /// The joins for the to-one relationships of a row, and for those of the joined rows.
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

  /// The tables of a to-many relationship's members, and the condition that selects the members of one owner.
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

  /// The key of a to-many relationship's owner, and a query for the keys of all owners that have a given member.
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

  /// The row whose FROM clause joins the given row: the request's own row, or the row of a subquery.
  private func scope(of row: Int32) -> Int32 {
    guard row > 0, case .toOne(let from, _, _) = rows[Int(row) - 1] else { return row }
    return scope(of: from)
  }

  /// The expression for the key of the row to which a to-one relationship refers.
  private func reference(from row: Int32, member: Int32, position: Int32) throws -> String {
    let owner = try table(row)
    let table = member == 0 ? owner : owner.subtables[Int(member) - 1]
    if let column = table.columns(of: Int(position)).first { return prefix(row) + dialect.quoted(column.name) }
    guard let relationship = table.entity.relationship(at: Int(position)),
      let destination = tables[rows.firstIndex(of: .toOne(from: row, member: member, property: position)) ?? 0]
    else { throw Self.unsupported("a relationship without a column") }
    // If two contexts have saved at the same time, several rows may refer to this one. The one that was saved last
    // counts.
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

  /// The rows of which the query reads only the key.
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
