import Foundation

/// A question about the rows of an entity, in the terms of no particular store.
///
/// The nodes are in post-order: operands come before their operator, which takes as many of them as it needs from
/// the end. A flat array of trivial nodes costs one allocation to build and compares quickly, so that its shape can be
/// the key under which a store keeps the statement for it; the values are beside the nodes, not in them.
package struct QueryTree: Sendable {
  package private(set) var nodes: [QueryNode] = []
  package private(set) var values: [QueryValue] = []
  /// The rows that the nodes speak of besides that of the entity that is asked about, which has the number 0.
  package private(set) var rows: [QueryRow] = []
  /// How many of the values are lists.
  private var listCount = 0

  package init() {
    nodes.reserveCapacity(12)
    values.reserveCapacity(4)
  }

  package mutating func append(_ node: QueryNode) {
    nodes.append(node)
  }

  /// Adds a value as an operand.
  package mutating func append(_ value: QueryValue) {
    nodes.append(value.isNull ? .null : .value(value.format))
    values.append(value)
  }

  /// Adds a list of values as an operand; the shape knows only that there is one.
  package mutating func append(list: [QueryValue]) {
    nodes.append(.list(list.first { !$0.isNull }?.format ?? .text))
    values.append(.list(list))
    listCount += 1
  }

  /// Asks the same about other values of the same formats.
  package mutating func replaceValues(by values: [QueryValue]) {
    self.values = values
  }

  /// How many lists a store tells apart in one query.
  package static let mostLists = 64

  /// Whether there are no more lists than that.
  package var hasRoomForLists: Bool { listCount <= Self.mostLists }

  /// How many values one query has at most: a store has a parameter for each, or up to three, and SQLite takes 32,766.
  package static let mostValues = 10_000

  /// Adds a row and returns its number.
  package mutating func append(_ row: QueryRow) -> Int32 {
    rows.append(row)
    return Int32(rows.count)
  }

  /// The row that a to-one relationship leads to, the same one for everything that asks about it.
  package mutating func toOneRow(_ row: QueryRow) -> (number: Int32, isNew: Bool) {
    if let index = rows.firstIndex(of: row) { return (Int32(index + 1), false) }
    return (append(row), true)
  }

  /// Replaces the values from a place on by what `change` makes of them.
  package mutating func changeValues(from position: Position, _ change: (QueryValue) -> QueryValue) {
    for index in position.value..<values.count { values[index] = change(values[index]) }
  }
}

// MARK: Fragments

extension QueryTree {
  /// A place between two nodes.
  package struct Position: Sendable {
    fileprivate let node: Int
    fileprivate let value: Int
    fileprivate let row: Int
  }

  /// The place after the last node.
  package var end: Position { Position(node: nodes.count, value: values.count, row: rows.count) }

  /// Forgets everything from a place on.
  package mutating func truncate(to position: Position) {
    nodes.removeLast(nodes.count - position.node)
    removeValues(from: position)
    rows.removeLast(rows.count - position.row)
  }

  private mutating func removeValues(from position: Position) {
    if listCount > 0 { listCount -= values[position.value...].count(where: \.isList) }
    values.removeLast(values.count - position.value)
  }

  /// What comes from a place on, when it speaks of no other rows.
  package func part(from position: Position) -> QueryTree {
    var part = QueryTree()
    part.append(QueryFragment(nodes: Array(nodes[position.node...]), values: Array(values[position.value...])))
    return part
  }

  /// The nodes from a place on.
  package func nodes(from position: Position) -> ArraySlice<QueryNode> { nodes[position.node...] }

  /// Whether there is a node after a place.
  func isEnd(_ position: Position) -> Bool { nodes.count == position.node }

  package mutating func append(_ fragment: QueryFragment) {
    nodes += fragment.nodes
    values += fragment.values
    listCount += fragment.values.count(where: \.isList)
  }

  /// Whether what comes from a place on is a condition, and not a value that a column holds.
  package func endsWithCondition(from position: Position) -> Bool {
    guard nodes.count > position.node, let last = nodes.last else { return false }
    return switch last {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or, .not: true
    case .containsText, .startsWithText, .containsValue, .containsLocalized, .containsRegex: true
    case .betweenClosed, .betweenHalfOpen, .exists, .hasMember: true
    default: false
    }
  }

  /// The node that comes after a place.
  package func firstNode(from position: Position) -> QueryNode? {
    nodes.count > position.node ? nodes[position.node] : nil
  }

  /// The last of some nodes that are all there is from a place on.
  package func lastNode(from position: Position, of count: Int) -> QueryNode? {
    nodes.count == position.node + count ? nodes.last : nil
  }

