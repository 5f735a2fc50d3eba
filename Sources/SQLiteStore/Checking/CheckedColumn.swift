import PersistenceRuntime
import PersistenceSchemas
import SQLEngine

/// A column that is checked: its valid values, and the rows that must have a value.
struct CheckedColumn {
  let name: String
  /// The entity that declares the property.
  let entity: String
  let rule: ValueRule
  /// True if rows need a value. Rows of classes without the property, and rows whose optional struct is nil, do not.
  let isRequired: Bool
  /// The classes whose rows have the property; empty if all rows of the table have it.
  let classes: [String]
  /// The presence columns of the optional structs that contain the value. A struct exists if its column is not NULL.
  let presence: [String]

  /// The condition that selects rows without a required value; nil if no value is required.
  func lacksValue(_ dialect: SQLiteDialect) -> String? {
    guard isRequired else { return nil }
    let tests =
      // `IS NULL` would not suffice: for a NOT NULL column, SQLite evaluates it as false without looking at the value.
      ["typeof(\(dialect.quoted(name))) = 'null'"]
      + (classes.isEmpty ? [] : [TableMapping.test(for: classes, isSearched: false, dialect: dialect)])
      + presence.map { "typeof(\(dialect.quoted($0))) <> 'null'" }
    return tests.joined(separator: " AND ")
  }

  /// All columns of a table, including the properties of subclasses.
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
            // A presence column is NULL if the struct is nil, so it requires no value.
            isRequired: !part.form.isOptional && !presences[index].contains(part.column), classes: classes,
            presence: presences[index].map { columns[$0].name }))
      }
      // A struct precedes its members in `parts`, so the presence columns of the struct are known here.
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
