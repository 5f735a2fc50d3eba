import PersistenceRuntime
import PersistenceSchemas

/// Turns a schema change into operations on the tables of a database.
///
/// A table whose columns are only added, renamed or removed is altered. So is a table whose entity is renamed, if
/// foreign keys follow renamed tables. Any other changed table is set aside under another name, recreated under its own
/// name, and filled from the old one. If foreign keys name their tables, they need no change, since the new table has
/// the name of the old one. Otherwise foreign keys are dropped first and added at the end.
package struct DatabaseMigration {
  /// The operations in order.
  package struct Plan: Sendable {
    /// The operations up to the point at which the new tables are complete.
    package var operations: [MigrationOperation] = []
    /// The operations after the old tables are no longer needed.
    package var completion: [MigrationOperation] = []
    /// The tables whose foreign keys have to be checked.
    package var checkedTables: [String] = []
    /// External values that only rows of the old tables reference.
    package var lostValues: [LostValues] = []
    /// The tables that are renamed before anything else: new names by old name.
    package var renamedTables: [String: String] = [:]

    package var all: [MigrationOperation] { operations + completion }
  }

  /// A column of an old table whose values the migration discards.
  package struct LostValues: Sendable {
    package let table: String
    package let column: String
    package let test: String?
  }

  /// The prefix of the names under which old tables are set aside.
  package static let asidePrefix = "_osd_old_"

  let change: SchemaChange
  /// The tables as they are in the database.
  let before: DatabaseMapping
  /// The same tables, under the names after ``renamedTables``.
  let old: DatabaseMapping
  /// The new table names by old name.
  let renamedTables: [String: String]
  let new: DatabaseMapping
  let dialect: any SQLDialect
  let definition: SchemaDefinition
  /// The table of key sequences, qualified.
  let sequenceTable: String
  /// Whether all old tables are kept until the completion.
  let keepsOld: Bool
  let defaults: MigrationDefaults
  let oldTables: [PhysicalTable]
  let newTables: [PhysicalTable]

  /// - Parameters:
  ///   - sequenceTable: The table of key sequences, qualified with its namespace.
  ///   - defaults: The defaults of the new schema's properties.
  ///   - keepsOld: Whether the old tables stay readable until the completion, under their names with ``asidePrefix``.
  ///     Properties that custom code must set then have their default or a placeholder.
  package init(
    _ change: SchemaChange, from old: DatabaseMapping, to new: DatabaseMapping,
    defaults: MigrationDefaults, keepsOld: Bool, sequenceTable: String, dialect: any SQLDialect
  ) {
    self.change = change
    before = old
    let renamings = keepsOld ? [] : Self.renamings(change, from: old, to: new, dialect)
    renamedTables = Dictionary(renamings.map { ($0.old, $0.new) }) { first, _ in first }
    let renamed = renamings.isEmpty ? old : Self.mapping(old, renamedBy: renamings, dialect)
    self.old = renamed
    self.new = new
    self.dialect = dialect
    self.definition = SchemaDefinition(dialect: dialect)
    self.defaults = defaults
    self.keepsOld = keepsOld
    self.sequenceTable = sequenceTable
    let definition = self.definition
    oldTables = renamed.tables.filter { !$0.isShared }.map { PhysicalTable($0, definition: definition) }
    newTables = new.tables.filter { !$0.isShared }.map { PhysicalTable($0, definition: definition) }
  }

  /// Computes the operations.
  package func planned() -> Plan {
    var planner = MigrationPlanner(self)
    return planner.planned()
  }

  // MARK: The old schema

  func oldTable(of entity: String) -> PhysicalTable? {
    let name = change.oldName(of: entity)
    return oldTables.first { $0.members.contains { $0.entity.name == name } }
  }

  /// The old version of a property and the mapping with its columns; nil if there is none, or its values are not kept.
  func oldProperty(_ name: String, in entity: String) -> (TableMapping, PropertyLayout)? {
    guard let source = change.source(of: name, in: entity), let table = old.table(named: change.oldName(of: entity))
    else { return nil }
    return table.entity.property(named: source).map { (table, $0) }
  }

  func oldColumn(_ path: [String], of property: PropertyLayout, in table: TableMapping) -> ColumnMapping? {
    guard let index = property.columns.firstIndex(where: { $0.path == path }) else { return nil }
    let columns = table.columns(of: property.position)
    return columns.dropFirst(index).first
  }

  func standard(_ path: [String], of property: PropertyLayout, in entity: String) -> StoredValue? {
    guard let values = defaults.values[entity]?[property.name],
      let index = property.columns.firstIndex(where: { $0.path == path }), values.indices.contains(index)
    else { return nil }
    return values[index]
  }
}
