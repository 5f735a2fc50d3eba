import PersistenceContext

extension ModelContext {
  /// Makes a context of a container's stores.
  public convenience init(_ container: ModelContainer) {
    self.init(stores: container.stores, ownedHome: container)
  }

  /// Makes the context that a container owns.
  convenience init(ownedBy container: ModelContainer) {
    self.init(stores: container.stores, owningHome: container)
  }

  /// The container that the context was made of.
  public var container: ModelContainer {
    home as? ModelContainer ?? ModelContainer(stores: stores)
  }
}
