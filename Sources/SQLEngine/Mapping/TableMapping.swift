import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The tables that hold the entities of a schema.
package final class DatabaseMapping: Sendable {
  /// The primary key column of every entity's table.
  package static let keyColumn = "_osd_key"
  /// The column that names the entity of a row, in the table of a hierarchy.
  package static let entityColumn = "_osd_entity"
  /// The column that holds a row's originals, if the dialect keeps them in the row (``SQLDialect/originalsColumn``).
  package static let originalsColumn = ownPrefix + "originals"
  /// The prefix of the names of tables that belong to the library and not to an entity.
  package static let ownPrefix = "_osd_"

  package let tables: [TableMapping]
  /// Whether the database has spatial indexes (R-trees); not every database supports them.
  package let hasSpatialIndexes: Bool
  private let positions: [ObjectIdentifier: Int]
  private let names: [String: Int]

  /// - Parameters:
  ///   - prefix: The prefix of all table names, for old tables that a migration has set aside.
  ///   - hasSpatialIndexes: Whether to create spatial indexes; if not, plain indexes replace them.
  ///   - otherNames: The table names that a migration has changed, by entity.
  package init(
    entities: [EntityLayout], dialect: some SQLDialect, prefix: String = "", hasSpatialIndexes: Bool = true,
    otherNames: [String: String] = [:]
  ) {
    let tableNames = Self.tableNames(of: entities, dialect: dialect).mapValues {
      (prefix + $0).fitted(to: dialect.longestName)
    }.merging(otherNames) { _, other in other }
    var maker = TableMaker(
      entities, tableNames: tableNames, dialect: dialect, prefix: prefix, hasSpatialIndexes: hasSpatialIndexes)
    tables = maker.tables()
    self.hasSpatialIndexes = tables.contains { !$0.spatialIndexes.isEmpty }
    positions = Dictionary(
      entities.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    names = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The same tables, with plain indexes instead of spatial ones.
  package func withoutSpatialIndexes(_ dialect: some SQLDialect) -> DatabaseMapping {
    DatabaseMapping(entities: tables.map(\.entity), dialect: dialect, hasSpatialIndexes: false)
  }

  /// The table of an entity.
  ///
  /// - Throws: `SwiftDataError.storeFailure` when the store was opened without the entity.
  package func table(for entity: EntityLayout) throws -> TableMapping {
    if let index = positions[ObjectIdentifier(entity)] ?? names[entity.name] { return tables[index] }
    throw SwiftDataError(
      .storeFailure,
      "The store was opened without the entity \(entity.name). Add its model to the schema of the container.")
  }

  /// The table of the entity with a name.
  package func table(named name: String) -> TableMapping? {
    names[name].map { tables[$0] }
  }

  private static func tableNames(of entities: [EntityLayout], dialect: some SQLDialect) -> [String: String] {
    var register = NameRegister(dialect)
    var result: [String: String] = [:]
    let reserved = dialect.reservedTablePrefixes + [ownPrefix]
    // Alphabetical order: names must not depend on the order in which the models are listed.
    let ordered = entities.sorted { $0.name < $1.name }
    for entity in ordered where result[entity.name] == nil && entity.inheritance?.isRoot != false {
      let isReserved = reserved.contains { entity.name.lowercased().hasPrefix($0) }
      result[entity.name] = register.claim(isReserved ? "entity_\(entity.name)" : entity.name)
    }
    for entity in entities {
      guard let inheritance = entity.inheritance, !inheritance.isRoot else { continue }
      result[entity.name] = result[inheritance.rootName]
    }
    return result
  }
}

/// The table that holds one entity. The entities of a hierarchy share the table of their root.
package final class TableMapping: Sendable {
  package let entity: EntityLayout
  /// The index of the table in its database. Connections cache statements by it.
  package let index: Int
  package let name: String
  package let columns: [ColumnMapping]
  /// The columns of each property, as a range of ``columns``.
  package let columnRanges: [Range<Int>]
  /// The columns with the position of a row in the to-many relationship of its owner, by the position of the inverse
  /// property.
  package let positionColumns: [Int: String]
  /// The link tables of many-to-many relationships, by position of the property.
  package let links: [Int: LinkTableMapping]
  package let indexes: [IndexMapping]
  /// The unique indexes of the entity, inherited ones included.
  let uniqueIndexes: [IndexMapping]
  /// The spatial indexes that the entity declares.
  package let spatialIndexes: [SpatialIndexMapping]
  /// The indexed form of each decimal column that has an index with keys, by column name.
  let decimalIndexes: [String: DecimalIndex]
  /// All spatial indexes of the table. The entity's own indexes come first, because they are most likely to be used.
  let searchableSpatialIndexes: [SpatialIndexMapping]
  /// The tables of all entities that inherit from this one, in the order of the entity's family.
  package let subtables: [TableMapping]

  /// - Parameter subtables: The tables of the entities that inherit from the entity.
  init(
    _ entity: EntityLayout, index: Int, parts: TableParts, subtables: [TableMapping] = []
  ) {
    self.entity = entity
    self.index = index
    self.name = parts.name
    self.columns = parts.columns
    self.columnRanges = parts.ranges
    self.positionColumns = parts.positionColumns
    self.links = parts.links
    self.indexes = parts.indexes
    self.decimalIndexes = DecimalIndex.all(
      of: parts.columns, in: parts.inheritedIndexes + parts.indexes + subtables.flatMap(\.indexes))
    self.uniqueIndexes = (parts.inheritedIndexes + parts.indexes).filter(\.isUnique)
    self.spatialIndexes = parts.spatialIndexes
    self.searchableSpatialIndexes =
      parts.spatialIndexes + parts.inheritedSpatialIndexes + subtables.flatMap(\.spatialIndexes)
    self.subtables = subtables
  }

  /// The columns of a property.
  package func columns(of position: Int) -> ArraySlice<ColumnMapping> {
    columnRanges.indices.contains(position) ? columns[columnRanges[position]] : []
  }

  /// The format of a column of the entity or of a subentity; nil if the column belongs to no property.
  func format(ofColumn name: String) -> ColumnFormat? {
    let all = columns + subtables.flatMap(\.columns)
    return all.first { $0.name == name }?.format
  }

  /// The columns of all properties in a mask, in order of declaration.
  package func columns(in mask: UInt64) -> [ColumnMapping] {
    columns.filter { $0.bit & mask != 0 }
  }
}

extension PropertyKind {
  /// The destination entity of a to-one relationship.
  var toOneDestination: String? {
    if case .toOne(let destination) = self { return destination }
    return nil
  }
}

extension RelationshipLayout {
  /// Whether rows store a position among the rows with the same owner. The column exists whether or not the inverse
  /// relationship is ordered.
  var isRanked: Bool { storage == .column && inverse?.isToMany == true }
}

/// The rows of one entity in a table that the entity shares with the other entities of its hierarchy.
extension TableMapping {
  /// Whether the table belongs to another entity, from which this entity inherits.
  package var isShared: Bool { entity.inheritance?.isRoot == false }

  /// The name of the table's key sequence, which all entities in the table share.
  package var sequenceName: String { StoredText.form(of: entity.inheritance?.rootName ?? entity.name) }

  /// Whether the entity declares a property itself rather than inheriting it.
  func isOwn(_ position: Int) -> Bool { position >= entity.inheritance?.firstPosition ?? 0 }

  /// The properties of all entities in the table, each once, with the mapping of the declaring entity.
  package var declaredProperties: [(table: TableMapping, property: PropertyLayout)] {
    ([self] + subtables).flatMap { table in
      table.entity.properties.filter { table.isOwn($0.position) }.map { (table: table, property: $0) }
    }
  }

  /// The columns that the entity adds to its inherited ones.
  package var ownColumns: ArraySlice<ColumnMapping> {
    let inherited = entity.inheritance?.firstPosition ?? 0
    guard columnRanges.indices.contains(inherited) else { return columns[columns.count...] }
    return columns[columnRanges[inherited].lowerBound...]
  }

  /// The link tables that the entity defines, in the order of its properties.
  var ownLinks: [LinkTableMapping] {
    links.filter { isOwn($0.key) && $0.value.isDefining }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The foreign keys of the columns that the entity adds, and of its link tables.
  var ownReferences: [TableReference] {
    let columns = ownColumns.compactMap { column in
      column.reference.map {
        TableReference(table: name, column: column.name, target: $0.table, action: $0.action)
      }
    }
    return columns + ownLinks.flatMap(\.references)
  }

  /// The condition that selects the rows of the entity, optionally with those of its subentities; nil if the table has
  /// no other rows.
  ///
  /// - Parameter isSearched: Whether to allow the index on the entity column, which a spatial index makes useless.
  package func rowTest(
    includesSubentities: Bool, of source: String = "", isSearched: Bool = true, dialect: any SQLDialect
  ) -> String? {
    guard let inheritance = entity.inheritance, !(inheritance.isRoot && includesSubentities) else { return nil }
    let names = includesSubentities ? entity.family.map(\.name) : [entity.name]
    return Self.test(for: names, of: source, isSearched: isSearched, dialect: dialect)
  }

  /// The condition that a row belongs to one of the given entities.
  ///
  /// - Parameters:
  ///   - source: The qualifier of each column, including the dot.
  ///   - isSearched: Whether the database may use the index on the entity column.
  package static func test(
    for entities: [String], of source: String = "", isSearched: Bool = true, dialect: any SQLDialect
  ) -> String {
    let names = entities.map { dialect.literal(.text(StoredText.form(of: $0))) }
    let column = source + dialect.quoted(DatabaseMapping.entityColumn)
    let operand = isSearched ? column : dialect.unsearched(column)
    return names.count == 1 ? "\(operand) = \(names[0])" : "\(operand) IN (\(names.joined(separator: ", ")))"
  }
}

/// The table that a column references, and the action on the referencing row when the referenced row is deleted.
package struct ReferenceMapping: Sendable, Hashable {
  package let table: String
  package let action: ReferenceAction

  /// - Returns: nil if the models maintain the references themselves.
  init?(_ relationship: RelationshipLayout?, isOptional: Bool, table: String) {
    self.table = table
    switch relationship?.inverseDeleteRule {
    case .noAction: return nil
    case .cascade: action = .cascade
    case .deny: action = .refuse
    case .nullify, nil: action = isOptional ? .clear : .refuse
    }
  }
}

/// One column of an entity's table, under its name in the database.
package struct ColumnMapping: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The bit of the column's property in property masks.
  package let bit: UInt64
  /// The referenced table.
  package let reference: ReferenceMapping?
  /// Whether the column holds unsigned integers. Values above `Int64.max` are stored as bytes.
  package var isUnsigned = false
  /// The remark on the column in the table definition.
  var remark: ColumnRemark?

  /// Whether values may differ from their stored form, and then have originals.
  package var mayHaveOriginals: Bool { format == .text || format == .real }
}

extension SQLParameterType {
  /// The type of a column's values.
  init(_ column: ColumnMapping) {
    self = .value(column.format, isUnsigned: column.isUnsigned)
  }
}

/// The type of a parameter. Databases that need it would otherwise treat the parameter as text.
package enum SQLParameterType: Sendable, Hashable {
  /// - Parameter isUnsigned: Whether integers may exceed `Int64.max`.
  case value(ColumnFormat, isUnsigned: Bool = false)
  /// A list of values of one format.
  case list(ColumnFormat, isUnsigned: Bool = false)

  /// The primary key of a row.
  static var key: SQLParameterType { .value(.reference) }

  /// The format of the value, or of the values in the list.
  package var format: ColumnFormat {
    switch self {
    case .value(let format, _), .list(let format, _): format
    }
  }
}

/// The Swift type of a column, as a remark for readers of the table definition, if the column type does not show it.
package enum ColumnRemark: String, Sendable, Hashable {
  case boolean = "Bool"
  case unsigned = "UInt64: 8 bytes above Int64.max"
  case date = "Date: seconds since 2001-01-01 UTC"
  case decimal = "Decimal"
  case identifier = "UUID"
  case link = "URL"
  case json = "Codable: JSON"
  case transformed = "of a value transformer"
  case external = "bytes, or the number of a file"
  case encrypted = "encrypted"

  /// - Returns: nil if the column type is sufficient, and for columns of a stored schema, which has no types.
  init?(_ column: ColumnLayout, of property: PropertyLayout) {
    if property.outOfRowValue?.isEncrypted == true {
      self = .encrypted
    } else if property.outOfRowValue?.isExternal == true {
      self = .external
    } else if property.kind == .transformable {
      self = .transformed
    } else if column.isUnsigned {
      self = .unsigned
    } else {
      switch column.format {
      case .decimal: self = .decimal
      case .json: self = .json
      case .url: self = .link
      case .integer where Self.type(of: column, property) == Bool.self: self = .boolean
      case .real where Self.type(of: column, property) == Date.self: self = .date
      case .blob where Self.type(of: column, property) == UUID.self: self = .identifier
      case .integer, .real, .text, .blob, .reference: return nil
      }
    }
  }

  private static func type(of column: ColumnLayout, _ property: PropertyLayout) -> any Any.Type {
    guard let parts = property.composite?.parts else { return property.valueType }
    return parts.first { $0.path == column.path }.map { PropertyType($0.type).wrapped } ?? property.valueType
  }
}

/// The link table of a many-to-many relationship, as seen from one of its two ends.
///
/// A row has a key of its own and the keys of the two rows that it connects. For each of the two rows, it also stores
/// the position of the other row in the relationship, unless the pair's own key determines that position.
package struct LinkTableMapping: Sendable, Hashable {
  /// One of the two sides of a link table.
  package struct Side: Sendable, Hashable {
    package let column: String
    package let positionColumn: String
    /// The table of the rows on this side; nil if it is not in this store.
    package let table: String?
  }

  package static let keyColumn = DatabaseMapping.keyColumn

  package let name: String
  package let indexName: String
  /// The side of the objects that declare the relationship.
  package let owner: Side
  /// The side of the related objects.
  package let target: Side
  /// Whether this end defines the table. If two ends share a table, the first end defines it.
  package let isDefining: Bool

  /// The foreign keys of both sides, if their tables are in this store.
  var references: [TableReference] { [owner, target].compactMap(reference(of:)) }

  /// The foreign key of a side. Deleting either row deletes the pair.
  func reference(of side: Side) -> TableReference? {
    side.table.map { TableReference(table: name, column: side.column, target: $0, action: .cascade) }
  }

  static func all(
    of entity: EntityLayout, tableNames: [String: String], linkNames: LinkNames
  ) -> [Int: LinkTableMapping] {
    var links: [Int: LinkTableMapping] = [:]
    for relationship in entity.relationships {
      guard case .links(let isReversed) = relationship.storage else { continue }
      links[relationship.position] = LinkTableMapping(relationship, isReversed: isReversed, tableNames, linkNames)
    }
    return links
  }

  private init(
    _ relationship: RelationshipLayout, isReversed: Bool, _ tableNames: [String: String], _ linkNames: LinkNames
  ) {
    let own = Side(
      column: isReversed ? "target" : "owner", positionColumn: isReversed ? "owner_position" : "target_position",
      table: tableNames[relationship.entity])
    let other = Side(
      column: isReversed ? "owner" : "target", positionColumn: isReversed ? "target_position" : "owner_position",
      table: tableNames[relationship.destination])
    let end =
      isReversed
      ? (relationship.destination, relationship.inverse?.name ?? "") : (relationship.entity, relationship.name)
    name = linkNames.table(ofEnd: end.0, end.1)
    indexName = linkNames.index(ofEnd: end.0, end.1)
    owner = own
    target = other
    isDefining = !isReversed
  }
}
