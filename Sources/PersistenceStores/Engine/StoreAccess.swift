import Foundation
import PersistenceRuntime

/// Calls a custom store. Calls from several threads run one at a time.
final class StoreAccess<Store: DataStore>: @unchecked Sendable {
  // Unchecked: the store need not be Sendable. It is called only while the lock is held, and is never returned.
  private let store: Store
  private let entities: EntityIndex
  /// Recursive, because a store may use its own container during a call, and the container may then call the store.
  private let lock = NSRecursiveLock()

  init(_ store: Store, _ entities: EntityIndex) {
    self.store = store
    self.entities = entities
  }

  /// Runs a call of the store. Snapshots that are decoded during the call are decoded with the store's entities.
  func run<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotEntities.with(entities) { try body(store) }
  }
}
