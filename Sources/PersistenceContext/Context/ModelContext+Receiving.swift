import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// Called first by each operation that reads. Runs an autosave that is due, and applies remote changes.
  package func beginReading() {
    saveIfDue()
    if inbox.hasNews { receiveChanges() }
    if !uncertainRows.isEmpty { settleBeforeReading() }
    // Earlier reads may have found deleted rows, whose objects release each other here, in case no save follows.
    if !gone.isEmpty { partGoneObjects() }
  }

  /// Applies the changes of other contexts and processes. The models of changed rows read their rows again, except for
  /// properties with pending changes, and observers are notified. Models of deleted rows become deleted.
  ///
  /// The changes are applied only between operations, not during a save or a transaction.
  package func receiveChanges() {
    guard inbox.hasNews, mayReceive else { return }
    applyChanges()
    // A live inbox calls `takeTurn()` itself, which updates the live queries.
    if let watch, !inbox.isLive { watch.takeTurn() }
  }

  /// Does the work of the context between operations: a due autosave, remote changes, and updates of live queries.
  package func takeTurn() {
    beginReading()
    watch?.takeTurn()
  }

  private func applyChanges() {
    // A pending deletion may cascade to rows without objects. Another context may have given such a row another owner,
    // so objects are created for these rows now. If their keys are not read, the save deletes what then has the owner.
    defer { readCascadedRows { $0.keys != nil } }
    cascadeReads = nil
    // Deleted objects release each other last, because that notifies observers, which may read again.
    defer { if !gone.isEmpty { partGoneObjects() } }
    isReceiving = true
    defer { isReceiving = false }
    let news = inbox.take()
    var failure: (any Error)?
    for changes in orderedChanges {
      do { try receive(news, in: changes.map) } catch { failure = failure ?? error }
    }
    if let failure {
      logger.error("reading what others changed failed, the next operation tries again: \(failure)")
      return inbox.putBack(news)
    }
    know(news.reaches)
    comparedRows = 0
  }

  /// Determines which rows of new objects exist after a commit with an unknown outcome. Without this, the following
  /// read would create second objects for these rows.
  private func settleBeforeReading() {
    guard mayReceive else { return }
    do {
      try settleUncertainRows()
    } catch {
      logger.error("whether the rows of new models exist is still unknown, the next operation tries again: \(error)")
    }
  }

  /// Returns true if remote changes may be applied now. False while this thread reads a store: the running read may
  /// have an older snapshot.
  private var mayReceive: Bool {
    !isReceiving && transactionSnapshot == nil && !autosave.isSaving && insertions == nil && !isUndoing
      && !subscriptions.contains(where: \.isReadingHere)
  }

  /// Returns true if live queries may publish results now.
  package var isBetweenOperations: Bool { mayRefresh && transactionSnapshot == nil }

  /// Returns true if live queries may read now. If not, for example during a save, they return their previous results.
  package var mayRefresh: Bool { !isReceiving && !autosave.isSaving && insertions == nil && !isUndoing }

  private func receive(_ news: RemoteChanges, in map: IdentityMap) throws {
    let rows = news.rows[ObjectIdentifier(map.modelType)]
    if news.meansAll || rows?.meansAll == true {
      // The map of the root class contains the objects of all subclasses, so only this map reads them again.
      if news.meansAll, !map.isRoot { return }
      refreshTogether(map.rootMap.secondObjects, in: map.rootMap)
      return try refresh(map.rootMap.livingObjects(), in: map.rootMap)
    }
    if let rows { try receive(rows, in: map) }
  }

  /// Updates the objects of changed and deleted rows of an entity.
  func receive(_ rows: RemoteChanges.Rows, in map: IdentityMap) throws {
    if !map.seconds.isEmpty {
      refreshTogether(rows.changed.union(rows.deleted).flatMap { map.secondObjects(ofRow: $0) }, in: map)
    }
    for object in living(rows.deleted, in: map) {
      noteContested(object, in: map)
      markAsGone(object, in: map)
    }
    try refresh(living(rows.changed, in: map), in: map)
  }

  private func living(_ keys: Set<Int64>, in map: IdentityMap) -> [AnyObject] {
    keys.sorted().compactMap { map.object(for: $0) }
  }

  /// Reads the rows of objects again. The array keeps the objects alive; the map does not.
  private func refresh(_ objects: [AnyObject], in map: IdentityMap) throws {
    for object in objects { noteContested(object, in: map) }
    let objects = objects.filter { !map.entity.model($0).isDeleted }
    guard !objects.isEmpty else { return }
    let keys = map.keys(of: ContiguousArray(objects))
    let found: ContiguousArray<AnyObject>
    do {
      found = try map.store.objects(FetchRequest(entity: map.entity, selection: .keys(keys)), in: map)
    } catch  where Self.kind(of: error) == .corruptValue {
      // A corrupt value of one row must not prevent the reads of the other rows.
      return refreshOneByOne(objects.map(map.entity.model), in: map)
    }
    // The read has notified observers. The observers may have changed more of these objects.
    for object in objects { noteContested(object, in: map) }
    guard found.count < objects.count else { return }
    let known = Set(found.map { ObjectIdentifier($0) })
    let missing = objects.filter { !known.contains(ObjectIdentifier($0)) }
    for object in missing { markAsGone(object, in: map) }
    noteMissing(missing, in: map)
  }

  /// Records that the rows of some objects are missing. Relationships that refer to these rows become unread.
  private func noteMissing(_ objects: [AnyObject], in map: IdentityMap) {
    let classes = Dictionary(grouping: objects.map(map.entity.model)) {
      ObjectIdentifier($0._$state.pointee.identityMap ?? map)
    }
    for models in classes.values {
      (models[0]._$state.pointee.identityMap ?? map).noteMissing(models.map { $0._$state.pointee.primaryKey })
    }
  }

  /// Reads the rows of objects again, with one query for each. Objects of deleted rows become deleted.
  private func refreshOneByOne(_ models: [any PersistentModel], in map: IdentityMap) {
    func refresh<T: PersistentModel>(_ model: T) {
      let own = model._$state.pointee.identityMap ?? map
      noteContested(model, in: own)
      guard model._$state.pointee.flags.isDisjoint(with: [.deleted, .gone]) else { return }
      // If a save within a transaction applies remote changes, the undo of the transaction restores these objects too.
      didTouch(model, in: own)
      own.store.takeIn(model, in: own)
    }
    for model in models { refresh(model) }
  }

  /// Reads the rows of objects again, with one query for each class. The map need not contain the objects. Objects of
  /// deleted rows become deleted.
  func refreshTogether(_ models: [any PersistentModel], in map: IdentityMap) {
    guard models.count > 1 else { return refreshOneByOne(models, in: map) }
    let classes = Dictionary(grouping: models) { ObjectIdentifier($0._$state.pointee.identityMap ?? map) }
    for models in classes.values {
      let own = models[0]._$state.pointee.identityMap ?? map
      refreshTogether(models, ofClassIn: own, as: own.modelType)
    }
  }

  private func refreshTogether<T: PersistentModel>(
    _ models: [any PersistentModel], ofClassIn map: IdentityMap, as type: T.Type
  ) {
    let all = ContiguousArray(models.map { $0 as AnyObject })
    for object in all { noteContested(object, in: map) }
    let objects: ContiguousArray<AnyObject> = all.filter {
      unsafeDowncast($0, to: T.self)._$state.pointee.flags.isDisjoint(with: [.deleted, .gone])
    }
    // If a save within a transaction applies remote changes, the undo of the transaction restores these objects too.
    for object in objects { didTouch(unsafeDowncast(object, to: T.self), in: map) }
    map.store.takeIn(objects, in: map, as: type)
    // The read has notified observers. The observers may have changed more of these objects.
    for object in objects { noteContested(object, in: map) }
  }

  /// After the undo of a transaction, reads rows again that were read during the transaction.
  func readAgain(_ keys: Set<Int64>, in map: IdentityMap) {
    let objects = living(keys, in: map)
    do {
      try refresh(objects, in: map)
    } catch {
      func wait<T: PersistentModel>(_ model: T, in own: IdentityMap) { own.store.restore(model, in: own) }
      for model in objects.map(map.entity.model) where !model.isDeleted {
        wait(model, in: model._$state.pointee.identityMap ?? map)
      }
    }
    if !map.seconds.isEmpty { refreshTogether(keys.flatMap { map.secondObjects(ofRow: $0) }, in: map) }
  }

  /// After a save, reads the saved rows that have several objects again, and updates all of these objects.
  func refreshRows(of saved: ContiguousArray<AnyObject>, in map: IdentityMap) {
    var known: Set<Int64> = []
    var models: [any PersistentModel] = []
    for key in map.keys(of: saved) where known.insert(key).inserted && !map.secondObjects(ofRow: key).isEmpty {
      models += map.objects(ofRow: key)
    }
    refreshTogether(models, in: map)
  }

  /// Records that the row of an object with pending changes may have changed. The save then compares row and object.
  private func noteContested(_ object: AnyObject, in map: IdentityMap) {
    func note<T: PersistentModel>(_ model: T) {
      let state = model._$state
      guard state.pointee.dirty != 0 || state.pointee.flags.contains(.deleted) else { return }
      (state.pointee.identityMap ?? map).changes?.originals.contest(state.pointee.primaryKey)
    }
    note(map.entity.model(object))
  }

  private func markAsGone(_ object: AnyObject, in map: IdentityMap) {
    // Uses the object's own class, so that the observers of all of its properties are notified.
    let own = map.entity.model(object)._$state.pointee.identityMap ?? map
    func mark<T: PersistentModel>(_ model: T) { model._$noteGone(in: own) }
    mark(own.entity.model(object))
  }

  /// Checks whether other processes have committed, and applies their changes.
  package func noticeForeignChanges(in store: StoreCoordinator) {
    if store.announceForeignChanges() { receiveChanges() }
  }
}

