import PersistenceRuntime

extension ModelContext {
  /// Runs a block and saves what it changed, as one: when it throws, everything since its start is undone, in memory
  /// and in the store, even what it saved itself. What was pending before stays pending.
  ///
  /// A transaction inside another that throws is undone alone; what it saves is in the store for good when the outermost
  /// one ends. Each store of a container commits for itself then, as with ``save()``: the error of a store that cannot says
  /// which others have, and only what concerns the rest is undone.
  public func transaction(block: () throws -> Void) throws {
    try requireNoWriting("transaction()")
    var unsaid = UnsaidRefusals(of: self)
    let log = try TransactionSnapshot(inside: transactionSnapshot)
    takeSnapshots(into: log)
    transactionSnapshot = log
    undoRecorder?.beginTransaction()
    let undoRecorder = undoRecorder
    do {
      try block()
      try save()
      try log.commit(of: self)
      transactionSnapshot = log.parent
      log.end()
      undoRecorder?.endTransaction(succeeds: true)
      partGoneObjects()
      catchUp()
    } catch {
      unsaid.keepUp()
      withoutUndo { undo(log, after: error) }
      unsaid.restore(in: self)
      // A save inside has made the autosave forget what is pending again.
      if hasChanges { noteChange() }
      undoRecorder?.endTransaction(succeeds: false)
      partGoneObjects()
      throw error
    }
  }

