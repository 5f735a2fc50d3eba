import Foundation

/// A query of an entity's rows, independent of any store.
///
/// Nodes are in postorder: an operator follows its operands. An array of nodes that contain only integers takes one
/// allocation and is compared quickly. A store uses the array as key in its statement cache, and binds ``values``.
package struct QueryTree: Sendable {
  package private(set) var nodes: [QueryNode] = []
  package private(set) var values: [QueryValue] = []
  /// The related rows and list elements that the query uses in addition to the queried row. Their numbers start at 1.
  package private(set) var rows: [QueryRow] = []
  /// The number of lists among ``values``.
  private var listCount = 0

  package init() {
    nodes.reserveCapacity(12)
    values.reserveCapacity(4)
  }

  package mutating func append(_ node: QueryNode) {
    nodes.append(node)
  }

  /// Appends a value as an operand.
  package mutating func append(_ value: QueryValue) {
    nodes.append(value.isNull ? .null : .value(value.format))
    values.append(value)
  }

  /// Appends a list as an operand. `format` applies if all elements are nil. The elements are not in ``nodes``.
  package mutating func append(list: [QueryValue], of format: ColumnFormat = .text) {
    nodes.append(.list(list.first { !$0.isNull }?.format ?? format))
    values.append(.list(list))
    listCount += 1
  }

  /// Replaces all values. The new values must have the same formats, because the nodes contain the formats.
  package mutating func replaceValues(by values: [QueryValue]) {
    self.values = values
  }

  /// The maximum number of lists in one query.
  package static let mostLists = 64

  /// Whether the number of lists is within the maximum.
  package var hasRoomForLists: Bool { listCount <= Self.mostLists }

  /// The maximum number of values in one query: each value takes up to three parameters, and SQLite permits 32,766.
  package static let mostValues = 10_000

  /// Adds a related row or list element, and returns its number.
  package mutating func append(_ row: QueryRow) -> Int32 {
    rows.append(row)
    return Int32(rows.count)
  }

  /// Returns the number of the row of a to-one relationship. Adds the row only at the first use of the relationship.
  package mutating func toOneRow(_ row: QueryRow) -> (number: Int32, isNew: Bool) {
    if let index = rows.firstIndex(of: row) { return (Int32(index + 1), false) }
    return (append(row), true)
  }

  /// Applies a function to each value from a position on.
  package mutating func changeValues(from position: Position, _ change: (QueryValue) -> QueryValue) {
    for index in position.value..<values.count { values[index] = change(values[index]) }
  }
}

// MARK: Fragments

extension QueryTree {
  /// A position between two nodes.
  package struct Position: Sendable {
    fileprivate let node: Int
    fileprivate let value: Int
    fileprivate let row: Int
  }

  /// The position after the last node.
  package var end: Position { Position(node: nodes.count, value: values.count, row: rows.count) }

  /// Removes all nodes, values and rows from a position on.
  package mutating func truncate(to position: Position) {
    nodes.removeLast(nodes.count - position.node)
    removeValues(from: position)
    rows.removeLast(rows.count - position.row)
  }

  private mutating func removeValues(from position: Position) {
    if listCount > 0 { listCount -= values[position.value...].count(where: \.isList) }
    values.removeLast(values.count - position.value)
  }

  /// A copy of the nodes and values from a position on. These nodes must not refer to the tree's ``rows``.
  package func part(from position: Position) -> QueryTree {
    var part = QueryTree()
    part.append(QueryFragment(nodes: Array(nodes[position.node...]), values: Array(values[position.value...])))
    return part
  }

  /// The nodes from a position on.
  package func nodes(from position: Position) -> ArraySlice<QueryNode> { nodes[position.node...] }

  package mutating func append(_ fragment: QueryFragment) {
    nodes += fragment.nodes
    values += fragment.values
    listCount += fragment.values.count(where: \.isList)
  }

  /// Whether the part from a position on is a condition, such as a comparison, and not a value.
  package func endsWithCondition(from position: Position) -> Bool {
    guard nodes.count > position.node, let last = nodes.last else { return false }
    return switch last {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .not: true
    case .containsText, .startsWithText, .containsValue, .containsLocalized, .containsRegex: true
    case .betweenClosed, .betweenHalfOpen, .exists, .hasMember: true
    default: false
    }
  }

  /// The first node after a position; nil at the end.
  package func firstNode(from position: Position) -> QueryNode? {
    nodes.count > position.node ? nodes[position.node] : nil
  }

  /// The last node if exactly `count` nodes follow a position.
  package func lastNode(from position: Position, of count: Int) -> QueryNode? {
    nodes.count == position.node + count ? nodes.last : nil
  }

  /// The node after a position if exactly one node follows, else nil.
  package func onlyNode(from position: Position) -> QueryNode? {
    nodes.count == position.node + 1 ? nodes[position.node] : nil
  }

  /// Removes and returns the nodes and values from a position on.
  package mutating func cut(from position: Position) -> QueryFragment {
    let fragment = QueryFragment(
      nodes: Array(nodes[position.node...]), values: Array(values[position.value...]))
    nodes.removeLast(nodes.count - position.node)
    removeValues(from: position)
    return fragment
  }

