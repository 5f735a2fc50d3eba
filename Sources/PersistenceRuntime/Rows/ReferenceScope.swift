/// The objects to which the rows and pairs of a save may refer.
package struct ReferenceScope {
  /// The saving context's observation pool, which all its maps share and no other context has. Only compared: the
  /// caller retains a map of the context until everything is written.
  private let owner: ObjectIdentifier?
  /// The store whose objects may be referenced after the end of their own context; nil unless the saving context is
  /// ending, too.
  private let storeOfEnded: StoreCoordinator?

  /// Only objects without a context.
  package init() { (owner, storeOfEnded) = (nil, nil) }

  /// The scope of a save of a map's objects.
  ///
  /// - Parameter isEnding: Whether the map's context is ending: its owner still has its changes, but no context.
  package init(saving map: IdentityMap, isEnding: Bool) {
    owner = ObjectIdentifier(map.observation)
    storeOfEnded = isEnding ? map.store : nil
  }

  /// Whether objects of a map may be referenced: those of the saving context, and in its last save those of contexts
  /// that ended before. The program could not handle an error of the last save.
  @inline(__always)
  package func contains(_ map: IdentityMap?) -> Bool {
    guard let map else { return owner == nil }
    return owner == ObjectIdentifier(map.observation) || (map.owner == nil && map.store === storeOfEnded)
  }
}
