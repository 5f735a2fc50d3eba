import PersistenceRuntime

extension SpatialIndexMapping {
  package static let keyColumn = DatabaseMapping.keyColumn
  /// More make no index of this kind.
  package static let mostDimensions = 5

  /// - Returns: nil when the columns are none that points are made of.
  init?(
    _ columns: [ColumnMapping], of table: String, entity: String, mayBeMissing: Bool, dialect: some SQLDialect,
    names: inout NameRegister
  ) {
    let isPoint = columns.allSatisfy { $0.reference == nil && Self.formats.contains($0.format) }
    guard isPoint, 1...Self.mostDimensions ~= columns.count, Set(columns.map(\.name)).count == columns.count else {
      return nil
    }
    let wish = ([entity] + columns.map(\.name)).joined(separator: "_")
    // Not-a-number is no number that a place could have.
    let dimensions = columns.map {
      Dimension(
        column: $0.name, form: Self.form(of: $0), mayBeMissing: mayBeMissing || $0.isOptional || $0.format == .real)
    }
    let name = names.claim(
      "\(DatabaseMapping.ownPrefix)rtree_\(wish)", endings: dialect.spatialIndexEndings + [Self.outsideEnding])
    self.init(
      name: name, table: table, dimensions: dimensions, plainName: "\(DatabaseMapping.ownPrefix)index_\(wish)")
  }

  private static let formats: Set<ColumnFormat> = [.integer, .real, .decimal]

  private static func form(of column: ColumnMapping) -> Dimension.Form {
    column.format == .decimal ? .decimal : column.isUnsigned ? .unsigned : .number
  }
}