extension IdentityMap {
  /// Marks an object as deleted because a read did not find its row. A notification of the deletion may still follow.
  ///
  /// Unlike a notification, this also marks an object with pending changes, because its other values are unreadable.
  func noteMissingRow<T: PersistentModel>(of model: T) {
    let key = model._$state.pointee.primaryKey
    context?.didTouch(model, in: self)
    let others = otherObjects(ofRowOf: model, key: key)
    // Uses the object's own class, so that the observers of all of its properties are notified.
    entity.model(model)._$becomeLost(in: self)
    func noteGone<Other: PersistentModel>(_ other: Other, in own: IdentityMap) {
      context?.didTouch(other, in: own)
      other._$noteGone(in: own)
    }
    for other in others { noteGone(other, in: other._$state.pointee.identityMap ?? self) }
    noteMissing([key])
  }
}

extension PersistentModel {
  /// Marks the object as deleted, because another context or process deleted its row. An object with pending changes is
  /// not marked; its save resolves the conflict.
  func _$noteGone(in map: IdentityMap) {
    let state = _$state
    guard state.pointee.dirty == 0, state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return }
    _$becomeLost(in: map)
  }

  /// Marks the object as deleted by another context or process, and notifies observers.
  fileprivate func _$becomeLost(in map: IdentityMap) {
    _$becomeGone(in: map)
    _$state.pointee.flags.insert(.lost)
    _$announceAll(in: map)
  }

  /// Notifies the observers of all properties.
  private func _$announceAll(in map: IdentityMap) {
    guard _$state.pointee.isObserved else { return }
    // The root of each key path is the class that declares the property, which may be a superclass.
    for keyPath in map.entity.positions.keys { _$announce(keyPath) }
  }

  /// Notifies the observers of a property.
  func _$announce(_ keyPath: AnyKeyPath) {
    guard let declaring = type(of: keyPath).rootType as? any PersistentModel.Type else { return }
    func announce<Root: PersistentModel, Value>(_ root: Root.Type, _ value: Value.Type) {
      guard let model = self as? Root, let keyPath = keyPath as? KeyPath<Root, Value> else { return }
      model._$withMutation(keyPath) {}
    }
    func announceValue<Root: PersistentModel>(_ root: Root.Type) {
      func announceOpened<Value>(_ value: Value.Type) { announce(root, value) }
      _openExistential(type(of: keyPath).valueType, do: announceOpened)
    }
    announceValue(declaring)
  }
}

