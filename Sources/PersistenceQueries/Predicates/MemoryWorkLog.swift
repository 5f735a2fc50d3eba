import Logging
import PersistenceSupport

/// Says what memory does for queries that a store cannot answer alone: once for each shape and process.
///
/// A shape is what the line says: the entity, and the parts that have no translation, without any values. At the level of
/// debugging, so that only programs that ask see it, and for others no text is made. May be used from any thread.
package final class MemoryWorkLog: Sendable {
  /// How many shapes are remembered. Those that come after them are not logged.
  package static let mostShapes = 1_024

  /// The log of the process; tests put another one in its place.
  @TaskLocal package static var current = MemoryWorkLog()

  private let known = Lock<Set<Int>>([])

  package init() {}

  /// How many shapes are remembered.
  package var shapeCount: Int { known.withLock { $0.count } }

  /// Logs a line unless it was logged before.
  package func say(_ line: @autoclosure () -> String, to logger: Logger) {
    guard logger.logLevel <= .debug else { return }
    let line = line()
    // The hash alone is kept: lines name generic types, whose names may be long.
    let isNew = known.withLock { $0.count < Self.mostShapes && $0.insert(line.hashValue).inserted }
    if isNew { logger.debug("\(line)") }
  }
}