  /// Whether the part from a position on is nil for all rows outside of a subentity, because it contains a property
  /// that only the subentity has. The store can then use an index on this property.
  package func isNil(outside member: Int, firstPosition: Int, from position: Position) -> Bool {
    let hasOwn = nodes[position.node...].contains { node in
      if case .memberProperty(member, let position) = node { position >= firstPosition } else { false }
    }
    return hasOwn && passesNilOn(from: position)
  }

  /// Whether the part from a position on evaluates to nil if any property or value in it is nil.
  package func passesNilOn(from position: Position) -> Bool {
    nodes[position.node...].allSatisfy(\.passesNilOn)
  }
}

/// A node of a query tree.
package enum QueryNode: Sendable, Hashable {
  // Leaves
  /// A property of the queried entity.
  case property(Int)
  /// A property of a subentity: its index in ``EntityLayout/family``, and the property's position. Nil in other rows.
  case memberProperty(Int, Int)
  /// Whether a row belongs to the entity at an index of ``EntityLayout/family``, or to one of its subentities.
  case isEntity(Int)
  /// A column of a property with several columns, relative to the property's first column.
  case member(property: Int, column: Int)
  /// A composite property, or a composite member of it. The translation replaces this by nodes for the columns.
  case composite(property: Int, part: Int)
  /// The primary key of the queried row.
  case key
  /// A value of a related row or list element, which has this number in ``QueryTree/rows``.
  case related(row: Int32, RowValue)
  /// A value that is bound as a parameter. It is compared in the same way as a column of this format.
  case value(ColumnFormat)
  /// A nil that is bound as a parameter.
  case null
  /// A list of values that are bound as parameters.
  case list(ColumnFormat)
  case truth(Bool)

  // Binary operators. Equality treats nil as a value, the same as Swift. Operators with `passesNilOn` return nil if an
  // operand is nil.
  case equal
  case notEqual
  case less
  case lessOrEqual
  case greater
  case greaterOrEqual
  case and
  case or
  /// Whether a string contains another one.
  case containsText
  /// Whether a string has a prefix.
  case startsWithText
  /// Whether a list contains a value.
  case containsValue
  /// The first operand if it is not nil, else the second.
  case coalesce

  /// An arithmetic operation; nil on overflow.
  case arithmetic(ArithmeticOperation, NumberForm)
  /// Whether a string contains another one by localized standard search.
  case containsLocalized
  /// Whether a string contains a match of a regular expression, given as text.
  case containsRegex
  /// Compares two strings: -1, 0 or 1.
  case compareText(TextComparison)
  /// The value of a key in a dictionary stored as JSON.
  case valueForKey(ElementForm)
  /// The element of a list at an index; nil if the index is out of bounds.
  case elementAt(ColumnFormat)
  /// The value of a key, found in a list of keys and a list of values in the same order.
  case lookUp(ColumnFormat)

  // Unary operators
  case not
  case negative(NumberForm)
  /// The number of characters of a string.
  case textCount
  /// The number of bytes of data.
  case dataCount
  /// The elements of a collection stored as JSON, as a list.
  case elements(ElementForm)
  /// Whether the operand is among the rows of a to-many relationship.
  case hasMember(row: Int32)

  // Operators that apply a condition to several rows. If a list precedes the condition, the rows are its elements.
  case exists(row: Int32)
  case count(row: Int32)
  case minimum(row: Int32)
  case maximum(row: Int32)

  // Operators on three operands: a value, a lower bound and an upper bound
  case betweenClosed
  case betweenHalfOpen

  // An operator on three operands: a condition, the value if it is true, and the value if it is false
  case conditional
}

/// A value in a query, in the form in which a store contains it.
package enum QueryValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String, ColumnFormat)
  case blob(Data, ColumnFormat)
  case list([QueryValue])
  /// The entity and key of an identifier. The translation replaces this value by the key alone.
  case identifier(StoreEntity, Int64)

  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  package var isList: Bool {
    if case .list = self { return true }
    return false
  }

  /// Whether the value is NaN.
  package var isNotANumber: Bool {
    if case .text(_, .real) = self { return true }
    return false
  }

  package var format: ColumnFormat {
    switch self {
    case .null, .list: .text
    case .integer, .identifier: .integer
    case .real: .real
    case .text(_, let format), .blob(_, let format): format
    }
  }
}

extension QueryTree {
  /// Appends another tree. The numbers of its ``rows`` are increased by the number of rows in this tree.
  package mutating func append(_ tree: QueryTree) {
    let shift = Int32(rows.count)
    for row in tree.rows { _ = append(row.shifted(by: shift)) }
    append(QueryFragment(nodes: tree.nodes.map { $0.shifted(by: shift) }, values: tree.values))
  }
}

