import Foundation

/// A composite property, or a composite in one, in a translation.
private struct MentionedPart {
  let property: Int
  let layout: CompositeLayout
  let part: Int

  var description: CompositePart { layout.parts[part] }

  /// The column that is NULL exactly when the part is nil.
  var presence: QueryNode { .member(property: property, column: description.presence) }
}

extension QueryTranslation {
  private func mentionedPart(_ node: QueryNode?) -> MentionedPart? {
    guard mentionsComposites, case .composite(let property, let part)? = node,
      let layout = entity.compositeLayout(at: property)
    else { return nil }
    return MentionedPart(property: property, layout: layout, part: part)
  }

  /// A composite that was left whole is nothing that a store knows.
  func checkComposites() throws(UntranslatableExpression) {
    guard mentionsComposites else { return }
    for node in tree.nodes {
      guard let part = mentionedPart(node) else { continue }
      throw UntranslatableExpression("\(entity.name).\(part.description.name) as a whole, which has no one column")
    }
  }

  // MARK: Members

  /// Puts a member in the place of the composite that it is a member of.
  mutating func replaceComposite(
    from start: QueryTree.Position, byMemberAt offset: Int, of keyPath: AnyKeyPath
  ) throws(UntranslatableExpression) {
    let type = Swift.type(of: keyPath).valueType
    guard let whole = mentionedPart(tree.onlyNode(from: start)),
      let member = whole.layout.member(of: whole.part, at: offset, type: type)
    else { throw UntranslatableExpression("a member of type \(type) of a value that has no columns for its members") }
    _ = cut(from: start)
    let part = whole.layout.parts[member]
    append(
      part.inner == nil
        ? .member(property: whole.property, column: part.column)
        : .composite(property: whole.property, part: member))
  }

  // MARK: Nil

  mutating func appendNilTest(of node: QueryNode, _ comparison: QueryNode) {
    append(node)
    append(QueryValue.null)
    append(comparison)
  }

  /// Appends whether an operand is nil, or is not.
  mutating func appendNilTest(of operand: QueryFragment, _ comparison: QueryNode) {
    if operand.nodes.count == 1, let part = mentionedPart(operand.nodes[0]) {
      return appendNilTest(of: part.presence, comparison)
    }
    append(operand)
    append(QueryValue.null)
    append(comparison)
  }

  // MARK: Equality

  /// Appends whether two operands are equal, or are not; composites are when all their columns are.
  mutating func appendEquality(
    _ lhs: some TranslatableExpression, _ rhs: some TranslatableExpression, _ comparison: QueryNode
  ) throws(UntranslatableExpression) {
    let start = tree.end
    try lhs.translate(into: &self)
    if let left = mentionedPart(tree.onlyNode(from: start)) {
      return try appendEquality(of: left, to: rhs, comparison, from: start)
    }
    let middle = tree.end
    try rhs.translate(into: &self)
    if let right = mentionedPart(tree.onlyNode(from: middle)) {
      return try appendEquality(of: right, to: lhs, comparison, from: start)
    }
    append(comparison)
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

  private mutating func appendEquality<Value>(
    of part: MentionedPart, toValue value: Value
  ) throws(UntranslatableExpression) {
    let description = part.description
    var column = CompositeColumn(property: part.property, column: description.column)
    var form = description.form
    if description.type != Value.self {
      // What was taken out of an optional is compared with a value that is none.
      guard let inner = description.inner, inner.type == Value.self else {
        throw UntranslatableExpression("a comparison of \(entity.name).\(description.name) with a \(Value.self)")
      }
      form = StructForm<Value>.self
      if description.form.isOptional { column = column.offset(by: Int(inner.leadingColumns)) }
    }
    try withUnsafePointer(to: value) { [column, form] pointer throws(UntranslatableExpression) in
      try form.appendEquality(to: UnsafeRawPointer(pointer), of: column, description.inner, into: &self)
    }
  }

  /// Two composites of the same type have the same columns, one by one.
  private mutating func appendEquality(
    of part: MentionedPart, to node: QueryNode?
  ) throws(UntranslatableExpression) {
    guard let other = mentionedPart(node), other.description.type == part.description.type else {
      throw UntranslatableExpression("a comparison of \(entity.name).\(part.description.name) with something computed")
    }
    for (index, pair) in zip(part.description.columns, other.description.columns).enumerated() {
      append(.member(property: part.property, column: pair.0))
      append(.member(property: other.property, column: pair.1))
      append(.equal)
      if index > 0 { append(.and) }
    }
  }
}
