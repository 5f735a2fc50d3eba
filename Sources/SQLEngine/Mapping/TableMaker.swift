import PersistenceRuntime
import PersistenceSupport

/// Creates the mappings of entities to tables. The entities of a class hierarchy share one table.
struct TableMaker<Dialect: SQLDialect> {
  private let entities: [EntityLayout]
  private let tableNames: [String: String]
  private let dialect: Dialect
  private let linkNames: LinkNames
  private let hasSpatialIndexes: Bool
  private var names: NameRegister
  private var made: [Int: TableMapping] = [:]

  init(
    _ entities: [EntityLayout], tableNames: [String: String], dialect: Dialect, prefix: String = "",
    hasSpatialIndexes: Bool = true
  ) {
    self.entities = entities
    self.tableNames = tableNames
    self.dialect = dialect
    self.hasSpatialIndexes = hasSpatialIndexes
    linkNames = LinkNames(of: entities, dialect: dialect, prefix: prefix)
    names = NameRegister(dialect, taken: Array(tableNames.values))
  }

  /// The tables, in the order of the entities.
  mutating func tables() -> [TableMapping] {
    for index in entities.indices.sorted(by: { entities[$0].name < entities[$1].name }) {
      let entity = entities[index]
      if entity.inheritance == nil { makeTable(of: entity, at: index) }
      if entity.inheritance?.isRoot == true { makeTables(ofFamily: entity) }
    }
    return entities.indices.compactMap { made[$0] }
  }

  private mutating func makeTable(of entity: EntityLayout, at index: Int) {
    var columnNames = NameRegister(dialect, taken: [DatabaseMapping.keyColumn] + dialect.reservedColumnNames)
    let parts = TableParts(
      of: entity, tableNames: tableNames, dialect: dialect, linkNames: linkNames, hasSpatialIndexes: hasSpatialIndexes,
      columnNames: &columnNames, names: &names)
    made[index] = TableMapping(entity, index: index, parts: parts)
  }

  private mutating func makeTables(ofFamily root: EntityLayout) {
    let ownNames = [DatabaseMapping.keyColumn, DatabaseMapping.entityColumn]
    var columnNames = NameRegister(dialect, taken: ownNames + dialect.reservedColumnNames)
    var parts: [String: TableParts] = [:]
    for entity in root.family {
      parts[entity.name] = TableParts(
        of: entity, inheriting: (entity.inheritance?.superentityNames.first).flatMap { parts[$0] },
        tableNames: tableNames, dialect: dialect, linkNames: linkNames, hasSpatialIndexes: hasSpatialIndexes,
        columnNames: &columnNames, names: &names)
    }
    // Subentities come first, because the mapping of a table needs the mappings of the subentities.
    var tables: [String: TableMapping] = [:]
    for entity in root.family.reversed() {
      guard let index = entities.firstIndex(where: { $0.name == entity.name }), let own = parts[entity.name] else {
        continue
      }
      let table = TableMapping(
        entities[index], index: index, parts: own, subtables: entity.family.dropFirst().compactMap { tables[$0.name] })
      tables[entity.name] = table
      made[index] = table
    }
  }
}

/// The parts of an entity's table that do not depend on the mappings of its subentities.
struct TableParts {
  let name: String
  private(set) var columns: [ColumnMapping] = []
  private(set) var ranges: [Range<Int>] = []
  private(set) var positionColumns: [Int: String] = [:]
  private(set) var links: [Int: LinkTableMapping] = [:]
  private(set) var indexes: [IndexMapping] = []
  /// The spatial indexes that the entity itself declares.
  private(set) var spatialIndexes: [SpatialIndexMapping] = []
  private(set) var inheritedSpatialIndexes: [SpatialIndexMapping] = []
  /// The indexes of the superentities.
  let inheritedIndexes: [IndexMapping]

