import PersistenceRuntime
import PersistenceSupport

// Spares the library's own code the prefix.
package typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
package typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
package typealias MigrationStep = _PersistenceRuntime.MigrationStep
