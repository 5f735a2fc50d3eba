import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

extension ModelContext {
  /// The model of an identifier. Apple's.
  ///
  /// If the row is deleted, the method returns a placeholder with default values whose `isDeleted` is true;
  /// ``existingModel(for:)`` throws instead. If the store cannot be read, the method returns a model that reads its row
  /// on first access. Call this method only on the thread or actor of the context.
  /// - Parameter persistentModelID: The identifier.
  /// - Returns: The model, or a placeholder.
  public func model(for persistentModelID: PersistentIdentifier) -> any PersistentModel {
    if inbox.hasNews { receiveChanges() }
    if case .row(let entity, let key) = persistentModelID.key, let map = identityMap(of: entity),
      map.store.identities == nil, let known = map.object(for: key)
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

  /// A model for an identifier whose look-up failed. The model reads its row on first access.
  ///
  /// A placeholder would be wrong here, because its `isDeleted` is true although the row may exist. Returns nil if an
  /// object of the type cannot be created before its row is read; then the next save throws.
  private func unreadModel(for identifier: PersistentIdentifier, _ error: any Error) -> (any PersistentModel)? {
    logger.error("looking up \(identifier) failed: \(error)")
    guard let map = map(of: identifier), let key = map.store.key(of: identifier), requiresNoExecution(map.entity)
    else { return nil }
    func unread<T: PersistentModel>(_ type: T.Type) -> (any PersistentModel)? { map.unreadObject(for: key, as: type) }
    if let model = unread(map.modelType) { return model }
    refusals.append(
      SwiftDataError(
        Self.kind(of: error), "\(identifier) could not be looked up, so it is unknown whether there is such a model",
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

  /// The model of an identifier if this context already has it; otherwise nil. Never reads the store. Apple's.
  ///
  /// - Parameter persistentModelID: The identifier.
  /// - Returns: The model.
  public func registeredModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) -> T? {
    if inbox.hasNews { receiveChanges() }
    guard let map = map(of: persistentModelID), let object = registered(persistentModelID, in: map) else { return nil }
    // The map contains only objects of its model type, so the usual case needs no cast.
    return ObjectIdentifier(map.modelType) == ObjectIdentifier(T.self)
      ? unsafeDowncast(object, to: T.self) : object as? T
  }

  /// The model of an identifier. If this context does not have it yet, it is read from the store. Ours.
  ///
  /// - Parameter persistentModelID: The identifier.
  /// - Returns: The model.
  /// - Throws: `SwiftDataError.modelNotFound` if no such row exists or the row has another type, and the error of the
  ///   store.
  public func existingModel<T: PersistentModel>(for persistentModelID: PersistentIdentifier) throws -> T {
    if inbox.hasNews { receiveChanges() }
    guard let model = try lookUp(persistentModelID) as? T, !model.isDeleted else {
      throw SwiftDataError(.modelNotFound, "no \(T.self) has the identifier \(persistentModelID)")
    }
    return model
  }

  /// The model of an identifier, or nil if no such row exists or the row has another type. Ours.
  ///
  /// - Parameter objectID: The identifier.
  /// - Returns: The model, from this context or read from the store.
  /// - Throws: The error of the store.
  public func persistentModel<T: PersistentModel>(withID objectID: PersistentIdentifier) throws -> T? {
    do {
      return try existingModel(for: objectID) as T
    } catch SwiftDataError.modelNotFound {
      return nil
    }
  }

  /// The model of an identifier, or nil if no such row exists or the row has another type. Ours.
  ///
  /// If the store cannot be read, the result is a model that reads its row on first access.
  /// - Parameters:
  ///   - id: The identifier.
  ///   - type: The type of the model.
  public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
    do {
      return try existingModel(for: id)
    } catch SwiftDataError.modelNotFound {
      return nil
    } catch {
      return unreadModel(for: id, error) as? T
    }
  }

  /// This context's object of a row; nil if no such row exists. If the row cannot be read, the object reads it on first
  /// access.
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

  /// The identity map for an entity of a store. The last result is cached, because consecutive look-ups mostly concern
  /// one entity.
  private func identityMap(of entity: StoreEntity) -> IdentityMap? {
    if let lastLookup, lastLookup.entity == ObjectIdentifier(entity) { return lastLookup.map }
    guard let map = stores.modelType(of: entity).flatMap(identityMap) else { return nil }
    // The cache compares addresses, so it may only contain the store's own `StoreEntity`, which lives as long as this
    // context. Any other `StoreEntity` may be freed earlier, and a new one may get its address.
    if map.store.storeEntity(of: map.entity) === entity { lastLookup = (ObjectIdentifier(entity), map) }
    return map
  }

  private func lookUp(_ identifier: PersistentIdentifier) throws -> (any PersistentModel)? {
    guard let map = map(of: identifier) else { return nil }
    if let known = registered(identifier, in: map) { return map.entity.model(known) }
    if !cascadedRows.isEmpty { readCascadedKeys() }
    guard let key = map.store.key(of: identifier), !map.batchDeletedKeys.contains(key) else { return nil }
    try requireExecution(for: map.entity)
    return try map.store.object(for: key, in: map).map(map.entity.model)
  }

  private func registered(_ identifier: PersistentIdentifier, in map: IdentityMap) -> AnyObject? {
    if let key = map.store.key(of: identifier) { return map.object(for: key) ?? map.changes?.returningObject(for: key) }
    guard case .token(let token) = identifier.key else { return nil }
    return map.changes?.object(for: token)
  }

  private func standIn(for identifier: PersistentIdentifier) -> any PersistentModel {
    let type = stores.modelType(of: identifier) ?? AbsentModel.self
    return standIn(for: identifier, as: type)
  }

  private func standIn<T: PersistentModel>(for identifier: PersistentIdentifier, as type: T.Type) -> any PersistentModel
  {
    guard let map = identityMap(for: type) else {
      let model = AbsentModel._$standIn()
      model._$state.pointee.flags = .gone
      return model
    }
    let model = T._$standIn(in: map, key: map.store.key(of: identifier) ?? 0)
    if case .token(let token) = identifier.key { model._$state.pointee.token = token }
    return model
  }
}
