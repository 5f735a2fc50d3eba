import PersistenceRuntime

/// A store under migration. Either all changes of the migration become visible, or none.
///
/// The interface between migrations and databases. An engine translates schema changes to its statements.
package protocol StoreMigration: AnyObject {
  /// Changes the store's schema.
  ///
  /// - Parameters:
  ///   - transform: Called with a read-only engine of the old rows and an engine of the new rows; nil if no code needs
  ///     both engines.
  func change(
    _ change: SchemaChange, from old: MigrationSchema, to new: MigrationSchema,
    transform: ((_ old: any StoreEngine, _ new: any StoreEngine) throws -> Void)?) throws

  /// Lends an engine of the store with its current schema. Its commits are part of the migration.
  func withEngine(of schema: MigrationSchema, _ body: (any StoreEngine) throws -> Void) throws
}

/// The stages that lead from the schema of a store to another schema, in the form that an engine uses.
///
/// An engine prepares for the first schema, runs the stages, and records the last schema. Only ``run(on:reporter:)``
/// has access to the code of a stage.
package protocol MigrationSteps: Sendable {
  /// The stages in their order.
  var resolvedStages: [any ResolvedMigrationStage] { get }

  /// Runs all stages on a store.
  ///
  /// - Throws: `SwiftDataError`, with the error of a stage as its cause. The caller then rolls the migration back.
  func run(on store: any StoreMigration, reporter: MigrationReporter) throws
}

/// One stage of a migration, in the form that an engine uses.
package protocol ResolvedMigrationStage: Sendable {
  var from: MigrationSchema { get }
  var to: MigrationSchema { get }
  /// The difference between the two schemas.
  var change: SchemaChange { get }
  /// Whether the old rows are kept until the code of the stage has read them.
  var keepsOld: Bool { get }
}
