import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The model of an identifier.
  ///
  /// Never nil: for a row that is gone it is a stand-in that reads as the defaults of its properties and whose
  /// `isDeleted` is true. ``existingModel(for:)`` throws instead. When the store cannot be read it is a model that reads its
  /// row when it is asked for a property.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if inbox.hasNews { receiveChanges() }
    if case .row(let entity, let key) = persistentModelID.key, let map = identityMap(of: entity),
      let known = map.object(for: key)
    {
      return EntityLayout.model(known, as: map.modelType)
    }
    do {
      if let model = try lookUp(persistentModelID) { return model }
    } catch {
      if let model = unreadModel(for: persistentModelID, error) { return model }
    }
    return standIn(for: persistentModelID)
  }

  /// The model of an identifier that could not be looked up, which reads its row when it is asked for a property. That there
  /// is none such would be a guess; where no model can be made before its row is read, the next save says so.
  private func unreadModel(for identifier: PersistentIdentifier, _ error: any Error) -> (any PersistentModel)? {
    logger.error("looking up \(identifier) failed: \(error)")
    guard let row = identifier.row, let map = map(of: identifier), requiresNoExecution(map.entity) else { return nil }
    func unread<T: PersistentModel>(_ type: T.Type) -> (any PersistentModel)? {
      map.unreadObject(for: row.key, as: type)
    }
    if let model = unread(map.modelType) { return model }
    refusals.append(
      SwiftDataError(
        Self.kind(of: error), "\(identifier) could not be looked up, and nobody knows whether there is such a model",
        underlying: error))
    return nil
  }

  private func requiresNoExecution(_ entity: EntityLayout) -> Bool {
    do {
      try requireExecution(for: entity)
      return true
    } catch {
      return false
    }
  }

  /// The model of an identifier, if this context has it already.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    if inbox.hasNews { receiveChanges() }
    guard let map = map(of: persistentModelID), let object = registered(persistentModelID, in: map) else { return nil }
    // A map holds objects of its model alone, so the usual case needs no cast.
    return ObjectIdentifier(map.modelType) == ObjectIdentifier(T.self)
      ? unsafeDowncast(object, to: T.self) : object as? T
  }

  /// The model of an identifier, from this context or from the store.
  ///
  /// - Throws: `SwiftDataError.modelNotFound` when there is no such row, or the error of the store.
  public func existingModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) throws -> T {
    if inbox.hasNews { receiveChanges() }
    guard let model = try lookUp(persistentModelID) as? T, !model.isDeleted else {
      throw SwiftDataError(.modelNotFound, "no \(T.self) has the identifier \(persistentModelID)")
    }
    return model
  }

  /// The model of an identifier: the one that this context has, or else the one in the store; nil when there is no such
  /// row or it is of another type.
  ///
  /// - Throws: The error of the store.
  public func persistentModel<T: PersistentModel>(withID objectID: PersistentIdentifier) throws -> T? {
    do {
      return try existingModel(for: objectID) as T
    } catch SwiftDataError.modelNotFound {
      return nil
    }
  }

  /// The model of an identifier, or nil when there is no such row or it is of another type.
  ///
  /// When the store cannot be read it is a model that reads its row when it is asked for a property.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    do {
      return try existingModel(for: id)
    } catch SwiftDataError.modelNotFound {
      return nil
    } catch {
      return unreadModel(for: id, error) as? T
    }
  }

  /// This context's instance of a row, or nil when there is no such row. One that cannot be looked up now is read later.
  func ownInstance<T: PersistentModel>(of key: Int64) -> T? {
    guard let map = identityMap(for: T.self) else { return nil }
    do {
      return try map.store.object(for: key, in: map) as? T
    } catch {
      map.noteReadFailure(error)
      return map.unreadObject(for: key, as: T.self)
    }
  }

  private func map(of identifier: PersistentIdentifier) -> IdentityMap? {
    if case .row(let entity, _) = identifier.key { return identityMap(of: entity) }
    return stores.modelType(of: identifier).flatMap(identityMap)
  }

  /// The map of an entity of a store. Identifiers of one entity share its object, and look-ups come in series.
  private func identityMap(of entity: StoreEntity) -> IdentityMap? {
    if let lastLookup, lastLookup.entity == ObjectIdentifier(entity) { return lastLookup.map }
    guard let map = stores.modelType(of: entity).flatMap(identityMap) else { return nil }
    // Only the store's own object is sure to stay where it is.
    if map.store.storeEntity(of: map.entity) === entity { lastLookup = (ObjectIdentifier(entity), map) }
    return map
  }

  private func lookUp(_ identifier: PersistentIdentifier) throws -> (any PersistentModel)? {
    guard let map = map(of: identifier) else { return nil }
    if let known = registered(identifier, in: map) { return map.entity.model(known) }
    guard let row = identifier.row, !map.batchDeletedKeys.contains(row.key) else { return nil }
    try requireExecution(for: map.entity)
    return try map.store.object(for: row.key, in: map).map(map.entity.model)
  }

  private func registered(_ identifier: PersistentIdentifier, in map: IdentityMap) -> AnyObject? {
    if let row = identifier.row { return map.object(for: row.key) ?? map.changes?.returningObject(for: row.key) }
    guard case .token(let token) = identifier.key else { return nil }
    return map.changes?.object(for: token)
  }

  private func standIn(for identifier: PersistentIdentifier) -> any PersistentModel {
    let type = stores.modelType(of: identifier) ?? AbsentModel.self
    return standIn(for: identifier, as: type)
  }

  private func standIn<T: PersistentModel>(for identifier: PersistentIdentifier, as type: T.Type) -> any PersistentModel
  {
    guard let map = identityMap(for: type) else { return AbsentModel(identifier: identifier) }
    let model = T._$standIn(in: map, key: identifier.row?.key ?? 0)
    if case .token(let token) = identifier.key { model._$state.pointee.token = token }
    return model
  }
}