// The commits whose changes a context has already read. If the store may have further commits, a save compares rows.

extension ModelContext {
  /// Records which commits a store contains when the context first uses it. The context has already subscribed to the
  /// store, so it is notified of all later commits.
  func noteFirstUse(of store: StoreCoordinator) {
    guard !reaches.contains(where: { $0.store === store }) else { return }
    // If this thread is within a read, the context reads from an older snapshot, so it records no commit as known.
    let isReading = store.isReadingHere
    let engine = isReading || store.engine.isSingleWriter ? nil : store.engine as? any ComparingEngine
    reaches.append((store, isReading ? StoreReach() : StoreReach(of: store), engine?.beginReads()))
    if isReading { store.notifyOfEverything(inbox) }
  }

  /// Returns true if the context has read the changes of all commits of a store, so that its objects have the values of
  /// the rows. Called within the only write transaction of a store. Valid until another transaction commits.
  func knowsAll(of store: StoreCoordinator) -> Bool {
    guard store.engine.isSingleWriter, let reach = reaches.first(where: { $0.store === store })?.reach else {
      return false
    }
    return reach.isComplete(for: store) && reach.commits.isComplete(through: store.commits.latest)
  }

  /// Records the commits whose changes the context has applied.
  func know(_ known: [ObjectIdentifier: StoreReach]) {
    for index in reaches.indices {
      if let reach = known[ObjectIdentifier(reaches[index].store)] { reaches[index].reach.formUnion(reach) }
    }
  }

