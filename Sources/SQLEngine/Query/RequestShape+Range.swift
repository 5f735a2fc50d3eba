import PersistenceRuntime

/// Ranges whose plan needs none of their values.
extension RequestShape {
  /// The place, among the values, of the least one of a range; nil unless the condition is the range of one property and nothing else,
  /// and every row of it is read, or the first ones in the order of the property.
  ///
  /// However wide such a range is, its rows are found the same way. Of a range with further conditions, or of which a few rows are read in
  /// another order, a database that knew nothing of its values could read the whole table for nothing.
  var lowerBoundOfLoneRange: Int? {
    guard let range, !(hasLimit || hasOffset) || isSorted(by: range.property) else { return nil }
    return range.lowerBound
  }

  /// The property of a condition that is a range, and which of the values is the lower bound.
  private var range: (property: Int, lowerBound: Int)? {
    guard case .property(let property)? = nodes.first else { return nil }
    switch nodes.count {
    case 4: return nodes[1].isValue && nodes[2].isValue && nodes[3].isBetween ? (property, 0) : nil
    case 7:
      guard nodes[1].isValue, nodes[3] == nodes[0], nodes[4].isValue, nodes[6] == .and else { return nil }
      if nodes[2].isAbove, nodes[5].isBelow { return (property, 0) }
      return nodes[2].isBelow && nodes[5].isAbove ? (property, 1) : nil
    default: return nil
    }
  }

  /// Whether the rows are in the order of a column of the entity.
  private func isSorted(by property: Int) -> Bool {
    guard let first = sort.first else { return false }
    return first.property == property && first.column == 0 && first.steps.isEmpty && first.form == .stored
  }
}

extension QueryNode {
  fileprivate var isValue: Bool {
    if case .value = self { true } else { false }
  }

  fileprivate var isBetween: Bool { self == .betweenClosed || self == .betweenHalfOpen }

  fileprivate var isAbove: Bool { self == .greater || self == .greaterOrEqual }

  fileprivate var isBelow: Bool { self == .less || self == .lessOrEqual }
}
