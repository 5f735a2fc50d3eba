import PersistenceRuntime
import PersistenceSupport

// The library's own code is spared the prefix.
package typealias MigrationObstacle = _PersistenceRuntime.MigrationObstacle
package typealias MigrationProgress = _PersistenceRuntime.MigrationProgress
package typealias MigrationStep = _PersistenceRuntime.MigrationStep
