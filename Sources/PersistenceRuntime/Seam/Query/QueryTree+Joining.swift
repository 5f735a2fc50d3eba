extension QueryTree {
  /// Appends another tree, with its rows renumbered.
  package mutating func append(_ tree: QueryTree) {
    let shift = Int32(rows.count)
    for row in tree.rows { _ = append(row.shifted(by: shift)) }
    append(QueryFragment(nodes: tree.nodes.map { $0.shifted(by: shift) }, values: tree.values))
  }
}

extension QueryRow {
  /// The row with its source row renumbered; row 0 keeps its number.
  fileprivate func shifted(by shift: Int32) -> QueryRow {
    switch self {
    case .toOne(let from, let member, let property):
      .toOne(from: from.shiftedRow(by: shift), member: member, property: property)
    case .toMany(let from, let member, let property):
      .toMany(from: from.shiftedRow(by: shift), member: member, property: property)
    case .element: .element
    }
  }
}

extension QueryNode {
  fileprivate func shifted(by shift: Int32) -> QueryNode {
    switch self {
    case .related(let row, let value): .related(row: row.shiftedRow(by: shift), value)
    case .hasMember(let row): .hasMember(row: row.shiftedRow(by: shift))
    case .exists(let row): .exists(row: row.shiftedRow(by: shift))
    case .count(let row): .count(row: row.shiftedRow(by: shift))
    case .minimum(let row): .minimum(row: row.shiftedRow(by: shift))
    case .maximum(let row): .maximum(row: row.shiftedRow(by: shift))
    default: self
    }
  }
}

extension Int32 {
  fileprivate func shiftedRow(by shift: Int32) -> Int32 { self == 0 ? 0 : self + shift }
}
