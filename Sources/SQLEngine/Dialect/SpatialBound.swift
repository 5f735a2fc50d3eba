/// What a condition says about the least or greatest value of a column in the rows that meet it.
package struct SpatialBound: Sendable, Hashable {
  package let column: String
  package let isLower: Bool
  /// An expression without columns.
  package let value: String
}
