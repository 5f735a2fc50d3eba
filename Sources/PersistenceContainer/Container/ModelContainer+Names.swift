import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

// Ours. They are members of Apple's type because top-level names would clash with those of programs.

extension ModelContainer {
  /// A difference between two schemas that needs code: why, and which stage can resolve it. Ours.
  public typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
  /// The progress of a migration, as Foundation's `Progress` and as an asynchronous sequence. Ours.
  public typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
  /// The description of one difference between two schemas. Ours.
  public typealias MigrationStep = _PersistenceRuntime.MigrationStep
  /// Something in a store that is not as its schema has it: what, where, and what to do. Ours.
  public typealias StoreProblem = _PersistenceRuntime.StoreProblem
}
