import PersistenceRuntime
import PersistenceSchemas

/// Translates a change of the schema into operations on the tables of the database.
///
/// If the columns of a table are only added, renamed or removed, the table is altered. If only its entity is renamed,
/// it is altered too, provided that foreign keys follow renamed tables. Any other changed table is recreated: the old
/// table is set aside under another name, and the new one is created and filled from it. Foreign keys that refer to a
/// table by name then refer to the new table, which has the old name. Other foreign keys are dropped and added again.
package struct DatabaseMigration {
  /// The operations of a migration, in order.
  package struct Plan: Sendable {
    /// The operations until the new tables are complete.
    package var operations: [MigrationOperation] = []
    /// The operations that follow when the old tables are no longer needed.
    package var completion: [MigrationOperation] = []
    /// The tables whose foreign keys have to be checked.
    package var checkedTables: [String] = []
    /// The columns of old tables with external values to which no row refers after the migration.
    package var lostValues: [LostValues] = []
    /// The tables that are renamed before all operations: their new names by their old names.
    package var renamedTables: [String: String] = [:]

    package var all: [MigrationOperation] { operations + completion }
  }

  /// A column of an old table with values that the migration does not keep.
  package struct LostValues: Sendable {
    package let table: String
    package let column: String
    package let test: String?
  }

  /// The prefix of a table's name while the table is set aside.
  package static let asidePrefix = "_osd_old_"

  let change: SchemaChange
  /// The tables as they are in the database before the migration.
  let before: DatabaseMapping
  /// The same tables, with the names that they have after ``renamedTables`` was applied.
  let old: DatabaseMapping
  /// The new names of the renamed tables, by their old names.
  let renamedTables: [String: String]
  let new: DatabaseMapping
  let dialect: any SQLDialect
  let definition: SchemaDefinition
  /// The table that stores the next key of each table, with its namespace.
  let sequenceTable: String
  /// Whether all old tables are kept until the operations in ``Plan/completion``.
  let keepsOld: Bool
  let defaults: MigrationDefaults
  let oldTables: [PhysicalTable]
  let newTables: [PhysicalTable]

  /// - Parameters:
  ///   - sequenceTable: The table that stores the next key of each table, with its namespace.
  ///   - defaults: The default values of the new schema's properties.
  ///   - keepsOld: Whether the old tables are kept until the completion, with ``asidePrefix`` before their names, so
  ///     that custom code can read them. Properties that custom code sets have their default or a placeholder until
  ///     then.
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

  /// The old version of a property, and the mapping with its columns; nil if there is none, or if its values are lost.
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
