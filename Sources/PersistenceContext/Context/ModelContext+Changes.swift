import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Registers a model, and the models that it relates to, for insertion by the next save. Apple's.
  ///
  /// Inserting a model twice has no effect. A model that waits for its deletion is kept. A model whose row is deleted
  /// becomes a new row. A model of another context, or of a type outside of the schema, is rejected: the next
  /// ``save()`` throws. Use this method only where the context is used.
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
  /// During an in-place change of a list, the slot of the list is empty. A save would treat this change as saved.
  func insertWithoutSaving<T: PersistentModel>(_ model: T) {
    guard insertions == nil else { return enroll(model) }
    var watch = RollbackWatch(in: self)
    repeat {
      watch.begin()
      insertions = []
      enroll(model)
      var next = 0
      // A queue replaces recursion, because the depth of a graph is limited only by the number of its objects.
      while let model = insertions?.dropFirst(next).first {
        follow(model)
        next += 1
      }
      insertions = nil
    } while watch.mustRepeat
  }

  /// Marks a model for deletion by the next save, and applies its delete rules. Apple's.
  ///
  /// The insertion of an unsaved model is reverted at once. A model of another context is rejected: the next ``save()``
  /// throws. Use this method only where the context is used.
  /// - Parameter model: The model.
  public func delete<T: PersistentModel>(_ model: T) {
    saveIfDue()
    deleteWithoutSaving(model)
  }

  /// Deletes a model without an autosave, because the caller deletes several models atomically.
  package func deleteWithoutSaving<T: PersistentModel>(_ model: T) {
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

  /// Whether changes are pending, or the next save throws a rejected change. Apple's.
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
    readCascadedRows()
    return pendingModels { $0.livingDeleted }
  }

  /// Marks rows for deletion by the next save, without objects.
  ///
  /// - Returns: The keys that were not marked before.
  @discardableResult
  package func markDeleted(rows keys: [Int64], of changes: EntityChanges) -> [Int64] {
    let new = keys.filter { changes.batchDeletedKeys.insert($0).inserted }
    pending.batchDeletedKeys += new.count
    return new
  }

  /// Cancels the deletion of rows that were marked without objects.
  ///
  /// - Returns: The keys that were marked.
  @discardableResult
  package func unmarkDeleted(rows keys: [Int64], of changes: EntityChanges) -> [Int64] {
    let marked = keys.filter { changes.batchDeletedKeys.remove($0) != nil }
    pending.batchDeletedKeys -= marked.count
    return marked
  }

  private func pendingModels(_ list: (EntityChanges) -> ContiguousArray<AnyObject>) -> [any PersistentModel] {
    orderedChanges.flatMap { changes in list(changes).compactMap { $0 as? any PersistentModel } }
  }

  /// The changes in the order of the schema, so that lists and saves are deterministic.
  var orderedChanges: [EntityChanges] {
    guard entityChanges.count > 1 else { return entityChanges.first.map { [$0.value] } ?? [] }
    return stores.modelTypes.compactMap { entityChanges[ObjectIdentifier($0)] }
  }
}

extension ModelContext {
  /// Adds an object to the list of changed objects.
  func didChange<T: PersistentModel>(_ model: T, in changes: EntityChanges) {
    changes.changed.append(model)
    pending.changed += 1
    didTouch(model, in: changes.map)
    noteChange()
  }

  /// Reports a change to the autosave and to live queries.
  ///
  /// - Parameter map: The entity, if an object was inserted or deleted. Property setters notify live queries
  ///   themselves.
  package func noteChange(ofRowsIn map: IdentityMap? = nil) {
    if notesChanges { announceChange(ofRowsIn: map) }
  }

  private func announceChange(ofRowsIn map: IdentityMap?) {
    if let map, let watch { watch.noteRows(of: ObjectIdentifier(map.modelType)) }
    if autosaveEnabled { scheduleAutosave() }
  }

