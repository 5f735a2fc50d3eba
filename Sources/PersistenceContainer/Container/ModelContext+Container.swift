import PersistenceContext

extension ModelContext {
  /// Creates a context of a container, without autosave. Apple's.
  ///
  /// The context may be used only by the actor or task that creates it.
  /// - Parameter container: The container. The context keeps it.
  public convenience init(_ container: ModelContainer) {
    self.init(stores: container.stores, ownedHome: container)
  }

  /// Creates the main context of a container, which must not keep the container.
  convenience init(ownedBy container: ModelContainer) {
    self.init(stores: container.stores, owningHome: container)
  }

  /// The container of the context. Apple's.
  public var container: ModelContainer {
    home as? ModelContainer ?? ModelContainer(stores: stores)
  }
}
