extension SQLGenerator {
  /// The bounds that a comparison puts on a column that has an index over points.
  func bounds(_ lhs: SQLFragment, _ operation: String, _ rhs: SQLFragment, left: String, right: String)
    -> [SpatialBound]
  {
    if let column = lhs.indexedColumn, rhs.isConstant {
      return bounds(of: column, isLower: operation.hasPrefix(">"), operation, right)
    }
    if let column = rhs.indexedColumn, lhs.isConstant {
      return bounds(of: column, isLower: operation.hasPrefix("<"), operation, left)
    }
    return []
  }

  private func bounds(of column: String, isLower: Bool, _ operation: String, _ value: String) -> [SpatialBound] {
    guard operation == "=" else { return [SpatialBound(column: column, isLower: isLower, value: value)] }
    return [true, false].map { SpatialBound(column: column, isLower: $0, value: value) }
  }

  /// A condition that only rows meet that may meet the whole condition, by an index over points; nil when none is of use.
  ///
  /// One is when both ends of a dimension are given: an open range is half of all rows, as a rule, and reading those one
  /// by one takes longer than reading the table from end to end.
  func spatialTest() -> String? {
    guard !bounds.isEmpty else { return nil }
    let candidates = table.searchableSpatialIndexes.map { ($0, closedDimensions(of: $0)) }
    guard let (index, closed) = candidates.filter({ $0.1 > 0 }).max(by: { isWorse($0, than: $1) }) else { return nil }
    let known = bounds.filter { bound in index.dimensions.contains { $0.column == bound.column } }
    let columns = Set(known.map(\.column))
    // A plain index of the only column finds the same rows, and no others.
    if closed == 1, columns.count == 1, table.indexes.contains(where: { $0.columns.first == known[0].column }) {
      return nil
    }
    return "\(rows.key(0)) IN (\(dialect.keys(in: index, within: known)))"
  }

  /// How many dimensions have both a least and a greatest value.
  private func closedDimensions(of index: SpatialIndexMapping) -> Int {
    index.dimensions.count { dimension in
      [true, false].allSatisfy { side in bounds.contains { $0.column == dimension.column && $0.isLower == side } }
    }
  }

  private func isWorse(_ first: (SpatialIndexMapping, Int), than second: (SpatialIndexMapping, Int)) -> Bool {
    first.1 == second.1 ? first.0.dimensions.count > second.0.dimensions.count : first.1 < second.1
  }
}