  /// Adds a new model to the list of inserted objects.
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
    noteChange(ofRowsIn: map)
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
    readCascadedRows(of: model)
    cascadedRows.removeAll { $0.owner === model }
    undoRecorder?.willInsert(model, in: map)
    state.pointee.flags.remove(.deleted)
    map.changes?.noteTakenBack()
    pending.deleted -= 1
    referrers.forget()
    receiveAgain(of: state.pointee.primaryKey, in: map)
    // Changes that were made before or during the deletion are pending again.
    if state.pointee.dirty != 0 { model._$becomeChanged() }
    relateAgain(model, in: map, yields: false)
  }

  /// Queues a row to be read again, if it was changed elsewhere while its object was marked as deleted.
  private func receiveAgain(of key: Int64, in map: IdentityMap) {
    guard map.changes?.originals.contested.contains(key) == true else { return }
    inbox.putBack(RemoteChanges(RemoteChanges.Rows(changed: [key]), of: map.modelType))
  }

  /// Removes a model that only a relationship has inserted, before the model is inserted into another context.
  private func dismiss<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships {
      for object in model._$edit(.read, at: relationship.position).objects {
        model._$unlink(EntityLayout.model(object, as: relationship.destinationType), relationship)
      }
    }
    takeBackInsertion(of: model)
    // The insertion into the other context applies all links of the model again.
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

  /// Removes an object from the changed objects. The dirty mask of the object stays.
  func takeBackChange<T: PersistentModel>(of model: T) {
    let state = model._$state
    guard state.pointee.flags.contains(.changed) else { return }
    state.pointee.flags.remove(.changed)
    state.pointee.identityMap?.changes?.noteTakenBack()
    pending.changed -= 1
  }

  /// Inserts the related objects of a new object. A related object of another context of the container is replaced by
  /// this context's own object of the same row.
  func insertRelated<T: PersistentModel>(of model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships {
      if !relationship.isToMany {
        let edit = model._$edit(.find, at: relationship.position)
        if edit.isLoaded, edit.related.map({ isRegistered($0, as: relationship.destinationType) }) ?? true { continue }
      }
      let held = model._$heldMembers(at: relationship.position)
      if held.allSatisfy({ isRegistered($0, as: relationship.destinationType) }) { continue }
      var admitted: ContiguousArray<AnyObject> = []
      admitted.reserveCapacity(held.count)
      // The links that the initialiser made are applied later, to all objects that the relationship contains then.
      let isTold = !model._$state.pointee.flags.contains(.unlinked)
      for object in held {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        let other = admit(related, relatedTo: model, at: relationship.position, in: map)
        // An object of another context stays in the relationship. Every save throws until the program replaces it.
        if other == nil {
          foreignReferences.append(ForeignReference(model: model, relationship: relationship, related: related))
        }
        admitted.append(other ?? related)
      }
      guard !zip(admitted, held).allSatisfy({ $0 === $1 }) else { continue }
      let news = model._$replaceMembers(held, by: admitted, at: relationship.position)
      model._$state.pointee.extras?.list(at: relationship.position)?.forgetMembers()
      guard isTold else { continue }
      // Only objects that are new to the relationship are linked: the inverses of the existing members are already set.
      for object in news { model._$link(EntityLayout.model(object, as: relationship.destinationType), relationship) }
    }
  }

  /// Whether an object is registered in this context. False for an actor whose jobs run elsewhere: its state must not
  /// be read before its jobs are moved here.
  private func isRegistered<T: PersistentModel>(_ object: AnyObject, as type: T.Type) -> Bool {
    let model = unsafeDowncast(object, to: T.self)
    return model._$isHere && model._$state.pointee.identityMap?.context === self
  }

  private func admit(
    _ related: any PersistentModel, relatedTo model: some PersistentModel, at position: Int, in map: IdentityMap
  ) -> (any PersistentModel)? {
    func admit<Related: PersistentModel>(_ related: Related) -> (any PersistentModel)? {
      self.admit(related, relatedTo: model, property: map.entity.properties[position].name)
    }
    return admit(related)
  }

  /// The object to use in a relationship: the object itself, inserted if it is new; or this context's own object of a
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
  package static func model(_ value: Any) -> (any PersistentModel)? {
    if let model = value as? any PersistentModel { return model }
    return ((value as? any OptionalValue)?.wrappedValue) as? any PersistentModel
  }

  /// The models in a value of type array or optional array of models.
  package static func models(_ value: Any) -> [any PersistentModel] {
    if let models = value as? [any PersistentModel] { return models }
    return (((value as? any OptionalValue)?.wrappedValue) as? [any PersistentModel]) ?? []
  }
}

// Changes that a context rejects. The calls cannot throw, so the next save throws the errors.

extension ModelContext {
  func refuse<T: PersistentModel>(insertionOf model: T) {
    refusals.append(
      SwiftDataError(
        .modelOfAnotherContext,
        "\(describe(model)) belongs to another context and was not inserted into this one; "
          + "look it up here by its persistentModelID, or insert a copy"))
  }

  func refuse<T: PersistentModel>(deletionOf model: T) {
    refusals.append(
      SwiftDataError(
        .modelOfAnotherContext,
        "\(describe(model)) belongs to another context and was not deleted by this one; "
          + "delete it in its own context, or look it up here by its persistentModelID first"))
  }

  func refuse<T: PersistentModel, U: PersistentModel>(relating model: T, to other: U, property: String) {
    refusals.append(
      SwiftDataError(
        .modelOfAnotherContext,
        "\(describe(model)).\(property) was not set to \(describe(other)), which belongs to another context; "
          + "look that model up in this context by its persistentModelID"))
  }

  private func describe<T: PersistentModel>(_ model: T) -> String {
    "\(T.self) \(model.persistentModelID.primaryKeyText)"
  }

  /// Throws the changes that were rejected since the last save. Called by saves of the program, not by autosaves.
  func throwRefusals() throws {
    guard let first = refusals.first else {
      if !unreadModels.isEmpty { try throwFailedReads(isReported: true) }
      return
    }
    markRefusedReadsReported()
    defer { forgetRefusals(wereThrown: true) }
    guard refusals.count > 1 else { throw first }
    let explanations = refusals.compactMap(\.explanation).joined(separator: "\n")
    throw SwiftDataError(first.kind, explanations, underlying: first.underlyingError)
  }

