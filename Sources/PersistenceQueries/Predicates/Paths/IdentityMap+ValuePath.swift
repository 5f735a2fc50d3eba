import PersistenceRuntime

extension IdentityMap {
  /// Where a key path of the map's models leads; nil when it leads to nothing stored.
  package func valuePath(of keyPath: AnyKeyPath) -> ValuePath? {
    let store = store
    return ValuePathResolver(entity) { store.layout(of: $0.destinationType) }.path(of: keyPath)
  }
}
