import PersistenceRuntime

extension QueryTree {
  /// The first property with an out-of-row value that the tree uses in an operation other than a comparison with nil,
  /// the only one that a store supports.
  func firstOutOfRowOperand(in entity: EntityLayout, from start: Position) -> OutOfRowValue? {
    guard !entity.outOfRowValues.isEmpty else { return nil }
    let part = nodes(from: start)
    for index in part.indices {
      guard case .property(let position) = part[index], let outOfRow = entity.outOfRowValue(at: position)
      else { continue }
      if !isComparedWithNil(index) { return outOfRow }
    }
    return nil
  }

  /// In postorder the other operand is adjacent to the property.
  private func isComparedWithNil(_ index: Int) -> Bool {
    if node(index + 1) == .null { return isEquality(node(index + 2)) }
    return node(index - 1) == .null && isEquality(node(index + 1))
  }

  private func isEquality(_ node: QueryNode?) -> Bool { node == .equal || node == .notEqual }

  private func node(_ index: Int) -> QueryNode? { nodes.indices.contains(index) ? nodes[index] : nil }
}
