/// Takes the conditions that compare the members of a composite with values, one after the other.
///
/// A translation of a predicate conforms, so that the forms of members need not know what a predicate is.
package protocol MemberEquality {
  /// Appends a column or an operator.
  mutating func append(_ node: QueryNode)

  /// Appends a value in its stored form.
  mutating func appendComparable<Value>(_ value: Value) throws(UntranslatableExpression)

  /// Appends whether a node is nil, or is not.
  mutating func appendNilTest(of node: QueryNode, _ comparison: QueryNode)
}
