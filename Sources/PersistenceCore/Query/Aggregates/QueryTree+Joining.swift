extension QueryTree {
  /// Adds another tree behind this one, with its values.
  package mutating func append(_ tree: QueryTree) {
    append(QueryFragment(nodes: tree.nodes, values: tree.values))
  }
}
