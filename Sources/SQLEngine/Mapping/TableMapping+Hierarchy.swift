import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The rows of one entity in a table that it shares with the other entities of its hierarchy.
extension TableMapping {
  /// Whether the table is another entity's, which this one inherits from.
  package var isShared: Bool { entity.inheritance?.isRoot == false }

  /// The name under which the table's keys are counted, one count for all entities in it.
  package var sequenceName: String { entity.inheritance?.rootName ?? entity.name }

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
