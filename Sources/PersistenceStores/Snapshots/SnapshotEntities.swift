import PersistenceRuntime
import PersistenceSupport

/// Finds the entity of a snapshot that is decoded.
///
/// A decoder knows only the name of the entity, which models of several versions may share. During a call of a store
/// on this thread, the entity of this store is used. Otherwise the entity of the store that was opened last is used,
/// among the stores that have an entity of that name.
package enum SnapshotEntities {
  @TaskLocal private static var current: EntityIndex?
  private static let known = Lock<[String: EntityLayout]>([:])

  /// Runs code, and uses these entities for the snapshots that it decodes.
  package static func with<Result>(_ entities: EntityIndex, _ body: () throws -> Result) rethrows -> Result {
    try $current.withValue(entities, operation: body)
  }

  /// Records the entities of a store that was opened.
  package static func note(_ entities: EntityIndex) {
    known.withLock { known in
      for layout in entities.layouts { known[layout.name] = layout }
    }
  }

  package static func layout(named name: String) -> EntityLayout? {
    current?.layout(named: name) ?? known.withLock { $0[name] }
  }
}
