/// One criterion of an order.
package struct SortTerm: Sendable, Hashable {
  /// The position of the property to order by.
  package let property: Int
  /// The column of the property, counted from its first.
  package let column: Int
  package let isDescending: Bool

  package init(property: Int, column: Int = 0, isDescending: Bool) {
    self.property = property
    self.column = column
    self.isDescending = isDescending
  }
}
