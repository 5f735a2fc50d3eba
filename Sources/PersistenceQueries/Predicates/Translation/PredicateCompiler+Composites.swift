import Foundation
import PersistenceRuntime
import PersistenceSupport

/// A composite property (a struct stored in several columns) or one of its members, in the translation.
private struct MentionedPart {
  /// The index of the row that has the property.
  let row: Int32
  let entity: EntityLayout
  let property: Int
  let layout: CompositeLayout
  let part: Int

  var description: CompositePart { layout.parts[part] }

  /// The column that is NULL exactly if the part is nil.
  var presence: QueryNode { node(column: description.presence) }

  /// Whether a column of the part stores JSON.
  var hasWrittenColumns: Bool { description.columns.contains { layout.columns[$0].format == .json } }

  func node(column: Int) -> QueryNode {
    .value(of: row, .column(property: Int32(property), column: Int32(column)))
  }
}

extension PredicateCompiler: MemberEquality {}

extension PredicateCompiler {
  private func mentionedPart(_ node: QueryNode?) -> MentionedPart? {
    guard mentionsComposites, let node else { return nil }
    switch node {
    case .composite(let property, let part): return mentionedPart(part, of: property, in: entity, row: 0)
    case .related(let row, .composite(let property, let part)):
      return entity(of: row).flatMap { mentionedPart(Int(part), of: Int(property), in: $0, row: row) }
    default: return nil
    }
  }

  private func mentionedPart(
    _ part: Int, of property: Int, in entity: EntityLayout, row: Int32
  ) -> MentionedPart? {
    entity.compositeLayout(at: property).map {
      MentionedPart(row: row, entity: entity, property: property, layout: $0, part: part)
    }
  }

  /// Throws if a composite was not replaced by its columns, because no store has an operand of several columns.
  func checkComposites(from start: QueryTree.Position) throws(UntranslatableExpression) {
    guard mentionsComposites else { return }
    for node in tree.nodes(from: start) {
      guard let part = mentionedPart(node) else { continue }
      throw UntranslatableExpression(
        "\(part.entity.name).\(part.description.name) as a whole, which has no one column")
    }
  }

  // MARK: Members

  /// Replaces the composite at the end of the tree by one of its members, given by its offset in the struct.
  mutating func replaceComposite(
    from start: QueryTree.Position, byMemberAt offset: Int, of keyPath: AnyKeyPath
  ) throws(UntranslatableExpression) {
    let type = Swift.type(of: keyPath).valueType
    guard let whole = mentionedPart(tree.onlyNode(from: start)),
      let member = whole.layout.member(of: whole.part, at: offset, type: type)
    else { throw UntranslatableExpression("a member of type \(type) of a value that has no columns for its members") }
    _ = cut(from: start)
    let part = whole.layout.parts[member]
    guard part.inner != nil else { return append(whole.node(column: part.column)) }
    appendComposite(whole.property, part: member, of: whole.row)
  }

  // MARK: Nil

  package mutating func appendNilTest(of node: QueryNode, _ comparison: QueryNode) {
    append(node)
    append(QueryValue.null)
    append(comparison)
  }

  /// Appends a comparison of an operand with nil.
  mutating func appendNilTest(of operand: QueryFragment, _ comparison: QueryNode) {
    if operand.nodes.count == 1, let part = mentionedPart(operand.nodes[0]) {
      return appendNilTest(of: part.presence, comparison)
    }
    append(operand)
    append(QueryValue.null)
    append(comparison)
  }

  // MARK: Equality

  /// Appends a comparison of two operands; composites are compared by columns.
  mutating func appendEquality<Left: TranslatableExpression, Right: TranslatableExpression>(
    _ lhs: Left, _ rhs: Right, _ comparison: QueryNode
  ) throws(UntranslatableExpression) where Left.Output == Right.Output, Left.Output: Equatable {
    let outer = beginComparison()
    defer { endComparison(in: outer) }
    let start = tree.end
    try lhs.translate(into: &self)
    if let left = mentionedPart(tree.onlyNode(from: start)) {
      return try appendEquality(of: left, to: rhs, comparison, from: start)
    }
    if comparison == .equal, tree.endsWithCondition(from: start), rhs.isTrue { return appendTruthOfCondition() }
    let middle = tree.end
    try rhs.translate(into: &self)
    if let right = mentionedPart(tree.onlyNode(from: middle)) {
      return try appendEquality(of: right, to: lhs, comparison, from: start)
    }
    try checkWrittenForm(lhs, rhs, from: start, middle)
    if lhs.isConstant, rhs.isConstant, replaceIdentifiers(from: start, by: Self.truth(of: lhs, rhs, comparison)) {
      return
    }
    let isNilTest = tree.onlyNode(from: middle) == .null || tree.firstNode(from: start) == .null
    append(comparison)
    try resolveComparison(from: start, isNilTest: isNilTest)
  }

  /// The result of a comparison of two constants.
  private static func truth<Left: TranslatableExpression, Right: TranslatableExpression>(
    of lhs: Left, _ rhs: Right, _ comparison: QueryNode
  ) -> Bool? where Left.Output == Right.Output, Left.Output: Equatable {
    guard let left = lhs.constant, let right = rhs.constant else { return nil }
    return (left == right) == (comparison == .equal)
  }

