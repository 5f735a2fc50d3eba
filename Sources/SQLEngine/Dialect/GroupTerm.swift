/// A value that rows are put into groups by.
package struct GroupTerm: Sendable, Hashable {
  /// The value of a group as it is stored, one of those that are equal.
  package let selected: String
  /// The term that rows are put into groups by, and groups in an order.
  package let term: String

  package init(selected: String, term: String) {
    self.selected = selected
    self.term = term
  }
}
