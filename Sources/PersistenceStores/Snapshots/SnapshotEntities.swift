import PersistenceRuntime
import PersistenceSupport

/// The entities of decoded snapshots.
///
/// A decoder does not know the models of its values: models of several versions may share an entity name. So the store
/// whose call is running on this thread has priority, and then the store that was opened last.
package enum SnapshotEntities {
  @TaskLocal private static var current: EntityIndex?
  private static let known = Lock<[String: EntityLayout]>([:])

  /// Runs code that decodes snapshots of some entities.
  package static func with<Result>(_ entities: EntityIndex, _ body: () throws -> Result) rethrows -> Result {
    try $current.withValue(entities, operation: body)
  }

  /// Records the entities of an opened store.
  package static func note(_ entities: EntityIndex) {
    known.withLock { known in
      for layout in entities.layouts { known[layout.name] = layout }
    }
  }

  package static func layout(named name: String) -> EntityLayout? {
    current?.layout(named: name) ?? known.withLock { $0[name] }
  }
}
