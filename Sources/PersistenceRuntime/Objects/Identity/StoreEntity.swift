import PersistenceSupport

/// An entity of a store.
package final class StoreEntity: Hashable, Comparable, Sendable {
  package let store: String
  package let name: String
  /// The keys for which identifiers exist.
  package let knownKeys: KnownKeys

  package init(store: String, name: String) {
    self.store = store
    self.name = name
    knownKeys = KnownKeys.of(name, in: store)
  }

  package static func == (lhs: StoreEntity, rhs: StoreEntity) -> Bool {
    lhs === rhs || (lhs.name == rhs.name && lhs.store == rhs.store)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(store)
  }

  package static func < (lhs: StoreEntity, rhs: StoreEntity) -> Bool {
    (lhs.store, lhs.name) < (rhs.store, rhs.name)
  }
}