  /// - Parameters:
  ///   - inherited: The parts of the superentity. Its columns precede the columns of the entity.
  ///   - linkNames: The names of all link tables.
  ///   - columnNames: The names of the table's columns that exist so far.
  init(
    of entity: EntityLayout, inheriting inherited: TableParts? = nil, tableNames: [String: String],
    dialect: some SQLDialect, linkNames: LinkNames, hasSpatialIndexes: Bool = true, columnNames: inout NameRegister,
    names: inout NameRegister
  ) {
    name = tableNames[entity.name] ?? entity.name
    columns = inherited?.columns ?? []
    ranges = inherited?.ranges ?? []
    inheritedIndexes = inherited.map { $0.inheritedIndexes + $0.indexes } ?? []
    let ownNames = ColumnNames(of: entity.properties[ranges.count...], names: &columnNames)
    for property in entity.properties[ranges.count...] {
      let start = columns.count
      for column in property.columns {
        let reference = property.kind.toOneDestination.flatMap { tableNames[$0] }.flatMap {
          ReferenceMapping(property.relationship, isOptional: column.isOptional, table: $0)
        }
        columns.append(
          ColumnMapping(
            name: ownNames[column], format: column.format, isOptional: column.isOptional,
            bit: property.bit, reference: reference, isUnsigned: column.isUnsigned,
            remark: ColumnRemark(column, of: property)))
      }
      ranges.append(start..<columns.count)
    }
    positionColumns = inherited?.positionColumns ?? [:]
    for relationship in entity.relationships where relationship.isRanked {
      guard positionColumns[relationship.position] == nil else { continue }
      let name = "\(DatabaseMapping.ownPrefix)position_\(relationship.name)"
      positionColumns[relationship.position] = columnNames.claim(name)
    }
    links = LinkTableMapping.all(of: entity, tableNames: tableNames, linkNames: linkNames)
    var plain: [[String]] = []
    for list in entity.spatialIndices {
      let columns = list.flatMap { part in part.range.map { self.columns[ranges[part.property].lowerBound + $0] } }
      let index = SpatialIndexMapping(
        columns, of: name, entity: entity.name, mayBeMissing: inherited != nil, dialect: dialect, names: &names)
      if let index, hasSpatialIndexes { spatialIndexes.append(index) } else { plain.append(columns.map(\.name)) }
    }
    inheritedSpatialIndexes = inherited.map { $0.inheritedSpatialIndexes + $0.spatialIndexes } ?? []
    indexes = IndexMapping.all(
      of: entity, columns: columns, ranges: ranges, positions: positionColumns, inherited: inheritedIndexes,
      others: plain, names: &names)
  }
}

/// Assigns unique names. If a requested name is free, it is assigned unchanged.
///
/// Swift distinguishes `url` from `URL`, but a database may not, so names are compared as the database compares them.
/// The same requests in the same order always get the same names.
///
/// Names are converted to stored form. An editor may write the same property name with other Unicode scalars. For the
/// schema of a store, the two names are equal; for the database, they would differ.
struct NameRegister {
  private let foldsCase: Bool
  private let longest: Int?
  private var taken: Set<String> = []

  init(_ dialect: any SQLDialect, taken: [String] = []) {
    foldsCase = dialect.foldsCase
    longest = dialect.longestName
    for name in taken { self.taken.insert(folded(name)) }
  }

  mutating func claim(_ wish: String) -> String {
    let wish = StoredText.form(of: wish)
    var name = wish.fitted(to: longest)
    var number = 2
    while !taken.insert(folded(name)).inserted {
      name = "\(wish)_\(number)".fitted(to: longest)
      number += 1
    }
    return name
  }

  /// Assigns a name, and reserves its variants with these suffixes. All of these names are free before the call.
  mutating func claim(_ wish: String, endings: [String]) -> String {
    let wish = StoredText.form(of: wish)
    var name = wish.fitted(to: longest)
    var number = 2
    while ([name] + endings.map { name + $0 }).contains(where: isTaken) {
      name = "\(wish)_\(number)".fitted(to: longest)
      number += 1
    }
    for name in [name] + endings.map({ name + $0 }) { taken.insert(folded(name)) }
    return name
  }