  /// Translates `condition == true` as `coalesce(condition, false)`, for which a store can still use an index.
  private mutating func appendTruthOfCondition() {
    append(.truth(false))
    append(.coalesce)
  }

  /// Throws for a comparison of two values stored as JSON if equal values of their type may have different JSON.
  private func checkWrittenForm<Left: TranslatableExpression>(
    _ lhs: Left, _ rhs: some TranslatableExpression, from start: QueryTree.Position, _ middle: QueryTree.Position
  ) throws(UntranslatableExpression) {
    // Captured values were already checked when they were converted.
    guard !lhs.isConstant, !rhs.isConstant, tree.onlyNode(from: middle) != .null, tree.firstNode(from: start) != .null
    else { return }
    guard WrittenForm.isUnique(type: Left.Output.self) else {
      throw UntranslatableExpression(
        "a comparison of two values of type \(Left.Output.self), which have no one stored form")
    }
  }

  /// Translates `values.contains(composite)` as comparisons of the composite with each value, joined by OR. Returns
  /// false if there is no composite, or if there are more than 100 values, which have no translation.
  mutating func replaceComposite<Values: Sequence>(
    from start: QueryTree.Position, bySearchIn values: Values
  ) throws(UntranslatableExpression) -> Bool {
    let values = Array(values)
    guard values.count <= 100, let part = mentionedPart(tree.lastNode(from: start, of: 2)) else { return false }
    _ = cut(from: start)
    if values.isEmpty { append(.truth(false)) }
    for (index, value) in values.enumerated() {
      try appendEquality(of: part, toValue: value)
      if index > 0 { append(.or) }
    }
    return true
  }

  private mutating func appendEquality(
    of part: MentionedPart, to other: some TranslatableExpression, _ comparison: QueryNode,
    from start: QueryTree.Position
  ) throws(UntranslatableExpression) {
    _ = cut(from: start)
    if let value = other.constant {
      try appendEquality(of: part, toValue: value)
    } else {
      try other.translate(into: &self)
      let node = tree.onlyNode(from: start)
      _ = cut(from: start)
      if node == .null { return appendNilTest(of: part.presence, comparison) }
      try appendEquality(of: part, to: node)
    }
    if comparison == .notEqual { append(.not) }
  }

  fileprivate mutating func appendEquality<Value>(
    of part: MentionedPart, toValue value: Value
  ) throws(UntranslatableExpression) {
    let description = part.description
    var column = CompositeColumn(row: part.row, property: part.property, column: description.column)
    var form = description.form
    if let value = value as? any OptionalComposite, type(of: value).wrappedType == description.type {
      // The value is optional although the composite is not, because the model with the composite may be missing.
      return try value.appendEquality(of: part, into: &self)
    }
    if description.type != Value.self {
      // The expression has unwrapped an optional composite, so it is compared with a non-optional value.
      guard let inner = description.inner, inner.type == Value.self else {
        throw UntranslatableExpression("a comparison of \(part.entity.name).\(description.name) with a \(Value.self)")
      }
      form = StructForm<Value>.self
      if description.form.isOptional { column = column.offset(by: Int(inner.leadingColumns)) }
    }
    try withUnsafePointer(to: value) { [column, form] pointer throws(UntranslatableExpression) in
      try form.appendEquality(to: UnsafeRawPointer(pointer), of: column, description.inner, into: &self)
    }
  }

  /// Compares two composites column by column. Composites of the same type have the same columns.
  private mutating func appendEquality(
    of part: MentionedPart, to node: QueryNode?
  ) throws(UntranslatableExpression) {
    guard let other = mentionedPart(node), other.description.type == part.description.type else {
      throw UntranslatableExpression(
        "a comparison of \(part.entity.name).\(part.description.name) with something computed")
    }
    guard !part.hasWrittenColumns else {
      throw UntranslatableExpression(
        "a comparison of \(part.entity.name).\(part.description.name) with a value whose parts have no one stored form")
    }
    for (index, pair) in zip(part.description.columns, other.description.columns).enumerated() {
      append(part.node(column: pair.0))
      append(other.node(column: pair.1))
      append(.equal)
      if index > 0 { append(.and) }
    }
  }
}

extension TranslatableExpression {
  /// Whether the node is the constant `true`.
  fileprivate var isTrue: Bool { (constant as? Bool) == true }
}

/// An optional value that is compared with a composite.
private protocol OptionalComposite: OptionalValue {
  func appendEquality(
    of part: MentionedPart, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression)
}

extension Optional: OptionalComposite {
  fileprivate func appendEquality(
    of part: MentionedPart, into translation: inout PredicateCompiler
  ) throws(UntranslatableExpression) {
    guard let self else { return translation.appendNilTest(of: part.presence, .equal) }
    translation.appendNilTest(of: part.presence, .notEqual)
    try translation.appendEquality(of: part, toValue: self)
    translation.append(.and)
  }
}
