import PersistenceRuntime
import PersistenceSupport

/// The tables that hold the entities of a schema.
package final class DatabaseMapping: Sendable {
  /// The primary key column of every entity's table.
  package static let keyColumn = "_osd_key"
  /// The column that names the entity of a row, in the table of a hierarchy.
  package static let entityColumn = "_osd_entity"
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
  package init(
    entities: [EntityLayout], dialect: some SQLDialect, prefix: String = "", hasSpatialIndexes: Bool = true
  ) {
    let tableNames = Self.tableNames(of: entities, dialect: dialect).mapValues {
      (prefix + $0).fitted(to: dialect.longestName)
    }
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
