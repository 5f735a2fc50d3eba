import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The tables of a schema, with the entities that they contain.
package final class DatabaseMapping: Sendable {
  /// The primary key column of every entity's table.
  package static let keyColumn = "_osd_key"
  /// The column that names the entity of a row, in a table with several entities.
  package static let entityColumn = "_osd_entity"
  /// The column that contains a row's originals, if the dialect has this column (``SQLDialect/originalsColumn``).
  package static let originalsColumn = ownPrefix + "originals"
  /// The prefix of the names of tables and columns that the library adds for itself.
  package static let ownPrefix = "_osd_"

  package let tables: [TableMapping]
  /// Whether the database has spatial indexes (R-trees), which not every database supports.
  package let hasSpatialIndexes: Bool
  private let positions: [ObjectIdentifier: Int]
  private let names: [String: Int]

  /// - Parameters:
  ///   - prefix: The prefix of all table names. A migration uses it for the old tables that it has set aside.
  ///   - hasSpatialIndexes: Whether to create spatial indexes. If not, plain indexes are created instead.
  ///   - otherNames: The names of the tables that a migration has renamed, by entity.
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

  /// A mapping to the same tables in which plain indexes replace the spatial indexes.
  package func withoutSpatialIndexes(_ dialect: some SQLDialect) -> DatabaseMapping {
    DatabaseMapping(entities: tables.map(\.entity), dialect: dialect, hasSpatialIndexes: false)
  }

  /// The table of an entity.
  ///
  /// - Throws: `SwiftDataError.storeFailure` if the store was opened without the entity.
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
    // In alphabetical order, because names must not depend on the order in which the program lists its models.
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

/// The table of one entity. The entities of a class hierarchy share the table of their root.
package final class TableMapping: Sendable {
  package let entity: EntityLayout
  /// The index of the table in the mapping. Connections use it to cache the table's statements.
  package let index: Int
  package let name: String
  package let columns: [ColumnMapping]
  /// The columns of each property, as a range of ``columns``.
  package let columnRanges: [Range<Int>]
  /// The columns that contain a row's position in the list of its owner, by the index of the row's property that refers
  /// to the owner.
  package let positionColumns: [Int: String]
  /// The link tables of many-to-many relationships, by the index of the property.
  package let links: [Int: LinkTableMapping]
  package let indexes: [IndexMapping]
  /// The unique indexes of the entity, including inherited ones.
  let uniqueIndexes: [IndexMapping]
  /// The spatial indexes that the entity declares.
  package let spatialIndexes: [SpatialIndexMapping]
  /// What the indexes of a decimal column contain, by column name. Only columns whose sort keys are indexed are listed.
  let decimalIndexes: [String: DecimalIndex]
  /// All spatial indexes of the table. The entity's own ones come first, because queries most likely use these.
  let searchableSpatialIndexes: [SpatialIndexMapping]
  /// The mappings of all entities that inherit from this one, in the order of the entity's family.
  package let subtables: [TableMapping]

  /// - Parameter subtables: The mappings of the entities that inherit from the entity.
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

  /// The columns of the properties whose bits are set in a mask, in the order in which the properties are declared.
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
  /// Whether rows store their position in the list of their owner. The column exists even if the list is not ordered.
  var isRanked: Bool { storage == .column && inverse?.isToMany == true }
}

/// For a table that several entities of a class hierarchy share, these members describe the rows of one of them.
extension TableMapping {
  /// Whether the table belongs to a superentity of this entity.
  package var isShared: Bool { entity.inheritance?.isRoot == false }

  /// The name under which the table's next key is stored. All entities in the table share it.
  package var sequenceName: String { StoredText.form(of: entity.inheritance?.rootName ?? entity.name) }

  /// Whether the entity declares a property itself rather than inheriting it.
  func isOwn(_ position: Int) -> Bool { position >= entity.inheritance?.firstPosition ?? 0 }

  /// The properties of all entities in the table, each with the mapping of the entity that declares it.
  package var declaredProperties: [(table: TableMapping, property: PropertyLayout)] {
    ([self] + subtables).flatMap { table in
      table.entity.properties.filter { table.isOwn($0.position) }.map { (table: table, property: $0) }
    }
  }

  /// The columns of the properties that the entity itself declares.
  package var ownColumns: ArraySlice<ColumnMapping> {
    let inherited = entity.inheritance?.firstPosition ?? 0
    guard columnRanges.indices.contains(inherited) else { return columns[columns.count...] }
    return columns[columnRanges[inherited].lowerBound...]
  }

  /// The link tables that the entity defines, in the order of its properties.
  var ownLinks: [LinkTableMapping] {
    links.filter { isOwn($0.key) && $0.value.isDefining }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The foreign keys of the entity's own columns and of its link tables.
  var ownReferences: [TableReference] {
    let columns = ownColumns.compactMap { column in
      column.reference.map {
        TableReference(table: name, column: column.name, target: $0.table, action: $0.action)
      }
    }
    return columns + ownLinks.flatMap(\.references)
  }

  /// The condition that selects the rows of the entity and, if wanted, those of its subentities. Nil if the table has
  /// no other rows.
  ///
  /// - Parameter isSearched: Whether the database may use the index on the entity column. Pass false if a spatial index
  ///   is used.
  package func rowTest(
    includesSubentities: Bool, of source: String = "", isSearched: Bool = true, dialect: any SQLDialect
  ) -> String? {
    guard let inheritance = entity.inheritance, !(inheritance.isRoot && includesSubentities) else { return nil }
    let names = includesSubentities ? entity.family.map(\.name) : [entity.name]
    return Self.test(for: names, of: source, isSearched: isSearched, dialect: dialect)
  }

  /// The condition that selects the rows of the given entities.
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

/// The table to which a column refers, and what happens to the referring row when the referenced row is deleted.
package struct ReferenceMapping: Sendable, Hashable {
  package let table: String
  package let action: ReferenceAction

  /// - Returns: nil if the delete rule is `noAction`: the database then does not check the reference.
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
  /// The bit that represents the column's property in bit masks of properties.
  package let bit: UInt64
  /// The table to which the column refers; nil if the column is no foreign key.
  package let reference: ReferenceMapping?
  /// Whether the column contains unsigned integers. Those above `Int64.max` are stored as bytes.
  package var isUnsigned = false
  /// The remark about the column in the definition of the table.
  var remark: ColumnRemark?

  /// Whether values of the column may differ from their stored form. Such values have originals (``OriginalNotes``).
  package var mayHaveOriginals: Bool { format == .text || format == .real }
}

extension SQLParameterType {
  /// The type of a column's values.
  init(_ column: ColumnMapping) {
    self = .value(column.format, isUnsigned: column.isUnsigned)
  }
}

/// The type of a parameter, for databases that would otherwise treat the parameter as text.
package enum SQLParameterType: Sendable, Hashable {
  /// - Parameter isUnsigned: Whether the integers may exceed `Int64.max`.
  case value(ColumnFormat, isUnsigned: Bool = false)
  /// A list of values that have the same format.
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

/// A remark in the definition of a table that names the Swift type of a column, if the column's type does not show it.
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

  /// - Returns: nil if the column's type shows the Swift type. Also nil for stored schemas, which have no Swift types.
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

/// The link table of a many-to-many relationship, described for one of the two entities that it connects.
///
/// A row of the table is a pair. It has its own key and the keys of the two rows that it connects. For each of the two
/// rows, it also stores the position of the other row in its list; NULL if the pair's own key is the position.
package struct LinkTableMapping: Sendable, Hashable {
  /// One of the two sides of a link table.
  package struct Side: Sendable, Hashable {
    package let column: String
    package let positionColumn: String
    /// The table of the rows on this side; nil if that table is in another store.
    package let table: String?
  }

  package static let keyColumn = DatabaseMapping.keyColumn

  package let name: String
  package let indexName: String
  /// The column and table of the objects that own the list.
  package let owner: Side
  /// The column and table of the members of the list.
  package let target: Side
  /// Whether this relationship defines the table. If two inverse relationships share a table, the first defines it.
  package let isDefining: Bool

  /// The foreign keys of both sides. A side whose table is in another store has none.
  var references: [TableReference] { [owner, target].compactMap(reference(of:)) }

  /// The foreign key of a side. If the row on this side is deleted, the database deletes the pair.
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
