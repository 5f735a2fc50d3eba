import PersistenceRuntime

/// Finds the entities of a store by name.
package protocol EntityDirectory: AnyObject, Sendable {
  /// The entity with a name; nil if the store lacks it.
  func layout(named name: String) -> EntityLayout?
}

extension StoreCoordinator: EntityDirectory {}