  func isTaken(_ name: String) -> Bool { taken.contains(folded(name)) }

  private func folded(_ name: String) -> String {
    guard foldsCase, name.utf8.contains(where: { (65...90).contains($0) }) else { return name }
    return String(decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}

/// The names of the columns of an entity's own properties.
///
/// A member `city` of a composite `location` requests the same name as a property `location_city`. Which of them gets
/// it must not depend on the order of declaration, because a schema does not contain this order. So properties get
/// their names before members, and both in alphabetical order.
struct ColumnNames {
  private var names: [[String]: String] = [:]

  init(of properties: ArraySlice<PropertyLayout>, names register: inout NameRegister) {
    let columns = properties.flatMap(\.columns).sorted { first, second in
      first.path.count == second.path.count
        ? first.path.lexicographicallyPrecedes(second.path) : first.path.count < second.path.count
    }
    for column in columns where names[column.path] == nil {
      names[column.path] = register.claim(column.name)
    }
  }

  subscript(column: ColumnLayout) -> String { names[column.path] ?? column.name }
}

extension String {
  /// The name itself, if its bytes fit into the database's limit; otherwise its beginning and a hash of the whole name.
  /// Databases truncate long names silently, so two long names with the same beginning would become equal.
  package func fitted(to longest: Int?) -> String {
    guard let longest, utf8.count > longest else { return self }
    let mark = "_" + String(StableHash.shortValue(of: utf8), radix: 36)
    var room = longest - mark.utf8.count
    let kept = unicodeScalars.prefix { scalar in
      room -= UTF8.width(scalar)
      return room >= 0
    }
    return String(kept) + mark
  }
}

/// The names of the link tables and of their indexes.
///
/// Several relationships may request the same name: `c` of an entity `A_b` and `b_c` of an entity `A`, or the index of
/// `r` and the table of `r_target`. Which of them gets it must not depend on the order of models and properties. So the
/// relationships that define a table get their names in alphabetical order. All tables get their names before the
/// indexes, because an index is cheaper to recreate.
struct LinkNames {
  private var tables: [[String]: String] = [:]
  private var indexes: [[String]: String] = [:]
  private let prefix: String
  private let longestName: Int?

  /// - Parameter prefix: The prefix of all names. A migration uses it for the old tables that it has set aside.
  init(of entities: [EntityLayout], dialect: some SQLDialect, prefix: String) {
    self.prefix = prefix
    longestName = dialect.longestName
    let defining = entities.flatMap(\.relationships).filter { $0.storage == .links(isReversed: false) }
    let ends = Set(defining.map { [$0.entity, $0.name] }).sorted { $0.lexicographicallyPrecedes($1) }
    // Names are assigned without the prefix: a table that is set aside gets the prefix before its former name.
    var register = NameRegister(dialect)
    for end in ends { tables[end] = register.claim(Self.wish(of: end)) }
    for end in ends { indexes[end] = register.claim("\(tables[end] ?? Self.wish(of: end))_target") }
  }

  /// The name of the link table that a relationship defines.
  func table(ofEnd entity: String, _ relationship: String) -> String {
    prefixed(tables[[entity, relationship]] ?? Self.wish(of: [entity, relationship]))
  }

  /// The name of the index on the second column of the link table that a relationship defines.
  func index(ofEnd entity: String, _ relationship: String) -> String {
    prefixed(indexes[[entity, relationship]] ?? "\(Self.wish(of: [entity, relationship]))_target")
  }

  private func prefixed(_ name: String) -> String { (prefix + name.fitted(to: longestName)).fitted(to: longestName) }

  private static func wish(of end: [String]) -> String {
    ([DatabaseMapping.ownPrefix + "link"] + end).joined(separator: "_")
  }
}
