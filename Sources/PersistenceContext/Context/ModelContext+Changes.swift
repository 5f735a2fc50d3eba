import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Registers a model, and the models that it relates to, for insertion by the next save. Apple's.
  ///
  /// Inserting a model again has no effect. If the model is marked for deletion, the mark is removed. If its row was
  /// already deleted, the next save inserts a new row. A model of another context, or of a type outside of the schema,
  /// is rejected: the next ``save()`` throws. Call this method only on the thread or actor of the context.
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
  /// For example, a list's slot is empty while the list is changed in place. A save would mark this change as saved.
  func insertWithoutSaving<T: PersistentModel>(_ model: T) {
    guard insertions == nil else { return enroll(model) }
    var watch = RollbackWatch(in: self)
    repeat {
      watch.begin()
      insertions = []
      enroll(model)
      var next = 0
      // A queue instead of recursion: a chain of many related objects could overflow the stack.
      while let model = insertions?.dropFirst(next).first {
        follow(model)
        next += 1
      }
      insertions = nil
    } while watch.mustRepeat
  }

  /// Marks a model for deletion by the next save, and applies its delete rules. Apple's.
  ///
  /// A model that was never saved leaves the context at once. A model of another context is rejected: the next
  /// ``save()`` throws. Call this method only on the thread or actor of the context.
  /// - Parameter model: The model.
  public func delete<T: PersistentModel>(_ model: T) {
    saveIfDue()
    deleteWithoutSaving(model)
  }

  /// Deletes a model without an autosave, so that no save separates several deletions of the caller.
  package func deleteWithoutSaving<T: PersistentModel>(_ model: T) {
    guard let map = model._$state.pointee.identityMap else { return }
    guard map.context === self else { return refuse(deletionOf: model) }
    guard !markUnrelatedDeleted(model, in: map) else { return }
    var watch = RollbackWatch(in: self)
    repeat {
      watch.begin()
      var deletion = Deletion(in: self)
      deletion.run(from: model)
    } while watch.mustRepeat
    noteTakenBack()
  }

  /// Marks a saved and loaded object for deletion if its entity has no relationships, so that no other object changes.
  ///
  /// - Returns: False if the object needs a ``Deletion``.
  private func markUnrelatedDeleted<T: PersistentModel>(_ model: T, in map: IdentityMap) -> Bool {
    guard undoRecorder == nil, let changes = map.changes, changes.isUnrelated,
      model._$state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone, .fault])
    else { return false }
    map.didUse(model._$state.pointee.primaryKey)
    didTouch(model, in: map)
    markDeleted(model, in: changes)
    noteChange(ofRowsIn: map)
    noteTakenBack()
    return true
  }

  func markDeleted<T: PersistentModel>(_ model: T, in changes: EntityChanges) {
    takeBackChange(of: model)
    model._$state.pointee.flags.insert(.deleted)
    changes.deleted.append(model)
    pending.deleted += 1
  }

  /// True if changes are pending, or if the context has rejected a change and the next save throws. Apple's.
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

  /// Marks rows for deletion by the next save. No objects are created for them.
  ///
  /// - Returns: The keys that were not marked before.
  @discardableResult
  package func markDeleted(rows keys: [Int64], of changes: EntityChanges) -> [Int64] {
    let new = keys.filter { changes.batchDeletedKeys.insert($0).inserted }
    pending.batchDeletedKeys += new.count
    return new
  }

  /// Removes the marks of ``markDeleted(rows:of:)``, so that the next save does not delete these rows.
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

  /// The changes of all entities, in the order of the schema, so that saves write in the same order each time.
  var orderedChanges: [EntityChanges] {
    guard entityChanges.count > 1 else { return entityChanges.first.map { [$0.value] } ?? [] }
    return stores.modelTypes.compactMap { entityChanges[ObjectIdentifier($0)] }
  }
}

extension ModelContext {
  func didChange<T: PersistentModel>(_ model: T, in changes: EntityChanges) {
    changes.changed.append(model)
    pending.changed += 1
    didTouch(model, in: changes.map)
    noteChange()
  }

  /// Plans an autosave, and notifies live queries of an insertion or deletion.
  ///
  /// - Parameter map: The entity of an inserted or deleted object. Nil for setters: they notify live queries
  ///   themselves.
  package func noteChange(ofRowsIn map: IdentityMap? = nil) {
    if notesChanges { announceChange(ofRowsIn: map) }
  }

