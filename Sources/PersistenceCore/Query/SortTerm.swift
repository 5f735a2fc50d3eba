/// One criterion of an order.
package struct SortTerm: Sendable, Hashable {
  /// The position of the property to order by.
  package let property: Int
  package let isDescending: Bool

  package init(property: Int, isDescending: Bool) {
    self.property = property
    self.isDescending = isDescending
  }
}
