import PersistenceRuntime
import PersistenceSchemas

/// Turns the change of a schema into operations on the tables of a database.
///
/// A table whose columns are only added, renamed or removed is altered. So is one whose entity gets another name, where
/// references follow the new name. Any other table that changes is renamed, made anew under its name, and filled from
/// the old one. Where references name tables, nothing that refers to it has to change, for the new table has the name
/// of the old one; where they do not, they are removed first and added at the end.
package struct DatabaseMigration {
  /// Operations in their order.
  package struct Plan: Sendable {
    /// Up to the point at which the new tables are whole.
    package var operations: [MigrationOperation] = []
    /// What is done when the old tables are not needed any more.
    package var completion: [MigrationOperation] = []
    /// The tables whose references have to be checked.
    package var checkedTables: [String] = []
    /// External values that rows of the old tables refer to and no row of the new ones.
    package var lostValues: [LostValues] = []
    /// The names that old tables get before anything else, by those that they had.
    package var renamedTables: [String: String] = [:]

    package var all: [MigrationOperation] { operations + completion }
  }

  /// A column of an old table whose values are gone with the migration.
  package struct LostValues: Sendable {
    package let table: String
    package let column: String
    package let test: String?
  }

  /// What the names of old tables get that are put aside.
  package static let asidePrefix = "_osd_old_"

  let change: SchemaChange
  /// The tables as the database has them.
  let before: DatabaseMapping
  /// The same, with the names that some get before anything else.
  let old: DatabaseMapping
  /// These names, by those that the tables had.
  let renamedTables: [String: String]
  let new: DatabaseMapping
  let dialect: any SQLDialect
  let definition: SchemaDefinition
  /// The table that counts keys, as statements name it.
  let sequenceTable: String
  /// Whether all old tables are kept until the completion.
  let keepsOld: Bool
  let defaults: MigrationDefaults
  let oldTables: [PhysicalTable]
  let newTables: [PhysicalTable]

  /// - Parameters:
  ///   - sequenceTable: The table that counts keys, as statements name it, with the namespace that it is in.
  ///   - defaults: What the columns of the properties of the new schema hold by default.
  ///   - keepsOld: Whether the old tables are to stay readable, under their names with ``asidePrefix``, until the
  ///     completion; what needs code then has its default, or whatever stands in for one.
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

  /// Works out the operations.
  package func planned() -> Plan {
    var planner = MigrationPlanner(self)
    return planner.planned()
  }

  // MARK: What was

  func oldTable(of entity: String) -> PhysicalTable? {
    let name = change.oldName(of: entity)
    return oldTables.first { $0.members.contains { $0.entity.name == name } }
  }

  /// The old version of a property, with the mapping that has its columns; nil when it has none or is of no use.
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