  func didTouch<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    guard !isUndoing else { return }
    transactionSnapshot?.touch(model, in: map)
  }

  // MARK: Undoing

  private func undo(_ log: TransactionSnapshot, after error: any Error) {
    log.rollBack(after: error)
    log.restoreRanks()
    // What follows only returns to what was: it is no change for the transaction around this one either.
    transactionSnapshot = log.parent
    isUndoing = true
    defer { isUndoing = false }
    // Before anything is read: a relationship that refers to such a row must find its object, and not make another.
    let restorable = log.restorable
    for touched in restorable where touched.key != 0 { revive(touched.object, in: touched.map, key: touched.key) }
    rollback()
    log.releaseReads()
    for touched in restorable { restore(touched) }
    for (map, keys) in log.rows.values { readAgain(keys, in: map) }
    for snapshot in log.snapshots { restore(snapshot.object, from: snapshot) }
    for (changes, keys) in log.batchDeletedKeys {
      changes.batchDeletedKeys = keys
      pending.batchDeletedKeys += keys.count
    }
    for (changes, values) in log.originals { changes.originals = values }
    log.restoreFlags()
    referrers.forget()
    // To roll back took more back than was done in the transaction.
    noteTakenBack()
  }

  /// Makes an object that the transaction deleted and saved the one of its row again, inserted anew or not.
  private func revive<T: PersistentModel>(_ model: T, in map: IdentityMap, key: Int64) {
    let state = model._$state
    guard state.pointee.flags.contains(.gone) || state.pointee.primaryKey != key else { return }
    if state.pointee.primaryKey != key {
      // It was inserted anew as another row, whose identity goes with it.
      state.pointee.token?.unresolve()
      state.pointee.token = nil
    }
    state.pointee.withdraw(Unmanaged.passUnretained(model).toOpaque())
    register(model, key, in: map, flags: state.pointee.flags.subtracting([.gone, .lost]))
  }

  /// Registers an object of a row, or notes it as a second one where the row has another. Which of them comes first is
  /// said by the order in which they were touched, and not by which was registered before.
  private func register<T: PersistentModel>(
    _ model: T, _ key: Int64, in map: IdentityMap, flags: ModelState.Flags
  ) {
    if let known = map.object(for: key), known !== model {
      model._$becomeSecond(key, in: map, flags: flags)
    } else {
      model._$register(key, in: map, flags: flags)
    }
  }

  /// Returns an object that the transaction changed to what the store says, now that the store is as before.
  private func restore(_ touched: TransactionSnapshot.Touched) {
    restore(touched.object, in: touched.map, key: touched.key)
  }

  private func restore<T: PersistentModel>(_ model: T, in map: IdentityMap, key: Int64) {
    let state = model._$state
    state.pointee.flags.remove(.touched)
    if key == 0 { return withdraw(model) }
    state.pointee.flags.subtract([.gone, .lost, .deleted, .changed])
    register(model, key, in: map, flags: state.pointee.flags)
    state.pointee.dirty = 0
    state.pointee.forgetListChanges()
    map.store.restore(model, in: map)
  }

  /// Takes an object out of the context that was new in the transaction, saved in it or not.
  private func withdraw<T: PersistentModel>(_ model: T) {
    model._$state.pointee.token?.unresolve()
    model._$state.pointee.becomeNew(model)
  }

  // MARK: What was pending before

  private func takeSnapshots(into log: TransactionSnapshot) {
    for changes in entityChanges.values {
      // The entities of a hierarchy have one set, the root's.
      if changes.isRoot, !changes.batchDeletedKeys.isEmpty {
        log.batchDeletedKeys.append((changes, changes.batchDeletedKeys))
      }
      if !changes.originals.isEmpty { log.originals.append((changes, changes.originals)) }
      for object in changes.livingInserted + changes.livingChanged + changes.livingDeleted {
        guard let model = object as? any PersistentModel else { continue }
        log.record(snapshot(of: model, in: changes))
        // A save in the transaction settles it like any other change.
        log.touch(model, in: changes.map)
      }
    }
  }

  private func snapshot<T: PersistentModel>(of model: T, in changes: EntityChanges) -> TransactionSnapshot.Snapshot {
    model._$applyLinks()
    let state = model._$state
    let isNew = state.pointee.flags.contains(.inserted)
    let mask = isNew ? PropertyMask.all : state.pointee.dirty
    let changed = changes.map.entity.properties.filter { mask & $0.bit != 0 }
    let values = changed.filter { !$0.isRelationship }.compactMap { property in
      let value = model[keyPath: property.keyPath]
      // What stands in for a value that cannot be read is no value to return to.
      return state.pointee.failedRead(at: property.position) == nil ? value.map { (property.keyPath, $0) } : nil
    }
    let relationships = changed.compactMap(\.relationship).compactMap { relationship in
      let edit = model._$edit(.read, at: relationship.position)
      return edit.isLoaded ? (relationship.position, edit.objects) : nil
    }
    let lists = (state.pointee.extras?.lists ?? []).map { ListChanges(copying: $0) }
    return TransactionSnapshot.Snapshot(
      object: model, changes: changes, flags: state.pointee.flags, dirty: state.pointee.dirty, values: values,
      relationships: relationships, lists: lists, formerRow: isNew ? state.pointee.extras?.formerRow : nil)
  }

  /// Makes an object what it was, with what waited to be saved. Both ends of each relationship have a snapshot, so no end
  /// has to follow the other.
  private func restore<T: PersistentModel>(_ model: T, from snapshot: TransactionSnapshot.Snapshot) {
    let state = model._$state
    if snapshot.flags.contains(.inserted) { enlist(model, in: snapshot.changes, flags: snapshot.flags) }
    if let row = snapshot.formerRow { state.pointee.ensureExtras().formerRow = row }
    for (keyPath, value) in snapshot.values { model._$set(value, at: keyPath) }
    for (position, objects) in snapshot.relationships {
      model._$willChange(position)
      var edit = RelationshipSlotOperation(.restore)
      edit.objects = objects
      model._$relate(&edit, position)
    }
    state.pointee.dirty |= snapshot.dirty
    if state.pointee.dirty != 0, !state.pointee.flags.contains(.changed) { model._$becomeChanged() }
    if !snapshot.lists.isEmpty { state.pointee.ensureExtras().lists = ContiguousArray(snapshot.lists) }
    if snapshot.flags.contains(.deleted) { Deletion(in: self).mark(model, in: snapshot.changes) }
  }

  /// Puts a new object back among those that are to be inserted.
  private func enlist<T: PersistentModel>(_ model: T, in changes: EntityChanges, flags: ModelState.Flags) {
    let state = model._$state
    guard !state.pointee.flags.contains(.inserted) else { return }
    // The snapshot has both ends of what it relates to.
    state.pointee.forgetLeaving()
    state.pointee.identityMap = changes.map
    state.pointee.flags.formUnion(flags.intersection([.inserted, .joined]))
    changes.inserted.append(model)
    if let token = state.pointee.token { changes.noteUnsaved(token, of: model) }
    pending.inserted += 1
    didTouch(model, in: changes.map)
    noteChange()
  }
}