  /// Applies remote changes after a save that compared rows, so that the next save need not compare rows.
  ///
  /// If it is unknown which rows have changed, the context has to read all objects again. It does so only after its
  /// saves have compared as many rows as it has objects, and not after each commit of another process.
  func catchUp() {
    guard transactionSnapshot == nil else { return }
    guard comparedRows > 0 else {
      // A store with several writers may compare rows in writes. Remote changes are applied if their rows are known.
      let mayHaveCompared = reaches.contains { !$0.store.engine.isSingleWriter }
      if mayHaveCompared, inbox.hasNews, !inbox.meansAll { receiveChanges() }
      return
    }
    let isWorthIt = comparedRows >= entityChanges.values.reduce(0) { $0 + $1.map.registeredCount }
    if isWorthIt {
      for (store, reach, _) in reaches where !reach.isComplete(for: store) {
        _ = store.announceForeignChanges()
        if !inbox.hasNews { store.notifyOfEverything(inbox) }
      }
    }
    if inbox.hasNews {
      if isWorthIt || !inbox.meansAll { receiveChanges() }
    } else if isWorthIt {
      comparedRows = 0
    }
  }

  /// Adds the conflicts that a save resolved to ``resolvedConflicts``, and logs their paths without values.
  func report(_ conflicts: [SaveConflict]) {
    resolvedConflicts += conflicts
    // Live queries are notified of everything: no notification reports the changes that the conflict policy discarded.
    watch?.noteEverything()
    let list = conflicts.prefix(10).map(\.path).joined(separator: ", ")
    logger.notice("a save met \(conflicts.count) changes of others and merged by \(conflictPolicy): \(list)")
  }
}

extension StoreCoordinator {
  /// Makes a context read all its objects again, because it may have read them from an older snapshot.
  func notifyOfEverything(_ inbox: ChangeInbox) {
    var news = RemoteChanges.unknown
    news.reaches[ObjectIdentifier(self)] = StoreReach(of: self)
    inbox.receive(news)
  }
}

extension StoreReach {
  /// The commits that a store contains now. A read that begins now sees all their changes.
  fileprivate init(of store: StoreCoordinator) {
    self.init(commits: store.commits.ended, foreignChanges: store.engine.foreignChangeCount)
  }

  /// Returns true if `self` contains all commits that the store has so far.
  fileprivate func isComplete(for store: StoreCoordinator) -> Bool {
    isForeignComplete(through: store.engine.foreignChangeCount)
      && commits.isComplete(through: store.commits.settled)
  }
}

extension IdentityMap {
  /// The approximate number of objects in the map of a root class or of an entity without inheritance; otherwise 0.
  fileprivate var registeredCount: Int { isRoot ? objectCount : 0 }
}
