import Foundation

/// A node of a predicate that can be put into a query tree.
///
/// Every node of `PredicateExpressions` conforms, on the condition that its operands do: one look-up of the whole
/// predicate's type then finds the witnesses of all its nodes, and the walk through them needs no cast.
package protocol TranslatableExpression<Output>: PredicateExpression {
  /// The value of a node that is one, known while translating.
  var constant: Output? { get }

  /// Whether the node is a value, or is made of values only.
  var isConstant: Bool { get }

  /// The entity that the node's value is of when the value is the model itself, cast or not: its place in the family of
  /// the entity that is asked about. Nil for any other value.
  func member(in translation: QueryTranslation) -> Int?

  /// Appends the node as an operand.
  func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression)

  /// Appends the node where a condition is wanted rather than a value.
  func translateTest(into translation: inout QueryTranslation) throws(UntranslatableExpression)

  /// Appends a member of the node's value.
  func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression)

  /// Appends the bounds of the range that the node's value is, and returns the operator that takes them.
  func translateBounds(into translation: inout QueryTranslation) throws(UntranslatableExpression) -> QueryNode
}

extension TranslatableExpression {
  package var constant: Output? { nil }

  package var isConstant: Bool { false }

  package func member(in translation: QueryTranslation) -> Int? { nil }

  package func translateTest(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try translate(into: &translation)
  }

  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    try translateMemberOfValue(keyPath, into: &translation)
  }

  /// Appends a member of a value that one column holds.
  package func translateMemberOfValue(
    _ keyPath: AnyKeyPath, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    switch translation.entity.meaning(of: keyPath) {
    case .rawValue:
      try translate(into: &translation)
    case .emptyText:
      try translate(into: &translation)
      translation.append(.text("", .text))
      translation.append(.equal)
    case .member(let offset):
      let start = translation.tree.end
      try translate(into: &translation)
      try translation.replaceComposite(from: start, byMemberAt: offset, of: keyPath)
    case .property, .composite, .column, .key, .relationship, .transformable, .unknown:
      throw UntranslatableExpression("a member of type \(type(of: keyPath).valueType) of a \(Output.self)")
    }
  }

  package func translateBounds(
    into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) -> QueryNode {
    throw UntranslatableExpression("a range of the type \(Output.self) that is neither captured nor written out")
  }
}
