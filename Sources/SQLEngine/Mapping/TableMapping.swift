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
  /// The column of the originals of a row, where rows have them (``SQLDialect/originalsColumn``).
  package static let originalsColumn = ownPrefix + "originals"
  /// How the names of the tables begin that are not an entity's.
  package static let ownPrefix = "_osd_"

  package let tables: [TableMapping]
  /// Whether there are indexes over points, which not every database can make.
  package let hasSpatialIndexes: Bool
  private let positions: [ObjectIdentifier: Int]
  private let names: [String: Int]

  /// - Parameters:
  ///   - prefix: What stands before the names of all tables, where a migration has put the old ones aside.
  ///   - hasSpatialIndexes: Whether indexes over points are made; plain ones take their place where they are not.
  ///   - otherNames: The names of tables that a migration has given other ones, by their entities.
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

  /// The same tables, with plain indexes in the place of those over points.
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

  /// The table of an entity of which only the name is known.
  package func table(named name: String) -> TableMapping? {
    names[name].map { tables[$0] }
  }

  private static func tableNames(of entities: [EntityLayout], dialect: some SQLDialect) -> [String: String] {
    var register = NameRegister(dialect)
    var result: [String: String] = [:]
    let reserved = dialect.reservedTablePrefixes + [ownPrefix]
    // In alphabetical order, so that names do not depend on the order in which models are listed.
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

/// The table that holds one entity; the entities of a hierarchy share that of their root.
package final class TableMapping: Sendable {
  package let entity: EntityLayout
  /// The position of the table in its database, by which connections keep its statements.
  package let index: Int
  package let name: String
  package let columns: [ColumnMapping]
  /// The columns of each property, as a range of ``columns``.
  package let columnRanges: [Range<Int>]
  /// The columns that say where a row stands in the to-many relationship that leads to it, by position of the property
  /// that leads back.
  package let positionColumns: [Int: String]
  /// The tables that hold the pairs of relationships, by position of the property.
  package let links: [Int: LinkTableMapping]
  package let indexes: [IndexMapping]
  /// What must be unique among the rows of the entity, by its own rules and those that it inherits.
  let uniqueIndexes: [IndexMapping]
  /// The indexes over points that the entity declares.
  package let spatialIndexes: [SpatialIndexMapping]
  /// What the indexes of the table have of decimal columns, by name.
  let decimalIndexes: [String: DecimalIndex]
  /// All indexes over points of the table, those that are most likely of use first.
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

  /// The format of a column of the entity or of one that inherits from it; nil when it belongs to no property.
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
  /// The entity that a to-one relationship leads to.
  var toOneDestination: String? {
    if case .toOne(let destination) = self { return destination }
    return nil
  }
}

extension RelationshipLayout {
  /// Whether rows have a position among those that refer to the same row. The table has the column whether or not the
  /// inverse relationship is ordered.
  var isRanked: Bool { storage == .column && inverse?.isToMany == true }
}

/// The rows of one entity in a table that it shares with the other entities of its hierarchy.
extension TableMapping {
  /// Whether the table is another entity's, which this one inherits from.
  package var isShared: Bool { entity.inheritance?.isRoot == false }

  /// The name under which the table's keys are counted, one count for all entities in it.
  package var sequenceName: String { StoredText.form(of: entity.inheritance?.rootName ?? entity.name) }

  /// Whether the entity declares a property itself, and does not inherit it.
  func isOwn(_ position: Int) -> Bool { position >= entity.inheritance?.firstPosition ?? 0 }

  /// The properties of all entities in the table, each once, with the mapping of the entity that declares it.
  package var declaredProperties: [(table: TableMapping, property: PropertyLayout)] {
    ([self] + subtables).flatMap { table in
      table.entity.properties.filter { table.isOwn($0.position) }.map { (table: table, property: $0) }
    }
  }

  /// The columns that the entity adds to those that it inherits.
  package var ownColumns: ArraySlice<ColumnMapping> {
    let inherited = entity.inheritance?.firstPosition ?? 0
    guard columnRanges.indices.contains(inherited) else { return columns[columns.count...] }
    return columns[columnRanges[inherited].lowerBound...]
  }

  /// The tables of pairs that are made for the entity, in the order of its properties.
  var ownLinks: [LinkTableMapping] {
    links.filter { isOwn($0.key) && $0.value.isDefining }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The references of the columns that the entity adds, and of its tables of pairs.
  var ownReferences: [TableReference] {
    let columns = ownColumns.compactMap { column in
      column.reference.map {
        TableReference(table: name, column: column.name, target: $0.table, action: $0.action)
      }
    }
    return columns + ownLinks.flatMap(\.references)
  }

  /// Tells the rows of the entity, and of those that inherit from it, from the others in the table; nil where there are
  /// no others.
  ///
  /// - Parameter isSearched: Whether rows may be found by their entity, which is of no use beside an index over points.
  package func rowTest(
    includesSubentities: Bool, of source: String = "", isSearched: Bool = true, dialect: any SQLDialect
  ) -> String? {
    guard let inheritance = entity.inheritance, !(inheritance.isRoot && includesSubentities) else { return nil }
    let names = includesSubentities ? entity.family.map(\.name) : [entity.name]
    return Self.test(for: names, of: source, isSearched: isSearched, dialect: dialect)
  }

  /// Whether a row is of one of some entities.
  ///
  /// - Parameters:
  ///   - source: What stands before each column, with the point behind it.
  ///   - isSearched: Whether rows may be found by their entity.
  package static func test(
    for entities: [String], of source: String = "", isSearched: Bool = true, dialect: any SQLDialect
  ) -> String {
    let names = entities.map { dialect.literal(.text(StoredText.form(of: $0))) }
    let column = source + dialect.quoted(DatabaseMapping.entityColumn)
    let operand = isSearched ? column : dialect.unsearched(column)
    return names.count == 1 ? "\(operand) = \(names[0])" : "\(operand) IN (\(names.joined(separator: ", ")))"
  }
}

/// The table that a column refers to, and what happens to a row when the row that it refers to is deleted.
package struct ReferenceMapping: Sendable, Hashable {
  package let table: String
  package let action: ReferenceAction

  /// - Returns: nil where the models are to look after references themselves.
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

/// One column of an entity's table, under the name that it has in the database.
package struct ColumnMapping: Sendable, Hashable {
  package let name: String
  package let format: ColumnFormat
  package let isOptional: Bool
  /// The bit of the column's property in masks.
  package let bit: UInt64
  /// Where a reference leads.
  package let reference: ReferenceMapping?
  /// Whether the numbers go beyond those of 64 bits with a sign, so that the greatest are stored as bytes.
  package var isUnsigned = false
  /// What the definition of the table says of the column.
  var remark: ColumnRemark?

  /// Whether values may differ from their stored form.
  package var mayHaveOriginals: Bool { format == .text || format == .real }
}

extension SQLParameterType {
  /// The type of the values in a column.
  init(_ column: ColumnMapping) {
    self = .value(column.format, isUnsigned: column.isUnsigned)
  }
}

/// The type of a parameter, for databases that take it for a text otherwise.
package enum SQLParameterType: Sendable, Hashable {
  /// - Parameter isUnsigned: Whether whole numbers go beyond those of 64 bits with a sign.
  case value(ColumnFormat, isUnsigned: Bool = false)
  /// A list of such values.
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

/// What a column holds, for people who look at the definition of its table, where the column's type does not say it.
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

  /// - Returns: nil for a column whose type says what it holds, and for one of a stored schema, which has no types.
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

/// The table that holds the pairs of a relationship, as one of its two ends sees it.
///
/// A row has a number, the keys of the two rows that it connects, and for each of them where the other one stands in its
/// relationship, when that is not where the number puts it.
package struct LinkTableMapping: Sendable, Hashable {
  /// One of the two sides of a pair.
  package struct Side: Sendable, Hashable {
    package let column: String
    package let positionColumn: String
    /// The table of the rows on this side, nil when it is not in this store.
    package let table: String?
  }

  package static let keyColumn = DatabaseMapping.keyColumn

  package let name: String
  package let indexName: String
  /// The side of the objects that have the relationship.
  package let owner: Side
  /// The side of the objects that the relationship holds.
  package let target: Side
  /// Whether the table is made for this end; of two ends that share one it is the first.
  package let isDefining: Bool

  /// The references of both sides, as far as their rows are in this store.
  var references: [TableReference] { [owner, target].compactMap(reference(of:)) }

  /// The reference of a side. A pair goes with either of its rows.
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
