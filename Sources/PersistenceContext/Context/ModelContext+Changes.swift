import PersistenceRuntime

extension ModelContext {
  /// Registers a model, and the models that it relates to, for insertion by the next save. Apple's.
  ///
  /// Inserting a model twice has no effect. A model that waits for its deletion is kept. A model whose row is deleted
  /// becomes a new row. A model of another context, or of a type outside of the schema, is refused: the next ``save()``
  /// throws. Use it only where the context is used.
  ///
  /// ```swift
  /// context.insert(Trip(name: "Oslo"))
  /// // with the save: INSERT INTO "Trip" …
  /// ```
  /// - Parameter model: The model.
  public func insert<T: PersistentModel>(_ model: T) {
    saveIfDue()
    insertWithoutSaving(model)
  }

  /// Inserts a model without an autosave, for code in the middle of another change.
  ///
  /// A list that is changed in place is not in its slot meanwhile: a save would take its change for a written one.
  func insertWithoutSaving<T: PersistentModel>(_ model: T) {
    guard insertions == nil else { return enroll(model) }
    var watch = RollbackWatch(in: self)
    repeat {
      watch.begin()
      insertions = []
      enroll(model)
      var next = 0
      // A queue instead of recursion: a graph may be as deep as it is large.
      while let model = insertions?.dropFirst(next).first {
        follow(model)
        next += 1
      }
      insertions = nil
    } while watch.mustRepeat
  }

  /// Marks a model for deletion by the next save, and applies its delete rules. Apple's.
  ///
  /// The insertion of an unsaved model is taken back at once. A model of another context is refused: the next
  /// ``save()`` throws. Use it only where the context is used.
  /// - Parameter model: The model.
  public func delete<T: PersistentModel>(_ model: T) {
    saveIfDue()
    deleteWithoutSaving(model)
  }

  /// Deletes a model without an autosave, because the caller deletes several atomically.
  func deleteWithoutSaving<T: PersistentModel>(_ model: T) {
    guard let map = model._$state.pointee.identityMap else { return }
    guard map.context === self else { return refuse(deletionOf: model) }
    var watch = RollbackWatch(in: self)
    repeat {
      watch.begin()
      var deletion = Deletion(in: self)
      deletion.run(from: model)
    } while watch.mustRepeat
    noteTakenBack()
  }

  /// Whether changes are pending, or a refused change waits to be thrown. Apple's.
  public var hasChanges: Bool {
    !pending.isEmpty || !refusals.isEmpty
  }

  /// The models that the next save inserts. Apple's.
  public var insertedModelsArray: [any PersistentModel] {
    pendingModels { $0.livingInserted }
  }

  /// The models that the next save updates. Apple's.
  public var changedModelsArray: [any PersistentModel] {
    pendingModels { $0.livingChanged }
  }

  /// The models that the next save deletes. Apple's.
  public var deletedModelsArray: [any PersistentModel] {
    pendingModels { $0.livingDeleted }
  }

  private func pendingModels(_ list: (EntityChanges) -> ContiguousArray<AnyObject>) -> [any PersistentModel] {
    orderedChanges.flatMap { changes in list(changes).compactMap { $0 as? any PersistentModel } }
  }

  /// The changes in the order of the schema, so that lists and saves are deterministic.
  var orderedChanges: [EntityChanges] {
    guard entityChanges.count > 1 else { return Array(entityChanges.values) }
    return stores.modelTypes.compactMap { entityChanges[ObjectIdentifier($0)] }
  }
}

extension ModelContext {
  /// Adds an object to the list of changed ones.
  func didChange<T: PersistentModel>(_ model: T, in changes: EntityChanges) {
    changes.changed.append(model)
    pending.changed += 1
    didTouch(model, in: changes.map)
    noteChange()
  }

  func noteChange() {
    if autosaveEnabled { scheduleAutosave() }
  }

  /// Adds a new model to the list of inserted ones.
  private func enroll<T: PersistentModel>(_ model: T) {
    takeOverJobs(of: model)
    let state = model._$state
    if let map = state.pointee.identityMap, !model._$isDetached {
      if map.context === self {
        state.pointee.flags.remove(.joined)
        return takeBackDeletion(of: model, in: map)
      }
      guard state.pointee.flags.isSuperset(of: [.inserted, .joined]), let other = map.context else {
        return refuse(insertionOf: model)
      }
      other.dismiss(model, in: map)
    }
    if state.pointee.identityMap != nil {
      if let failure = model._$failureToReadAll() { return refuse(insertionOf: model, failure) }
      model._$becomeNew()
    }
    guard let changes = changes(for: type(of: model)) else {
      return refusals.append(stores.unknownModel(type(of: model)))
    }
    let map = changes.map
    if map.entity.runsInContext, !bind(model) { return refusals.append(executionMissing(map.entity)) }
    undoRecorder?.willInsert(model, in: map)
    state.pointee.identityMap = map
    state.pointee.flags.insert(.inserted)
    if let token = state.pointee.token { changes.noteUnsaved(token, of: model) }
    if state.pointee.flags.contains(.lacksDefaults) { model._$completeDefaults(in: map.entity) }
    changes.inserted.append(model)
    pending.inserted += 1
    didTouch(model, in: map)
    if map.entity.hasRelationships {
      insertions?.append(model)
      referrers.forget()
    }
    noteChange()
  }