  /// The node that is all there is from a place on.
  package func onlyNode(from position: Position) -> QueryNode? {
    nodes.count == position.node + 1 ? nodes[position.node] : nil
  }

  /// Takes off everything from a place on.
  package mutating func cut(from position: Position) -> QueryFragment {
    let fragment = QueryFragment(
      nodes: Array(nodes[position.node...]), values: Array(values[position.value...]))
    nodes.removeLast(nodes.count - position.node)
    removeValues(from: position)
    return fragment
  }

  /// Whether what comes from a place on is nil for rows without the properties that a subentity adds, so that an index on
  /// them is of use.
  package func isNil(outside member: Int, firstPosition: Int, from position: Position) -> Bool {
    let hasOwn = nodes[position.node...].contains { node in
      if case .memberProperty(member, let position) = node { position >= firstPosition } else { false }
    }
    return hasOwn && passesNilOn(from: position)
  }

  /// Whether what comes from a place on is nil whenever one of its leaves is.
  package func passesNilOn(from position: Position) -> Bool {
    nodes[position.node...].allSatisfy(\.passesNilOn)
  }
}

/// One node of a query tree.
package enum QueryNode: Sendable, Hashable {
  // Leaves
  /// A property of the entity that is asked about.
  case property(Int)
  /// A property of an entity that inherits from the one that is asked about, by the entity's place in its family and the
  /// position of the property; nil for rows of other entities.
  case memberProperty(Int, Int)
  /// Whether a row is of an entity of the family, by its place there, or of one that inherits from it.
  case isEntity(Int)
  /// A column of a property that has several, counted from the property's first.
  case member(property: Int, column: Int)
  /// A part of a composite property as a whole, which a translation replaces by its columns.
  case composite(property: Int, part: Int)
  /// The primary key of the entity that is asked about.
  case key
  /// What another row has, by the row's number.
  case related(row: Int32, RowValue)
  /// A bound value, compared as a column of the format is.
  case value(ColumnFormat)
  /// A bound value that is nil.
  case null
  /// A bound list of values.
  case list(ColumnFormat)
  case truth(Bool)

  // Operators on two operands. Equality takes nil for a value like any other, as Swift does; of the others, those of
  // `passesNilOn` give nil for a nil operand.
  case equal
  case notEqual
  case less
  case lessOrEqual
  case greater
  case greaterOrEqual
  case and
  case or
  /// Whether the first operand, a text, contains the second.
  case containsText
  /// Whether the first operand, a text, starts with the second.
  case startsWithText
  /// Whether the first operand, a list, contains the second.
  case containsValue
  /// The first operand unless it is nil, else the second.
  case coalesce

  /// A calculation; nil when the result does not fit its type.
  case arithmetic(ArithmeticOperation, NumberForm)
  /// Whether the first operand, a text, contains the second as people see it in their language.
  case containsLocalized
  /// Whether a text has a part that a regular expression, given as text, describes.
  case containsRegex
  /// How the first operand, a text, compares with the second: -1, 0 or 1.
  case compareText(TextComparison)
  /// The value that the first operand, a dictionary as JSON, has for the second, a text.
  case valueForKey(ElementForm)
  /// The element of the first operand, a list, at the place that the second one is; nil outside of the list.
  case elementAt(ColumnFormat)
  /// The value beside the third operand in two lists of the same length, keys and values.
  case lookUp(ColumnFormat)

  // Operators on one operand
  case not
  case negative(NumberForm)
  /// The number of characters of a text.
  case textCount
  /// The number of bytes of a value that is bytes.
  case dataCount
  /// The list of the elements of a collection that is stored as JSON.
  case elements(ElementForm)
  /// The rows of a to-many relationship, of which the operand must be one.
  case hasMember(row: Int32)

  // Operators on a condition about each of several rows; behind the list, when it is the elements of one
  case exists(row: Int32)
  case count(row: Int32)
  case minimum(row: Int32)
  case maximum(row: Int32)

  // Operators on a property, a lower and an upper bound
  case betweenClosed
  case betweenHalfOpen

  // An operator on a condition, and the values for when it holds and when not
  case conditional
}

/// A value that a query compares with, in the form in which the store holds such values.
package enum QueryValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String, ColumnFormat)
  case blob(Data, ColumnFormat)
  case list([QueryValue])
  /// The identity of a model, which a translation turns into the key of a row of the entity that is asked about.
  case identifier(StoreEntity, Int64)

  package var isNull: Bool {
    if case .null = self { return true }
    return false
  }

  package var isList: Bool {
    if case .list = self { return true }
    return false
  }

  /// Whether the value is the floating-point number that equals none, not even itself.
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
