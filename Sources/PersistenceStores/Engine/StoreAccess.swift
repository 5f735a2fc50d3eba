import Foundation
import PersistenceRuntime

/// A custom store, used by one call at a time.
final class StoreAccess<Store: DataStore>: @unchecked Sendable {
  // Unchecked: the store need not be Sendable. It is used only while the lock is held, and never returned.
  private let store: Store
  private let entities: EntityIndex
  /// Recursive, because a store may use a container of its own that calls the store again.
  private let lock = NSRecursiveLock()

  init(_ store: Store, _ entities: EntityIndex) {
    self.store = store
    self.entities = entities
  }

  /// Runs a call. Snapshots that the call decodes have the store's entities.
  func run<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotEntities.with(entities) { try body(store) }
  }
}
