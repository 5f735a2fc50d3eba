import Foundation
import PersistenceRuntime

/// A store of a program, which one call at a time uses.
final class StoreAccess<Store: DataStore>: @unchecked Sendable {
  // Unchecked: the store need not be Sendable. It is used within the lock alone, and never handed out.
  private let store: Store
  private let entities: EntityIndex
  /// Recursive, because a store may use a container of its own that leads back to it.
  private let lock = NSRecursiveLock()

  init(_ store: Store, _ entities: EntityIndex) {
    self.store = store
    self.entities = entities
  }

  /// Runs a call. What it decodes are snapshots of the entities of the store.
  func run<Result>(_ body: (Store) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try SnapshotEntities.with(entities) { try body(store) }
  }
}
