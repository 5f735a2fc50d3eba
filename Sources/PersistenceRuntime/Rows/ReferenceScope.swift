/// The objects that what a save writes may refer to, in the columns of rows and in pairs.
package struct ReferenceScope {
  /// The observation pool of the context that saves, which all maps of a context share and no map of another has. Only
  /// compared: the caller holds a map of that context until everything is written.
  private let owner: ObjectIdentifier?
  /// The store whose objects may be referred to although their own context has ended. Nil unless the context that saves
  /// is ending too.
  private let storeOfEnded: StoreCoordinator?

  /// Nothing but objects without a context.
  package init() { (owner, storeOfEnded) = (nil, nil) }

  /// What a save of the objects of a map may refer to.
  ///
  /// - Parameter isEnding: Whether the context of the map is ending: its owner still has its changes, and no context.
  package init(saving map: IdentityMap, isEnding: Bool) {
    owner = ObjectIdentifier(map.observation)
    storeOfEnded = isEnding ? map.store : nil
  }

  /// Whether the objects of a map may be referred to: those of the context that saves, and, when it saves for the last
  /// time, those of contexts that ended before it. No code of the program can hear any more that such a reference is
  /// refused.
  @inline(__always)
  package func contains(_ map: IdentityMap?) -> Bool {
    guard let map else { return owner == nil }
    return owner == ObjectIdentifier(map.observation) || (map.owner == nil && map.store === storeOfEnded)
  }
}
