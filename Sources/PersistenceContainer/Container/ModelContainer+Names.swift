import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

// Ours, and so members of Apple's type: names at the top level would be ambiguous beside a program's own.

extension ModelContainer {
  /// A change that cannot be made from two schemas alone: why, and which stage can make it.
  public typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
  /// Hears how far a migration is: through Foundation's `Progress`, and as a sequence.
  public typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
  /// One change on the way from a schema to another, in words.
  public typealias MigrationStep = _PersistenceRuntime.MigrationStep
}