  private func announceChange(ofRowsIn map: IdentityMap?) {
    if let map, let watch { watch.noteRows(of: ObjectIdentifier(map.modelType)) }
    if autosaveEnabled { scheduleAutosave() }
  }

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
    readCascadedRows { $0.owner === model }
    cascadedRows.removeAll { $0.owner === model }
    undoRecorder?.willInsert(model, in: map)
    state.pointee.flags.remove(.deleted)
    map.changes?.noteTakenBack()
    pending.deleted -= 1
    referrers.forget()
    receiveAgain(of: state.pointee.primaryKey, in: map)
    // Changes of properties before or after the deletion are pending again.
    if state.pointee.dirty != 0 { model._$becomeChanged() }
    relateAgain(model, in: map, yields: false)
  }

  /// Makes the context read a row again, if another context or process changed it while its object was deleted here.
  private func receiveAgain(of key: Int64, in map: IdentityMap) {
    guard map.changes?.originals.contested.contains(key) == true else { return }
    inbox.putBack(RemoteChanges(RemoteChanges.Rows(changed: [key]), of: map.modelType))
  }

  /// Removes a model from this context before it is inserted into another context. Only for a model that was inserted
  /// here because of a relationship, not by a call of ``insert(_:)``.
  private func dismiss<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    for relationship in map.entity.relationships {
      for object in model._$edit(.read, at: relationship.position).objects {
        model._$unlink(EntityLayout.model(object, as: relationship.destinationType), relationship)
      }
    }
    takeBackInsertion(of: model)
    // When the model is inserted into its new context, the inverses of all its relationships are set again.
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

  /// Removes an object from the changed objects. The object still records which of its properties have changed.
  func takeBackChange<T: PersistentModel>(of model: T) {
    let state = model._$state
    guard state.pointee.flags.contains(.changed) else { return }
    state.pointee.flags.remove(.changed)
    state.pointee.identityMap?.changes?.noteTakenBack()
    pending.changed -= 1
  }

  /// Inserts the related objects of a new object. If a related object belongs to another context of the container, this
  /// context's own object of the same row replaces it.
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
      // If the initialiser set relationships, `_$applyLinks` sets the inverses later, for the objects that the
      // relationships then contain.
      let isTold = !model._$state.pointee.flags.contains(.unlinked)
      for object in held {
        let related = EntityLayout.model(object, as: relationship.destinationType)
        let other = admit(related, relatedTo: model, at: relationship.position, in: map)
        // An object of another context stays in the relationship. Each save throws until the program replaces it.
        if other == nil {
          foreignReferences.append(ForeignReference(model: model, relationship: relationship, related: related))
        }
        admitted.append(other ?? related)
      }
      guard !zip(admitted, held).allSatisfy({ $0 === $1 }) else { continue }
      let news = model._$replaceMembers(held, by: admitted, at: relationship.position)
      model._$state.pointee.extras?.list(at: relationship.position)?.forgetMembers()
      guard isTold else { continue }
      // Only the new objects are linked: the inverses of the other objects are already set.
      for object in news { model._$link(EntityLayout.model(object, as: relationship.destinationType), relationship) }
    }
  }

  /// Returns true if an object is registered in this context. Returns false for an actor that runs on another executor,
  /// because only code on that executor may read the actor's state.
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

  /// The object to use in a relationship. A new object is inserted and returned. An object of another context of the
  /// container is replaced by this context's object of the same row; if there is none, the change is rejected.
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

  /// The model, if the value is a model or an optional model; otherwise nil.
  package static func model(_ value: Any) -> (any PersistentModel)? {
    if let model = value as? any PersistentModel { return model }
    return ((value as? any OptionalValue)?.wrappedValue) as? any PersistentModel
  }

  /// The models, if the value is an array or an optional array of models; otherwise an empty array.
  package static func models(_ value: Any) -> [any PersistentModel] {
    if let models = value as? [any PersistentModel] { return models }
    return (((value as? any OptionalValue)?.wrappedValue) as? [any PersistentModel]) ?? []
  }
}

// Changes that a context rejects. `insert`, `delete` and setters cannot throw, so the next save throws the errors.

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

  /// Throws the errors of the changes that were rejected since the last save. Autosaves do not call this function.
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

  /// Logs each rejected change once, during an autosave. The next save that the program calls throws the errors.
  func reportRefusals(_ origin: SaveOrigin) {
    guard origin == .implicit, reportedRefusals < refusals.count else { return }
    for refusal in refusals[reportedRefusals...] {
      logger.error("an autosave did without what was refused; the next save() throws it: \(refusal)")
    }
    reportedRefusals = refusals.count
  }

  /// Logs the rejected changes when the context is released before a save has thrown them.
  func reportLostRefusals() {
    for refusal in refusals { logger.error("a context ended before a save could throw what it refused: \(refusal)") }
  }
}

/// The errors that the next save must throw. A transaction copies them first, and restores them if it is undone.
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

  /// Removes failed reads of properties that were read successfully since. Called before the transaction is undone.
  mutating func dropSuccessfulReads() {
    for index in unread.indices {
      let state = unread[index].model._$state
      let reads = unread[index].reads.compactMap { state.pointee.failedRead(at: $0.position) }
      unread[index].reads = ContiguousArray(reads)
    }
  }

  /// Restores the errors. Rejected changes are not restored if a save inside of the transaction has thrown them.
  func restore(in context: ModelContext) {
    if context.thrownRefusalCount == thrownCount {
      // `context.refusals` contains the changes by observers that were rejected during the undo.
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

/// The objects whose required relationship lost its target, for example by a deletion, in the order of the losses.
///
/// A dictionary finds the entries of an object, because many objects may lose one target. Removed entries are returned,
/// so that the caller releases them after the mutation: the deinitialiser of an object may change the list.
struct OrphanList {
  private var entries: ContiguousArray<Orphan?> = []
  private var indexes: [ObjectIdentifier: [Int]] = [:]

  var isEmpty: Bool { indexes.isEmpty }
  var all: [Orphan] { entries.compactMap { $0 } }

  mutating func append(_ orphan: Orphan) {
    indexes[ObjectIdentifier(orphan.object), default: []].append(entries.count)
    entries.append(orphan)
  }

  /// The entries of an object: one for each of its required relationships that lost its target.
  func losses(of object: AnyObject) -> [Orphan] {
    indexes[ObjectIdentifier(object)]?.compactMap { entries[$0] } ?? []
  }

  /// Removes the entries of an object.
  ///
  /// - Parameter position: The position of the relationship; nil for all relationships.
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
  /// Replaces a list of the context, and then releases the former list: deinitialisers of its objects may change the
  /// list.
  func exchange<Value>(_ list: ReferenceWritableKeyPath<ModelContext, Value>, for value: Value) {
    let former = self[keyPath: list]
    self[keyPath: list] = value
    withExtendedLifetime(former) {}
  }
}
