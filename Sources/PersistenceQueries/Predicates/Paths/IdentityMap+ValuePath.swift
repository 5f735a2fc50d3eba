import PersistenceRuntime

extension IdentityMap {
  /// The target of a key path of the map's models; nil if it is not stored.
  package func valuePath(of keyPath: AnyKeyPath) -> ValuePath? {
    let store = store
    return ValuePathResolver(entity) { store.layout(of: $0.destinationType) }.path(of: keyPath)
  }
}
