extension ModelContext {
  /// What every operation does first that reads: saves if that is due, and takes in what others saved.
  func beginReading() {
    saveIfDue()
    if inbox.hasNews { receiveChanges() }
  }

  /// Takes in what other contexts and processes saved: registered models that have nothing pending in what changed read
  /// their rows again, and their observers hear of it. Models whose rows are gone say so.
  ///
  /// Only between operations: in the middle of a save or a transaction nothing changes but by the code that runs.
  func receiveChanges() {
    guard inbox.hasNews, mayReceive else { return }
    isReceiving = true
    defer { isReceiving = false }
    let news = inbox.take()
    for map in orderedMaps { receive(news, in: map) }
  }

  private var mayReceive: Bool {
    !isReceiving && transactionLog == nil && !autosave.isSaving && insertions == nil && !isUndoing
  }

  private func receive(_ news: ChangeNews, in map: IdentityMap) {
    let rows = news.rows[ObjectIdentifier(map.modelType)]
    if news.meansAll || rows?.meansAll == true {
      // The objects of a hierarchy are registered with its root.
      if news.meansAll, !map.isRoot { return }
      guard !refresh(map.rootMap.livingObjects(), in: map.rootMap) else { return }
      return inbox.putBack(ChangeNews.Rows(meansAll: true), of: map.rootMap.modelType)
    }
    guard let rows else { return }
    for object in living(rows.deleted, in: map) { markAsGone(object, in: map) }
    guard !refresh(living(rows.changed, in: map), in: map) else { return }
    inbox.putBack(ChangeNews.Rows(changed: rows.changed), of: map.modelType)
  }

  private func living(_ keys: Set<Int64>, in map: IdentityMap) -> [AnyObject] {
    keys.sorted().compactMap { map.object(for: $0) }
  }

  /// Reads the rows of objects again. The list keeps the objects alive meanwhile. False when they cannot be read now.
  private func refresh(_ objects: [AnyObject], in map: IdentityMap) -> Bool {
    let objects = objects.filter { !map.entity.model($0).isDeleted }
    guard !objects.isEmpty else { return true }
    do {
      let keys = map.keys(of: ContiguousArray(objects))
      let found = try map.store.objects(FetchRequest(entity: map.entity, selection: .keys(keys)), in: map)
      guard found.count < objects.count else { return true }
      let known = Set(found.map { ObjectIdentifier($0) })
      for object in objects where !known.contains(ObjectIdentifier(object)) { markAsGone(object, in: map) }
      return true
    } catch {
      map.noteReadFailure(error)
      return false
    }
  }

  private func markAsGone(_ object: AnyObject, in map: IdentityMap) {
    func mark<T: PersistentModel>(_ model: T) { model._$noteGone(in: map) }
    mark(map.entity.model(object))
  }

  /// Looks whether other processes have saved since anybody last looked, and if so takes in what they changed.
  func noticeForeignChanges(in store: StoreCoordinator) {
    if store.announceForeignChanges() { receiveChanges() }
  }
}

extension PersistentModel {
  /// Notes that somebody else deleted the row. What waits to be saved still waits, and its save says what happened.
  fileprivate func _$noteGone(in map: IdentityMap) {
    let state = _$state
    guard state.pointee.dirty == 0, state.pointee.flags.isDisjoint(with: [.inserted, .deleted, .gone]) else { return }
    if state.pointee.isRegistered { map.depart(self, key: state.pointee.primaryKey) }
    state.pointee.flags.insert(.gone)
    guard state.pointee.isObserved else { return }
    for property in map.entity.properties { _$announce(property.keyPath) }
  }

  /// Tells the observers of a property that there is something to look at.
  private func _$announce(_ keyPath: AnyKeyPath) {
    func announce<Value>(_ type: Value.Type) {
      guard let keyPath = keyPath as? KeyPath<Self, Value> else { return }
      _$withMutation(keyPath) {}
    }
    _openExistential(type(of: keyPath).valueType, do: announce)
  }
}
