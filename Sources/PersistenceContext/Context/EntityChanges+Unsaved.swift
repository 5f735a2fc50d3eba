import PersistenceRuntime

extension EntityChanges {
  /// Notes the identity of an object that waits to be inserted.
  package func noteUnsaved<T: PersistentModel>(_ token: IdentifierToken, of model: T) {
    if model._$state.pointee.flags.contains(.inserted) { unsaved[ObjectIdentifier(token)] = model }
  }

  /// Notes the identities of all that wait, which were forgotten with others.
  func noteUnsaved() {
    for object in inserted {
      let model = map.entity.model(object)
      if let token = model._$state.pointee.token { noteUnsaved(token, of: model) }
    }
  }

  /// Forgets the identity of an object that waits no more.
  func forget(_ token: IdentifierToken) {
    unsaved[ObjectIdentifier(token)] = nil
  }

  /// The object that waits to be inserted and has an identity, found without looking at all that wait.
  func object(for token: IdentifierToken) -> AnyObject? {
    func isMeant<T: PersistentModel>(_ object: AnyObject, _ type: T.Type) -> Bool {
      let state = unsafeDowncast(object, to: T.self)._$state
      return state.pointee.identityMap === map && state.pointee.flags.contains(.inserted)
        && state.pointee.token === token
    }
    return unsaved[ObjectIdentifier(token)].flatMap { isMeant($0, map.modelType) ? $0 : nil }
  }
}
