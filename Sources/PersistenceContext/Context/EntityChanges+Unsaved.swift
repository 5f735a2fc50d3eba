import PersistenceRuntime

extension EntityChanges {
  /// Registers the identifier of an object that waits for its insertion.
  package func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T) {
    if model._$state.pointee.flags.contains(.inserted) { unsaved[ObjectIdentifier(token)] = model }
  }

  /// Registers the identifiers of all objects that wait for their insertion.
  func noteUnsaved() {
    for object in inserted {
      let model = map.entity.model(object)
      if let token = model._$state.pointee.token { noteUnsaved(token, of: model) }
    }
  }

  /// Removes the identifier of an object that no longer waits.
  func forget(_ token: IdentifierToken) {
    unsaved[ObjectIdentifier(token)] = nil
  }

  /// The object with an identifier that waits for its insertion, by a hash look-up.
  func object(for token: IdentifierToken) -> AnyObject? {
    func isMeant<T: PersistentModel>(_ object: AnyObject, _ type: T.Type) -> Bool {
      let state = unsafeDowncast(object, to: T.self)._$state
      return state.pointee.identityMap === map && state.pointee.flags.contains(.inserted)
        && state.pointee.token === token
    }
    return unsaved[ObjectIdentifier(token)].flatMap { isMeant($0, map.modelType) ? $0 : nil }
  }
}
