import PersistenceRuntime

/// Reads values of rows: columns, primary keys and entities.
extension SQLGenerator {
  func value(_ value: RowValue, of row: Int32) throws -> SQLFragment {
    if case .element(let format, let isOptional) = value {
      return SQLFragment(
        role: .expression, sql: dialect.elementValue(of: rows.alias(row)), format: format,
        nullness: isOptional ? .meansNil : .never, isUnsigned: format == .integer)
    }
    let table = try rows.table(row)
    switch value {
    case .property(let position): return try column(of: row, table, at: position)
    case .memberProperty(let member, let position):
      return try column(of: row, try subtable(member, of: table), at: position, isOfMember: true)
    case .column(let position, let column): return try self.column(of: row, table, at: position, column)
    case .key:
      return SQLFragment(role: .column, sql: rows.key(row), nullness: rows.isOptional(row) ? .meansNil : .never)
    case .isEntity(let member):
      let names = try subtable(member, of: table).entity.family.map(\.name)
      let test = TableMapping.test(for: names, of: rows.prefix(row), dialect: dialect)
      return .condition(test, rows.isOptional(row) ? .meansFalse : .never)
    case .composite(let position, _): throw unsupported("property \(position) as a whole, which has several columns")
    case .element: throw unsupported("an element of something that is no list")
    }
  }

  /// The table of an entity in a class hierarchy, by its index in the family. Index 0 is the given table.
  private func subtable(_ member: Int32, of table: TableMapping) throws -> TableMapping {
    guard member > 0 else { return table }
    guard table.subtables.indices.contains(Int(member) - 1) else {
      throw unsupported("an entity that does not inherit from \(table.entity.name)")
    }
    return table.subtables[Int(member) - 1]
  }

  /// A column of a property. If the property belongs to a subentity, the column is NULL in the rows of other entities.
  private func column(
    of row: Int32, _ table: TableMapping, at position: Int32, _ number: Int32 = 0, isOfMember: Bool = false
  ) throws -> SQLFragment {
    guard let column = table.columns(of: Int(position)).dropFirst(Int(number)).first else {
      let properties = table.entity.properties
      let name = properties.indices.contains(Int(position)) ? properties[Int(position)].name : "property \(position)"
      throw unsupported("\(name), which has no column")
    }
    let isNullable = column.isOptional || isOfMember || rows.isOptional(row)
    return SQLFragment(
      role: .column, sql: rows.prefix(row) + dialect.quoted(column.name), format: column.format,
      nullness: isNullable ? .meansNil : .never, indexedColumn: row == 0 ? indexed(column) : nil,
      decimalIndex: table.decimalIndexes[column.name], isUnsigned: column.isUnsigned)
  }

  /// The name of a column that is in a spatial index; nil for any other column.
  private func indexed(_ column: ColumnMapping) -> String? {
    let indexes = self.table.searchableSpatialIndexes
    guard indexes.contains(where: { $0.dimensions.contains { $0.column == column.name } }) else { return nil }
    return column.name
  }
}
