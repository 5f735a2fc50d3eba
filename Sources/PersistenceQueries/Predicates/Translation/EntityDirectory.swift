import PersistenceRuntime

/// Knows the entities that relationships lead to.
package protocol EntityDirectory: AnyObject, Sendable {
  /// The entity of a name; nil when it is not in the same store.
  func layout(named name: String) -> EntityLayout?
}

extension StoreCoordinator: EntityDirectory {}
