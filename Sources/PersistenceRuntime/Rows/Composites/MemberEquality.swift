/// Collects conditions that compare the members of a composite with values.
///
/// The predicate compiler conforms, so that member forms do not depend on predicates.
package protocol MemberEquality {
  /// Appends a column or an operator.
  mutating func append(_ node: QueryNode)

  /// Appends a value in its stored representation.
  mutating func appendComparable<Value>(_ value: Value) throws(UntranslatableExpression)

  /// Appends a comparison of a node with nil.
  mutating func appendNilTest(of node: QueryNode, _ comparison: QueryNode)
}
