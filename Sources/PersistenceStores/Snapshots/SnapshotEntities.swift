import PersistenceRuntime
import PersistenceSupport

/// The entities of which snapshots are decoded.
///
/// A decoder does not say which models its values are of: a name of an entity may mean models of several versions. So a
/// store that is being asked comes first, on its thread, and else the store that was opened last.
package enum SnapshotEntities {
  @TaskLocal private static var current: EntityIndex?
  private static let known = Lock<[String: EntityLayout]>([:])

  /// Runs code that decodes snapshots of some entities.
  package static func with<Result>(_ entities: EntityIndex, _ body: () throws -> Result) rethrows -> Result {
    try $current.withValue(entities, operation: body)
  }

  /// Notes the entities of a store that is opened.
  package static func note(_ entities: EntityIndex) {
    known.withLock { known in
      for layout in entities.layouts { known[layout.name] = layout }
    }
  }

  package static func layout(named name: String) -> EntityLayout? {
    current?.layout(named: name) ?? known.withLock { $0[name] }
  }
}