  /// Inserts the related models of a new model, and updates their inverses.
  private func follow<T: PersistentModel>(_ model: T) {
    guard let map = model._$state.pointee.identityMap, map.context === self else { return }
    if !type(of: model)._$marksInitialRelationships { model._$state.pointee.flags.insert(.unlinked) }
    let isReturning = model._$state.pointee.hasLeft
    if isReturning { dropDeleted(from: model, in: map) }
    insertRelated(of: model, in: map)
    model._$applyLinks()
    if isReturning { relateAgain(model, in: map, yields: true) }
    for list in model._$state.pointee.extras?.lists ?? [] where list.uncomparedSteps > 0 {
      uncomparedLists.append((model, list.position))
    }
  }

  private func takeBackDeletion<T: PersistentModel>(of model: T, in map: IdentityMap) {
    let state = model._$state
    guard state.pointee.flags.contains(.deleted) else { return }
    undoRecorder?.willInsert(model, in: map)
    state.pointee.flags.remove(.deleted)
    map.changes?.noteTakenBack()
    pending.deleted -= 1
    referrers.forget()
    receiveAgain(of: state.pointee.primaryKey, in: map)
    // Changes from before or during the deletion are pending again.
    if state.pointee.dirty != 0 { model._$becomeChanged() }
    relateAgain(model, in: map, yields: false)
  }

  /// Queues a row to be read again if others changed it while its object was marked for deletion.
  private func receiveAgain(of key: Int64, in map: IdentityMap) {
    guard map.changes?.originals.contested.contains(key) == true else { return }
    inbox.putBack(RemoteChanges(RemoteChanges.Rows(changed: [key]), of: map.modelType))
  }

  /// Removes a model that was inserted only through a relationship, before it is inserted into another context.
  private func dismiss<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships {
      for object in model._$edit(.read, at: relationship.position).objects {
        model._$unlink(EntityLayout.model(object, as: relationship.destinationType), relationship)
      }
    }
    takeBackInsertion(of: model)
    // The insertion into the other context applies all of its links again.
    model._$state.pointee.forgetLeaving()
    model._$state.pointee.flags.insert(.unlinked)
  }

  func takeBackInsertion<T: PersistentModel>(of model: T) {
    let state = model._$state
    if !uncertainRows.isEmpty { deleteUncertainRow(of: model) }
    state.pointee.flags.subtract([.inserted, .changed, .joined])
    state.pointee.forgetListChanges()
    let changes = state.pointee.identityMap?.changes
    if let token = state.pointee.token { changes?.forget(token) }
    changes?.noteTakenBack()
    state.pointee.noteLeaving()
    state.pointee.identityMap = nil
    state.pointee.dirty = 0
    pending.inserted -= 1
  }

  /// Removes an object from the changed ones. Its dirty mask stays.
  func takeBackChange<T: PersistentModel>(of model: T) {
    let state = model._$state
    guard state.pointee.flags.contains(.changed) else { return }
    state.pointee.flags.remove(.changed)
    state.pointee.identityMap?.changes?.noteTakenBack()
    pending.changed -= 1
  }

  /// Inserts the related objects of a new object. Objects of other contexts of the container are replaced by this
  /// context's own objects of the same rows.
  func insertRelated<T: PersistentModel>(of model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships {
      let held = model._$heldMembers(at: relationship.position)
      guard !held.isEmpty else { continue }
      var admitted: ContiguousArray<AnyObject> = []
      admitted.reserveCapacity(held.count)
      // Links of the initialiser are applied later, to all objects that the relationship holds then.
      let isTold = !model._$state.pointee.flags.contains(.unlinked)
      for object in held {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        let other = admit(related, relatedTo: model, at: relationship.position, in: map)
        // A foreign object stays in the relationship. Every save is refused until the program replaces it.
        if other == nil {
          foreignReferences.append(ForeignReference(model: model, relationship: relationship, related: related))
        }
        admitted.append(other ?? related)
      }
      guard !zip(admitted, held).allSatisfy({ $0 === $1 }) else { continue }
      let news = model._$replaceMembers(held, by: admitted, at: relationship.position)
      model._$state.pointee.extras?.list(at: relationship.position)?.forgetMembers()
      guard isTold else { continue }
      // Only objects that are new to the relationship: the others have their inverse already.
      for object in news { model._$link(EntityLayout.model(object, as: relationship.destinationType), relationship) }
    }
  }

  private func admit(
    _ related: any PersistentModel, relatedTo model: some PersistentModel, at position: Int, in map: IdentityMap
  ) -> (any PersistentModel)? {
    func admit<Related: PersistentModel>(_ related: Related) -> (any PersistentModel)? {
      self.admit(related, relatedTo: model, property: map.entity.properties[position].name)
    }
    return admit(related)
  }

  /// The object to use in a relationship: the object itself, inserted if it is new; or this context's own object for a
  /// row that another context of the container has. Nil for any other object of another context: the next save throws.
  func admit<Related: PersistentModel>(
    _ related: Related, relatedTo model: some PersistentModel, property: String
  ) -> Related? {
    takeOverJobs(of: related)
    let other = related._$state
    guard let map = other.pointee.identityMap else {
      insertWithoutSaving(related)
      return related
    }
    if map.context === self { return related }
    if stores.contains(map.store), other.pointee.primaryKey != 0,
      let own: Related = ownInstance(of: other.pointee.primaryKey)
    {
      return own
    }
    refuse(relating: model, to: related, property: property)
    return nil
  }

  /// The model in a value of type model or optional model.
  static func model(_ value: Any) -> (any PersistentModel)? {
    if let model = value as? any PersistentModel { return model }
    return ((value as? any OptionalValue)?.wrappedValue) as? any PersistentModel
  }

  /// The models in a value of type array or optional array of models.
  static func models(_ value: Any) -> [any PersistentModel] {
    if let models = value as? [any PersistentModel] { return models }
    return (((value as? any OptionalValue)?.wrappedValue) as? [any PersistentModel]) ?? []
  }
}
