import PersistenceRuntime
import PersistenceSchemas

/// A table with all its columns, including the columns of subentities.
struct PhysicalTable {
  let root: TableMapping
  /// The root entity and all its subentities: the entities whose rows are in the table.
  let members: [TableMapping]
  let columns: [PhysicalColumn]

  var name: String { root.name }
  var indexes: [IndexMapping] { members.flatMap(\.indexes) }
  var spatialIndexes: [SpatialIndexMapping] { members.flatMap(\.spatialIndexes) }

  init(_ root: TableMapping, definition: SchemaDefinition) {
    self.root = root
    members = [root] + root.subtables
    let type = definition.dialect.columnType(for: .text)
    let entityColumn = definition.entityColumn(of: root).map { definition in
      PhysicalColumn(
        name: DatabaseMapping.entityColumn, definition: definition, content: .entityName, valueType: .value(.text),
        type: type, isRequired: true, reference: nil)
    }
    let values = root.declaredProperties.flatMap { table, property in
      Self.values(of: property, in: table, root: root, definition)
    }
    var columns = entityColumn + values + members.flatMap { Self.positions(of: $0, definition) }
    if definition.dialect.originalsColumn != nil { columns.append(.originals(definition)) }
    self.columns = columns
  }

  private static func values(
    of property: PropertyLayout, in table: TableMapping, root: TableMapping, _ definition: SchemaDefinition
  ) -> [PhysicalColumn] {
    let isShared = table.entity.name != root.entity.name
    return zip(property.columns, table.columns(of: property.position)).map { layout, mapping in
      PhysicalColumn(
        name: mapping.name, definition: definition.column(mapping, of: root.name, mayBeMissing: isShared),
        content: .value(entity: table.entity, property: property, path: layout.path),
        valueType: SQLParameterType(mapping),
        type: definition.columnType(of: mapping), isRequired: !mapping.isOptional && !isShared,
        reference: mapping.reference)
    }
  }

  private static func positions(of table: TableMapping, _ definition: SchemaDefinition) -> [PhysicalColumn] {
    table.positionColumns.filter { table.isOwn($0.key) }.sorted { $0.key < $1.key }.map { position, name in
      let relationship = table.entity.properties[position].name
      return PhysicalColumn(
        name: name, definition: definition.position(name),
        content: .position(entity: table.entity, relationship: relationship), valueType: .value(.real),
        type: definition.dialect.columnType(for: .real), isRequired: false, reference: nil)
    }
  }
}

/// A column as it is in the database.
struct PhysicalColumn {
  /// The content of a column.
  enum Content {
    case entityName
    /// The value of a property that the entity declares, or a part of the value.
    case value(entity: EntityLayout, property: PropertyLayout, path: [String])
    /// The position of the row in the list of its owner.
    case position(entity: EntityLayout, relationship: String)
    /// The originals of the row, which are the values that differ from their stored form.
    case originals
  }

  let name: String
  /// The definition of the column in the CREATE TABLE statement.
  let definition: String
  let content: Content
  /// The type of the parameters that set the column.
  let valueType: SQLParameterType
  /// The name of the column's type in the database.
  let type: String
  let isRequired: Bool
  let reference: ReferenceMapping?

  var format: ColumnFormat { valueType.format }

  /// The column that contains a row's originals.
  static func originals(_ definition: SchemaDefinition) -> PhysicalColumn {
    let (name, type) = (DatabaseMapping.originalsColumn, definition.dialect.columnType(for: .json))
    return PhysicalColumn(
      name: name, definition: "\(definition.dialect.quoted(name)) \(type)", content: .originals,
      valueType: .value(.json), type: type, isRequired: false, reference: nil)
  }

  /// Whether values of the column may differ from their stored form.
  var mayHaveOriginals: Bool {
    guard case .value(_, let property, _) = content, !property.isRelationship else { return false }
    return format == .text || format == .real
  }

  /// Whether this is the column that contains a row's originals.
  var isOriginals: Bool {
    if case .originals = content { return true }
    return false
  }

  /// Whether the column contains values of an entity's rows. It is NULL in the rows of all other entities.
  func concerns(_ entity: EntityLayout) -> Bool {
    switch content {
    case .entityName, .originals: true
    case .value(let owner, _, _), .position(let owner, _):
      owner.name == entity.name || entity.inheritance?.superentityNames.contains(owner.name) == true
    }
  }
}

/// Where a column of the new table gets its values.
enum ColumnSource: Hashable {
  /// From an old column, without a change.
  case column(String)
  /// From an old column, in which NULL is replaced with a value.
  case filled(String, StoredValue)
  /// From an old column of another type, converted with an SQL expression.
  case converted(String, sql: String)
  /// From any other SQL expression over old columns of the same row.
  case expression(String)
  /// A value that is the same in all rows.
  case constant(StoredValue)
}
