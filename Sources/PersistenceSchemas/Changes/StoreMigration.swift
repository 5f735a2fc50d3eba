import PersistenceRuntime

/// A store that is being migrated, implemented by each database engine. All changes are committed together at the end
/// of the migration; if it fails, none of them is.
package protocol StoreMigration: AnyObject {
  /// Changes the store's schema.
  ///
  /// - Parameters:
  ///   - transform: The code of the stage. It gets an engine that reads the old rows and an engine for the new rows.
  ///     Nil if the stage has no code that needs both.
  func change(
    _ change: SchemaChange, from old: MigrationSchema, to new: MigrationSchema,
    transform: ((_ old: any StoreEngine, _ new: any StoreEngine) throws -> Void)?) throws

  /// Calls `body` with an engine of the store, which is valid only during the call. What this engine commits is rolled
  /// back if the migration fails later.
  func withEngine(of schema: MigrationSchema, _ body: (any StoreEngine) throws -> Void) throws
}

/// The stages of a migration from the schema of a store to another schema, as a database engine needs them.
///
/// The engine prepares the store for the first schema, runs the stages, and records the last schema. Only
/// ``run(on:reporter:)`` runs the code that the program declares for a stage.
package protocol MigrationSteps: Sendable {
  var resolvedStages: [any ResolvedMigrationStage] { get }

  /// Runs all stages on a store.
  ///
  /// - Throws: `SwiftDataError`, whose underlying error is the error of a stage. The caller must then roll back.
  func run(on store: any StoreMigration, reporter: MigrationReporter) throws
}

/// One stage of a migration, as a database engine needs it.
package protocol ResolvedMigrationStage: Sendable {
  var from: MigrationSchema { get }
  var to: MigrationSchema { get }
  /// The difference between the two schemas.
  var change: SchemaChange { get }
  /// Whether the engine must keep the old rows until the code of the stage has read them.
  var keepsOld: Bool { get }
}
