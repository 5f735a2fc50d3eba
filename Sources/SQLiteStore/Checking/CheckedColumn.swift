import PersistenceRuntime
import PersistenceSchemas
import SQLEngine

/// A column of a table, with its valid values and the rows that require a value.
struct CheckedColumn {
  let name: String
  /// The entity that declares the property.
  let entity: String
  let rule: ValueRule
  /// Whether each row must have a value, subject to `classes` and `presence`.
  let isRequired: Bool
  /// The classes of the rows that have the property; empty for all rows of the table.
  let classes: [String]
  /// The columns that are not NULL if the structs around the value exist.
  let presence: [String]

  /// The condition that selects rows without a required value.
  func lacksValue(_ dialect: SQLiteDialect) -> String? {
    guard isRequired else { return nil }
    let tests =
      // SQLite evaluates IS NULL as false for a NOT NULL column, regardless of its values.
      ["typeof(\(dialect.quoted(name))) = 'null'"]
      + (classes.isEmpty ? [] : [TableMapping.test(for: classes, isSearched: false, dialect: dialect)])
      + presence.map { "typeof(\(dialect.quoted($0))) <> 'null'" }
    return tests.joined(separator: " AND ")
  }

  /// The columns of a table, for all its classes.
  static func all(of table: TableMapping) -> [CheckedColumn] {
    table.declaredProperties.flatMap { table, property -> [CheckedColumn] in
      let columns = Array(table.columns(of: property.position))
      let classes = table.entity.inheritance == nil ? [] : table.entity.family.map(\.name)
      guard let composite = property.composite else {
        return columns.map { column in
          CheckedColumn(
            name: column.name, entity: table.entity.name, rule: ValueRule(property, column),
            isRequired: !column.isOptional, classes: classes, presence: [])
        }
      }
      return members(of: composite, columns, table.entity.name, classes)
    }
  }

  // MARK: Structs

  private static func members(
    of composite: CompositeLayout, _ columns: [ColumnMapping], _ entity: String, _ classes: [String]
  ) -> [CheckedColumn] {
    let parts = composite.parts
    var presences = [[Int]](repeating: [], count: parts.count)
    var result: [CheckedColumn] = []
    for (index, part) in parts.enumerated() {
      let isLeading = part.inner.map { part.form.isOptional && $0.leadingColumns != 0 } ?? false
      if part.inner == nil || isLeading, columns.indices.contains(part.column) {
        let rule = isLeading ? ValueRule(.presence, type: "\(part.type)") : ValueRule(part.type)
        result.append(
          CheckedColumn(
            name: columns[part.column].name, entity: entity, rule: rule,
            // A presence column may be NULL: the struct is then nil.
            isRequired: !part.form.isOptional && !presences[index].contains(part.column), classes: classes,
            presence: presences[index].map { columns[$0].name }))
      }
      // Parts come after the parts that contain them.
      let own = part.inner != nil && part.form.isOptional ? [part.presence] : []
      for member in part.members { presences[member.part] = presences[index] + own }
    }
    return result
  }
}

extension ValueRule {
  /// The rule for a column of a property that is not a struct.
  fileprivate init(_ property: PropertyLayout, _ column: ColumnMapping) {
    let type = "\(property.valueType)"
    if let outOfRow = property.outOfRowValue {
      self.init(outOfRow.isExternal ? .external : .sealed, type: type)
    } else if property.kind == .transformable {
      self.init(.bytes, type: type)
    } else if column.format == .reference {
      self.init(.reference, type: "key")
    } else {
      self.init(property.valueType)
    }
  }
}
