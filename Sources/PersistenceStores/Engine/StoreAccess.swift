import Foundation
import PersistenceRuntime

/// Calls a custom store, with one call at a time.
final class StoreAccess<Store: DataStore>: @unchecked Sendable {
  // Unchecked: the store need not be Sendable. It is called only while the lock is held, and is never returned.
  private let store: Store
  private let entities: EntityIndex
  /// Recursive, because a store may use its own container, whose calls may reach the store again.
  private let lock = NSRecursiveLock()

  init(_ store: Store, _ entities: EntityIndex) {
    self.store = store
    self.entities = entities
  }

  /// Runs a call of the store. Snapshots that are decoded during the call use the entities of the store.
  func run<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotEntities.with(entities) { try body(store) }
  }
}
