/// A part of a query tree with its values.
package struct QueryFragment: Sendable {
  package let nodes: [QueryNode]
  package let values: [QueryValue]

  package init(nodes: [QueryNode], values: [QueryValue]) {
    self.nodes = nodes
    self.values = values
  }
}

extension QueryNode {
  /// Whether an operator returns nil for a nil operand; true for leaves.
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
    // A value above the upper bound is outside even if the lower bound is nil.
    case .betweenClosed, .betweenHalfOpen: false
    }
  }
}