extension QueryRow {
  /// The same row, with the number of its source row increased by `shift`. Row 0, the queried row, keeps its number.
  fileprivate func shifted(by shift: Int32) -> QueryRow {
    switch self {
    case .toOne(let from, let member, let property):
      .toOne(from: from.shiftedRow(by: shift), member: member, property: property)
    case .toMany(let from, let member, let property):
      .toMany(from: from.shiftedRow(by: shift), member: member, property: property)
    case .element: .element
    }
  }
}

extension QueryNode {
  fileprivate func shifted(by shift: Int32) -> QueryNode {
    switch self {
    case .related(let row, let value): .related(row: row.shiftedRow(by: shift), value)
    case .hasMember(let row): .hasMember(row: row.shiftedRow(by: shift))
    case .exists(let row): .exists(row: row.shiftedRow(by: shift))
    case .count(let row): .count(row: row.shiftedRow(by: shift))
    case .minimum(let row): .minimum(row: row.shiftedRow(by: shift))
    case .maximum(let row): .maximum(row: row.shiftedRow(by: shift))
    default: self
    }
  }
}

extension Int32 {
  fileprivate func shiftedRow(by shift: Int32) -> Int32 { self == 0 ? 0 : self + shift }
}

/// Consecutive nodes of a query tree, with their values.
package struct QueryFragment: Sendable {
  package let nodes: [QueryNode]
  package let values: [QueryValue]

  package init(nodes: [QueryNode], values: [QueryValue]) {
    self.nodes = nodes
    self.values = values
  }
}

extension QueryNode {
  /// Whether the operator returns nil if an operand is nil. Also true for all leaves except `isEntity`.
  package var passesNilOn: Bool {
    switch self {
    case .property, .memberProperty, .member, .composite, .key, .value, .null, .list, .truth: true
    case .isEntity, .related(_, .isEntity): false
    case .related: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .containsText, .startsWithText, .not: true
    case .arithmetic, .negative, .textCount, .dataCount, .containsLocalized, .containsRegex, .compareText: true
    case .valueForKey, .elementAt, .elements: true
    case .equal, .notEqual, .and, .or, .containsValue, .coalesce, .conditional, .lookUp: false
    case .exists, .count, .minimum, .maximum, .hasMember: false
    // A value above the upper bound is outside the range even if the lower bound is nil.
    case .betweenClosed, .betweenHalfOpen: false
    }
  }
}

/// A row that a query uses in addition to the row of the queried entity.
///
/// The row of the queried entity has the number 0. The numbers of the rows in ``QueryTree/rows`` start at 1.
package enum QueryRow: Sendable, Hashable {
  /// The destination row of a to-one relationship of the row `from`. There is no such row if the relationship is nil.
  case toOne(from: Int32, member: Int32, property: Int32)
  /// Each row of a to-many relationship of the row `from`, for an operator such as `exists` or `count`.
  case toMany(from: Int32, member: Int32, property: Int32)
  /// Each element of a list, for an operator such as `exists` or `count`.
  case element
}

/// A value of a row.
package enum RowValue: Sendable, Hashable {
  case property(Int32)
  /// A property of a subentity: the subentity's index in ``EntityLayout/family``, and the property's position.
  case memberProperty(Int32, Int32)
  /// A column of a property with several columns.
  case column(property: Int32, column: Int32)
  /// A composite property, or a composite member of it. The translation replaces this by nodes for the columns.
  case composite(property: Int32, part: Int32)
  case key
  /// Whether the row belongs to the entity at an index of ``EntityLayout/family``, or to one of its subentities.
  case isEntity(Int32)
  /// The value of a list's element.
  case element(ColumnFormat, isOptional: Bool)
}

extension QueryNode {
  /// The node for a value of a row: a node such as `.property` for row 0, and `.related` for other rows.
  package static func value(of row: Int32, _ value: RowValue) -> QueryNode {
    guard row == 0 else { return .related(row: row, value) }
    return switch value {
    case .property(let position): .property(Int(position))
    case .memberProperty(let member, let position): .memberProperty(Int(member), Int(position))
    case .column(let position, let column): .member(property: Int(position), column: Int(column))
    case .composite(let position, let part): .composite(property: Int(position), part: Int(part))
    case .key: .key
    case .isEntity(let member): .isEntity(Int(member))
    case .element: .related(row: row, value)
    }
  }
}

extension RowValue {
  /// The value of row 0 that a node refers to; nil for a node that does not refer to row 0.
  package init?(_ node: QueryNode) {
    switch node {
    case .property(let position): self = .property(Int32(position))
    case .memberProperty(let member, let position): self = .memberProperty(Int32(member), Int32(position))
    case .member(let position, let column): self = .column(property: Int32(position), column: Int32(column))
    case .composite(let position, let part): self = .composite(property: Int32(position), part: Int32(part))
    case .key: self = .key
    case .isEntity(let member): self = .isEntity(Int32(member))
    default: return nil
    }
  }
}

/// A predicate or sort order that cannot be translated to a query, so that the caller evaluates it in memory.
package struct UntranslatableExpression: Error, Hashable, Sendable, CustomStringConvertible {
  /// Names the sub-expression that cannot be translated, for use in an error message.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
