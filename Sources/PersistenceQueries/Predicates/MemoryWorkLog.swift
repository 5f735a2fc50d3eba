import Logging
import PersistenceSupport

/// Logs which queries are partly evaluated in memory, once per shape and process. Thread-safe.
///
/// A shape is the message: the entity and the untranslatable parts, without values. The level is debug; at higher
/// levels no message is composed.
package final class MemoryWorkLog: Sendable {
  /// The maximum number of shapes. Later ones are not logged.
  package static let mostShapes = 1_024

  /// The log of the process; tests replace it.
  @TaskLocal package static var current = MemoryWorkLog()

  private let known = Lock<Set<Int>>([])

  package init() {}

  /// The number of logged shapes.
  package var shapeCount: Int { known.withLock { $0.count } }

  /// Logs a message unless it was logged before.
  package func say(_ line: @autoclosure () -> String, to logger: Logger) {
    guard logger.logLevel <= .debug else { return }
    let line = line()
    // Only the hash is stored: messages contain names of generic types, which may be long.
    let isNew = known.withLock { $0.count < Self.mostShapes && $0.insert(line.hashValue).inserted }
    if isNew { logger.debug("\(line)") }
  }
}
