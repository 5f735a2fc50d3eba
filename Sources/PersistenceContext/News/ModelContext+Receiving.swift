import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// What every operation does first that reads: saves if that is due, and takes in what others saved.
  package func beginReading() {
    saveIfDue()
    if inbox.hasNews { receiveChanges() }
    // Reads may have found out that rows are gone, and no save or news followed.
    if !gone.isEmpty { partGoneObjects() }
  }

  /// Takes in what other contexts and processes saved: registered models that have nothing pending in what changed read
  /// their rows again, and their observers hear of it. Models whose rows are gone say so.
  ///
  /// Only between operations: in the middle of a save or a transaction nothing changes but by the code that runs.
  package func receiveChanges() {
    guard inbox.hasNews, mayReceive else { return }
    // When all of them are known, and observers may read again.
    defer { partGoneObjects() }
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

  /// In the middle of a read of this thread, rows would come from its snapshot, which may be older than the news.
  private var mayReceive: Bool {
    !isReceiving && transactionSnapshot == nil && !autosave.isSaving && insertions == nil && !isUndoing
      && !subscriptions.contains(where: \.engine.isReadingHere)
  }

  private func receive(_ news: RemoteChanges, in map: IdentityMap) throws {
    let rows = news.rows[ObjectIdentifier(map.modelType)]
    if news.meansAll || rows?.meansAll == true {
      // The objects of a hierarchy are registered with its root.
      if news.meansAll, !map.isRoot { return }
      refreshOneByOne(map.rootMap.secondObjects, in: map.rootMap)
      return try refresh(map.rootMap.livingObjects(), in: map.rootMap)
    }
    if let rows { try receive(rows, in: map) }
  }

  /// Takes in what happened to rows of an entity.
  func receive(_ rows: RemoteChanges.Rows, in map: IdentityMap) throws {
    if !map.seconds.isEmpty {
      refreshOneByOne(rows.changed.union(rows.deleted).flatMap { map.secondObjects(ofRow: $0) }, in: map)
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

  /// Reads the rows of objects again. The list keeps the objects alive meanwhile.
  private func refresh(_ objects: [AnyObject], in map: IdentityMap) throws {
    for object in objects { noteContested(object, in: map) }
    let objects = objects.filter { !map.entity.model($0).isDeleted }
    guard !objects.isEmpty else { return }
    let keys = map.keys(of: ContiguousArray(objects))
    let found: ContiguousArray<AnyObject>
    do {
      found = try map.store.objects(FetchRequest(entity: map.entity, selection: .keys(keys)), in: map)
    } catch  where Self.kind(of: error) == .corruptValue {
      // One value that is none must not keep the others from being read.
      return refreshOneByOne(objects.map(map.entity.model), in: map)
    }
    // Observers of what was read may have changed others.
    for object in objects { noteContested(object, in: map) }
    guard found.count < objects.count else { return }
    let known = Set(found.map { ObjectIdentifier($0) })
    for object in objects where !known.contains(ObjectIdentifier(object)) { markAsGone(object, in: map) }
  }

  /// Reads the rows of objects again, each by itself: second objects of rows, which are few, and rows of which one cannot be
  /// read. An object whose row is gone says so.
  func refreshOneByOne(_ models: [any PersistentModel], in map: IdentityMap) {
    func refresh<T: PersistentModel>(_ model: T) {
      let own = model._$state.pointee.identityMap ?? map
      noteContested(model, in: own)
      guard model._$state.pointee.flags.isDisjoint(with: [.deleted, .gone]) else { return }
      // A transaction that is undone takes back what its saves made of the row.
      didTouch(model, in: own)
      own.store.takeIn(model, in: own)
    }
    for model in models { refresh(model) }
  }

  /// Makes the objects of rows what those say, now that a transaction in which they were read is undone.
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
    if !map.seconds.isEmpty { refreshOneByOne(keys.flatMap { map.secondObjects(ofRow: $0) }, in: map) }
  }

  /// Makes all objects of rows that were saved what those say now, where there are several.
  func refreshRows(of saved: ContiguousArray<AnyObject>, in map: IdentityMap) {
    var known: Set<Int64> = []
    for key in map.keys(of: saved) where known.insert(key).inserted && !map.secondObjects(ofRow: key).isEmpty {
      refreshOneByOne(map.objects(ofRow: key), in: map)
    }
  }

  /// Remembers that what an object with pending changes was when it was read may not be what its row is: its save
  /// compares the two.
  private func noteContested(_ object: AnyObject, in map: IdentityMap) {
    func note<T: PersistentModel>(_ model: T) {
      let state = model._$state
      guard state.pointee.dirty != 0 || state.pointee.flags.contains(.deleted) else { return }
      (state.pointee.identityMap ?? map).changes?.originals.contest(state.pointee.primaryKey)
    }
    note(map.entity.model(object))
  }

  private func markAsGone(_ object: AnyObject, in map: IdentityMap) {
    // By its own class, whose properties are announced.
    let own = map.entity.model(object)._$state.pointee.identityMap ?? map
    func mark<T: PersistentModel>(_ model: T) { model._$noteGone(in: own) }
    mark(own.entity.model(object))
  }

  /// Looks whether other processes have saved since anybody last looked, and if so takes in what they changed.
  package func noticeForeignChanges(in store: StoreCoordinator) {
    if store.announceForeignChanges() { receiveChanges() }
  }
}

extension IdentityMap {
  /// Notes that there is no row of an object of the map, which a read found before the news of the deletion came.
  ///
  /// Unlike with the news, that is so for an object with changes that wait, too: what it has not read cannot be read.
  func noteMissingRow<T: PersistentModel>(of model: T) {
    let key = model._$state.pointee.primaryKey
    context?.didTouch(model, in: self)
    let others = otherObjects(ofRowOf: model, key: key)
    // By its own class, whose properties are announced.
    entity.model(model)._$becomeLost(in: self)
    func noteGone<Other: PersistentModel>(_ other: Other, in own: IdentityMap) {
      context?.didTouch(other, in: own)
      other._$noteGone(in: own)
    }
    for other in others { noteGone(other, in: other._$state.pointee.identityMap ?? self) }
  }
}

extension PersistentModel {
  /// Notes that somebody else deleted the row. What waits to be saved still waits, and its save says what happened.
  func _$noteGone(in map: IdentityMap) {
    let state = _$state
    guard state.pointee.dirty == 0, state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return }
    _$becomeLost(in: map)
  }

  /// Makes the object one whose row others deleted, and tells its observers.
  fileprivate func _$becomeLost(in map: IdentityMap) {
    _$becomeGone(in: map)
    _$state.pointee.flags.insert(.lost)
    _$announceAll(in: map)
  }

  /// Tells the observers of all properties that there is something to look at.
  private func _$announceAll(in map: IdentityMap) {
    guard _$state.pointee.isObserved else { return }
    // An inherited property is read by the key path of the class that declares it.
    for keyPath in map.entity.positions.keys { _$announce(keyPath) }
  }

  /// Tells the observers of a property that there is something to look at.
  private func _$announce(_ keyPath: AnyKeyPath) {
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
