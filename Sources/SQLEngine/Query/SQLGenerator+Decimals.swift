import PersistenceRuntime

/// Decimals are equal by their digits, and ordered by their value. Where an index has the keys of a column, both are decided by
/// keys, so that the index is found; a key is worked out for a row that no index leads to, which takes longer than comparing.
extension SQLGenerator {
  /// The sides of a comparison by order; what is no decimal stays as it is.
  func decimalsInOrder(
    _ left: String, _ lhs: SQLFragment, _ right: String, _ rhs: SQLFragment
  ) -> (left: String, right: String) {
    guard lhs.format == .decimal || rhs.format == .decimal else { return (left, right) }
    if isSearched(lhs, with: rhs) || isSearched(rhs, with: lhs) { return keys(left, right) }
    return (dialect.ordered(decimal: left), right)
  }

  /// The sides of a test of equality, where an index has keys of one and none begins with its digits; else as they are.
  func decimalKeys(
    _ left: String, _ lhs: SQLFragment, _ right: String, _ rhs: SQLFragment
  ) -> (left: String, right: String) {
    let isKey = isSearched(lhs, with: rhs) && lhs.decimalIndex == .key
    return isKey || (isSearched(rhs, with: lhs) && rhs.decimalIndex == .key) ? keys(left, right) : (left, right)
  }

  /// What a test for nil is put to.
  func decimalKey(_ sql: String, _ fragment: SQLFragment) -> String {
    fragment.decimalIndex == .key ? dialect.key(ofDecimal: sql) : sql
  }

  /// Whether a value is an element of a bound list.
  func isMember(_ sql: String, _ element: SQLFragment, ofList elements: String) -> String {
    element.decimalIndex == .key
      ? dialect.isKeyMember(sql, ofList: elements) : dialect.isMember(sql, ofList: elements, format: element.format)
  }

  private func isSearched(_ column: SQLFragment, with other: SQLFragment) -> Bool {
    column.decimalIndex != nil && other.isConstant
  }

  private func keys(_ left: String, _ right: String) -> (left: String, right: String) {
    (dialect.key(ofDecimal: left), dialect.key(ofDecimal: right))
  }
}
