import PersistenceRuntime

/// A store whose content goes from one schema to another: everything that is done to it happens, or nothing.
///
/// The seam between migrations and databases. An engine turns changes of schemas into its own statements.
package protocol StoreMigration: AnyObject {
  /// Makes the store one of another schema.
  ///
  /// - Parameters:
  ///   - transform: Called with an engine of the old rows, which cannot be changed, and one of the new; nil when nobody
  ///     wants to see both.
  func change(
    _ change: SchemaChange, from old: MigrationSchema, to new: MigrationSchema,
    transform: ((_ old: any StoreEngine, _ new: any StoreEngine) throws -> Void)?) throws

  /// Lends an engine of the store as it is, of the schema that it has. What it commits is part of the migration.
  func withEngine(of schema: MigrationSchema, _ body: (any StoreEngine) throws -> Void) throws
}
