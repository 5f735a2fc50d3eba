/// A part of a query tree: an operand with the values in it.
package struct QueryFragment: Sendable {
  package let nodes: [QueryNode]
  package let values: [QueryValue]

  package init(nodes: [QueryNode], values: [QueryValue]) {
    self.nodes = nodes
    self.values = values
  }
}

extension QueryNode {
  /// Whether an operator gives nil for a nil operand; leaves, having none, do not stand in the way.
  package var passesNilOn: Bool {
    switch self {
    case .property, .memberProperty, .member, .composite, .key, .value, .null, .list, .truth: true
    case .isEntity, .related(_, .isEntity): false
    case .related: true
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .containsText, .startsWithText, .not: true
    case .arithmetic, .negative, .textCount, .dataCount, .containsLocalized, .containsRegex, .compareText: true
    case .valueForKey, .elementAt, .elements: true
    case .equal, .notEqual, .and, .or, .containsValue, .coalesce, .conditional, .lookUp: false
    case .exists, .count, .minimum, .maximum, .hasMember: false
    // A value above the upper bound is outside, whatever the lower one is.
    case .betweenClosed, .betweenHalfOpen: false
    }
  }
}