  package func forgetRefusals(wereThrown: Bool = false) {
    refusals.removeAll()
    reportedRefusals = 0
    if wereThrown { thrownRefusalCount += 1 }
  }

  /// Logs rejected changes at an autosave, each once. They stay until a save of the program throws them.
  func reportRefusals(_ origin: SaveOrigin) {
    guard origin == .implicit, reportedRefusals < refusals.count else { return }
    for refusal in refusals[reportedRefusals...] {
      logger.error("an autosave did without what was refused; the next save() throws it: \(refusal)")
    }
    reportedRefusals = refusals.count
  }

  /// Logs the rejected changes of a context that is released before a save could throw them.
  func reportLostRefusals() {
    for refusal in refusals { logger.error("a context ended before a save could throw what it refused: \(refusal)") }
  }
}

/// The errors that the next save must report, recorded at the beginning of a transaction that may be undone.
struct UnreportedErrors {
  private let refusals: [SwiftDataError]
  private let reported: Int
  private let thrownCount: Int
  private let orphans: OrphanList
  private let foreignReferences: [ForeignReference]
  private let uncomparedLists: [(any PersistentModel, Int)]
  private let incompleteDeletions: [IncompleteDeletion]
  /// The failed reads of changed objects.
  private var unread: [(model: any PersistentModel, reads: ContiguousArray<FailedRead>)]

  init(of context: ModelContext) {
    refusals = context.refusals
    reported = context.reportedRefusals
    thrownCount = context.thrownRefusalCount
    orphans = context.orphans
    foreignReferences = context.foreignReferences
    uncomparedLists = context.uncomparedLists
    incompleteDeletions = context.incompleteDeletions
    unread = []
    for model in context.unreadModels.compactMap(\.model) {
      let state = model._$state
      guard state.pointee.hasFailedReads, state.pointee.flags.contains(.changed), let extras = state.pointee.extras
      else { continue }
      unread.append((model: model, reads: extras.failedReads))
    }
  }

  /// Removes failed reads that succeeded since the transaction began. Called before the transaction is undone.
  mutating func dropSuccessfulReads() {
    for index in unread.indices {
      let state = unread[index].model._$state
      let reads = unread[index].reads.compactMap { state.pointee.failedRead(at: $0.position) }
      unread[index].reads = ContiguousArray(reads)
    }
  }

  /// Restores the errors, except for rejected changes that a save inside of the transaction has thrown.
  func restore(in context: ModelContext) {
    if context.thrownRefusalCount == thrownCount {
      // Observers may have made changes during the undo. `context.refusals` contains the rejected changes among them.
      context.refusals = refusals + context.refusals
      context.reportedRefusals = reported
    }
    context.exchange(\.orphans, for: orphans)
    context.exchange(\.foreignReferences, for: foreignReferences)
    context.exchange(\.uncomparedLists, for: uncomparedLists)
    context.exchange(\.incompleteDeletions, for: incompleteDeletions)
    for (model, reads) in unread {
      for read in reads { context.noteAgain(read, of: model) }
    }
  }
}

/// The objects of a context that lost the target of a required relationship, in order.
///
/// Look-ups are by object, because many objects may lose and regain one target. Removed entries are returned to the
/// caller, so that they are released after the mutation: the deinitialiser of an object may change the list.
struct OrphanList {
  private var entries: ContiguousArray<Orphan?> = []
  private var indexes: [ObjectIdentifier: [Int]] = [:]

  var isEmpty: Bool { indexes.isEmpty }
  var all: [Orphan] { entries.compactMap { $0 } }

  mutating func append(_ orphan: Orphan) {
    indexes[ObjectIdentifier(orphan.object), default: []].append(entries.count)
    entries.append(orphan)
  }

  /// The lost targets of an object's required relationships.
  func losses(of object: AnyObject) -> [Orphan] {
    indexes[ObjectIdentifier(object)]?.compactMap { entries[$0] } ?? []
  }

  /// Removes the entries of an object.
  ///
  /// - Parameter position: The relationship; nil for all.
  @discardableResult
  mutating func remove(_ object: AnyObject, at position: Int? = nil) -> [Orphan] {
    guard !indexes.isEmpty, let found = indexes.removeValue(forKey: ObjectIdentifier(object)) else { return [] }
    var (removed, kept): ([Orphan], [Int]) = ([], [])
    for index in found {
      guard let orphan = entries[index] else { continue }
      guard position == nil || orphan.position == position else {
        kept.append(index)
        continue
      }
      removed.append(orphan)
      entries[index] = nil
    }
    if !kept.isEmpty { indexes[ObjectIdentifier(object)] = kept }
    if indexes.isEmpty { entries = [] }
    return removed
  }
}

extension ModelContext {
  /// Replaces a list of the context. The former list is released afterwards, because deinitialisers of its objects may
  /// execute code that changes the list.
  func exchange<Value>(_ list: ReferenceWritableKeyPath<ModelContext, Value>, for value: Value) {
    let former = self[keyPath: list]
    self[keyPath: list] = value
    withExtendedLifetime(former) {}
  }
}
