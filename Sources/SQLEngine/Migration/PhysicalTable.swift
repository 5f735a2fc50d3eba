import PersistenceRuntime
import PersistenceSchemas

/// A table with all its columns: those of a hierarchy's root and those that subentities add.
struct PhysicalTable {
  let root: TableMapping
  /// The root and all entities that share its table.
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

/// One column as the database has it.
struct PhysicalColumn {
  /// The content of a column.
  enum Content {
    case entityName
    /// A value, or a part of one, of a property that the entity declares.
    case value(entity: EntityLayout, property: PropertyLayout, path: [String])
    /// The position of a row in the to-many relationship of its owner.
    case position(entity: EntityLayout, relationship: String)
    /// The originals of the row: values that differ from their stored form.
    case originals
  }

  let name: String
  /// The column in the CREATE TABLE statement.
  let definition: String
  let content: Content
  /// The type of the values that are written to the column.
  let valueType: SQLParameterType
  /// The type name of the column in the database.
  let type: String
  let isRequired: Bool
  let reference: ReferenceMapping?

  var format: ColumnFormat { valueType.format }

  /// The column of a row's originals.
  static func originals(_ definition: SchemaDefinition) -> PhysicalColumn {
    let (name, type) = (DatabaseMapping.originalsColumn, definition.dialect.columnType(for: .json))
    return PhysicalColumn(
      name: name, definition: "\(definition.dialect.quoted(name)) \(type)", content: .originals,
      valueType: .value(.json), type: type, isRequired: false, reference: nil)
  }

  /// Whether the values may differ from their stored form.
  var mayHaveOriginals: Bool {
    guard case .value(_, let property, _) = content, !property.isRelationship else { return false }
    return format == .text || format == .real
  }

  /// Whether this is the column of a row's originals.
  var isOriginals: Bool {
    if case .originals = content { return true }
    return false
  }

  /// Whether rows of an entity use the column.
  func concerns(_ entity: EntityLayout) -> Bool {
    switch content {
    case .entityName, .originals: true
    case .value(let owner, _, _), .position(let owner, _):
      owner.name == entity.name || entity.inheritance?.superentityNames.contains(owner.name) == true
    }
  }
}

/// The source of a new column's content.
enum ColumnSource: Hashable {
  /// An old column, unchanged.
  case column(String)
  /// An old column, with a value for its NULLs.
  case filled(String, StoredValue)
  /// An old column of another type, and its converted value.
  case converted(String, sql: String)
  /// Another expression over old columns of the same row.
  case expression(String)
  /// A value that is the same for all rows.
  case constant(StoredValue)
}
