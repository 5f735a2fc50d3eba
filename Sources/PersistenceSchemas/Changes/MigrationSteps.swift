/// The stages from a store's schema to another one, for an engine.
///
/// An engine prepares for the first schema, runs the stages and records the last schema. Only ``run(on:reporter:)``
/// knows the code of custom stages.
package protocol MigrationSteps: Sendable {
  /// The stages in order.
  var legs: [any MigrationLeg] { get }

  /// Runs all stages on a store.
  ///
  /// - Throws: `SwiftDataError`, with the error of a stage as its cause. The caller rolls the migration back.
  func run(on store: any StoreMigration, reporter: MigrationReporter) throws
}

/// One stage of a migration, for an engine.
package protocol MigrationLeg: Sendable {
  var from: MigrationSchema { get }
  var to: MigrationSchema { get }
  /// The difference between the schemas.
  var change: SchemaChange { get }
  /// Whether the old rows must exist until the stage's code has read them.
  var keepsOld: Bool { get }
}
