import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport

/// The origin of a save.
enum SaveOrigin {
  /// The program called `save()` or `transaction(block:)`.
  case explicit
  /// An autosave, or the last save when the context is released or its container closes. The save logs the errors of
  /// rejected changes. The next save that the program calls throws them, if there is one.
  case implicit
}

extension ModelContext {
  /// Writes all pending changes to the stores, in one transaction for each store. Apple's.
  ///
  /// ``willSave`` is posted before the save, and the save includes the changes that its observers make. ``didSave`` is
  /// posted after the save. If the save fails, the changes stay pending. Without changes, the method does nothing. Call
  /// it only on the thread or actor of the context.
  ///
  /// ```swift
  /// trip.name = "Oslo"
  /// try context.save()
  /// // BEGIN IMMEDIATE; UPDATE "Trip" SET "name" = ? WHERE "_osd_key" = ?; INSERT INTO _osd_history …; COMMIT
  /// ```
  ///
  /// If an observer of ``willSave`` calls this method, the call writes at once, without another ``willSave``. If an
  /// observer of ``didSave`` calls it, that is a separate save. Other code that a save executes, such as the encoding
  /// of a value, cannot save: the call throws, and the changes that such code makes stay pending.
  ///
  /// If the context has several stores, all of them first accept the changes, and then commit one after another. If a
  /// commit fails after another store has committed, the error names both stores. The changes of the committed store
  /// are then saved and posted with ``didSave``, and the other changes stay pending.
  ///
  /// - Throws: `SwiftDataError` that names the entity, the property and the reason.
  public func save() throws {
    try throwRefusals()
    try saveChanges(.explicit)
  }

  func saveChanges(_ origin: SaveOrigin) throws {
    undoRecorder?.endEvent()
    guard !pending.isEmpty else { return reportRefusals(origin) }
    try requireNoWriting("save()")
    // Within a transaction this call does nothing: it was already made at the beginning of the transaction.
    try settleUncertainRows()
    if autosave.phase == .idle {
      announceSave()
      if origin == .explicit { try throwRefusals() }
      // An observer may have saved or rolled back everything.
      guard !pending.isEmpty else { return }
    }
    let changes = try writeChanges(origin)
    if !gone.isEmpty { partGoneObjects() }
    reportRefusals(origin)
    announce(changes.identifiers(replacing: savedInformation.takeTokens()))
    catchUp()
  }

  private func writeChanges(_ origin: SaveOrigin) throws -> SavedChanges {
    let phase = autosave.phase
    autosave.phase = .writing
    defer { autosave.phase = phase }
    let changes = try retrying { try write(origin, retry: $0, within: phase) }
    if !orphans.isEmpty { exchange(\.orphans, for: OrphanList()) }
    referrers.forget()
    autosave.succeed()
    // Code that the save executed may have made new changes.
    if autosaveEnabled, !pending.isEmpty { scheduleAutosave() }
    return changes
  }

  /// Collects the pending changes and writes them.
  ///
  /// - Parameter phase: The phase before the save. It is set again while ``didSave`` is posted after only some stores
  ///   have committed, so that observers can save.
  private func write(_ origin: SaveOrigin, retry: Int, within phase: AutosaveSchedule.Phase) throws -> SavedChanges {
    compareLists()
    if !cascadedRows.isEmpty { readCascadedKeys(retry: retry) }
    if !incompleteDeletions.isEmpty { try completeDeletions() }
    if origin == .explicit { try throwRefusals() }
    return try notingLateChanges {
      let changes = SavedChanges(collecting: self)
      // The validation reads properties, which may execute code of the program that changes models.
      try SaveValidation(changes, in: self).run()
      resolvedConflicts.removeAll()
      do {
        try changes.write(in: self, retry: retry) { saved in
          // The changes of the failed stores are pending again here, and observers may save them.
          autosave.phase = phase
          announce(saved)
        }
      } catch is UnreadCascade {
        readCascadedKeys { _ in true }
        return try write(origin, retry: retry, within: phase)
      }
      return changes
    }
  }

  /// Runs a save, and runs it again from the start each time that a concurrent transaction makes it fail.
  ///
  /// - Parameter write: Writes the changes. It throws `RetryableFailure` to be called again, a bounded number of times.
  func retrying<Result>(_ write: (_ retry: Int) throws -> Result) throws -> Result {
    var retry = 0
    let noted = unreadModels.isEmpty ? [:] : positionsOfFailedReads
    while true {
      do {
        return try write(retry)
      } catch is RetryableFailure {
        withdrawFailedReads(besides: noted)
        retry += 1
        logger.debug("a concurrent transaction made a save fail, which is run again (\(retry))")
      }
    }
  }

  /// - Throws: `SwiftDataError.storeFailure` if a save of this context is writing and has executed the calling code.
  package func requireNoWriting(_ operation: String) throws {
    guard autosave.phase == .writing else { return }
    throw SwiftDataError(
      .storeFailure,
      "\(operation) was called by code that a save of the same context runs while it writes, such as the encoding of a "
        + "value or an observer of a property; it did nothing. What that code changed is pending: save it in an observer "
        + "of ModelContext.didSave, or after the save")
  }
}

extension ModelContext {
  /// Runs a block and saves its changes, atomically. Apple's; the undo after an error is ours.
  ///
  /// If the block or the save throws, all changes since the beginning of the block are undone, in memory and in the
  /// store, including saves by the block. Earlier changes stay pending. If an inner transaction throws, only its
  /// changes are undone; if it succeeds, its saves are committed with the outermost transaction. As with ``save()``,
  /// each store commits separately. Call this method only on the thread or actor of the context.
  ///
  /// ```swift
  /// try context.transaction {
  ///   account.balance -= 10
  ///   other.balance += 10
  /// }
  /// ```
  /// - Parameter block: Changes models of the context.
  /// - Throws: The errors of the block and of the save.
  public func transaction(block: () throws -> Void) throws {
    try requireNoWriting("transaction()")
    try settleUncertainRows()
    var unreported = UnreportedErrors(of: self)
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
      if !gone.isEmpty { partGoneObjects() }
      catchUp()
    } catch {
      unreported.dropSuccessfulReads()
      withoutUndo { undo(log, after: error) }
      unreported.restore(in: self)
      // A save inside of the block may have cancelled a planned autosave. Its changes are pending again.
      if hasChanges { noteChange() }
      undoRecorder?.endTransaction(succeeds: false)
      if !gone.isEmpty { partGoneObjects() }
      throw error
    }
  }

  func didTouch<T: PersistentModel>(_ model: T, in map: IdentityMap) {
    guard !isUndoing else { return }
    transactionSnapshot?.touch(model, in: map)
  }

  // MARK: Undoing

  private func undo(_ log: TransactionSnapshot, after error: any Error) {
    let uncertain = log.uncertainRows
    let restorable = log.restorable
    // Objects that the transaction inserted become new again. Their empty slots are read while their rows still exist.
    for touched in restorable where touched.key == 0 { _ = touched.object._$failureToReadAll() }
    log.rollBack(after: error)
    log.restoreRanks()
    // The outer transaction must not record the restored values as its changes.
    transactionSnapshot = log.parent
    isUndoing = true
    defer { isUndoing = false }
    // Objects are registered before any read: otherwise a reference to their row would create a second object.
    for touched in restorable where touched.key != 0 { revive(touched.object, in: touched.map, key: touched.key) }
    rollback()
    for touched in restorable where touched.key == 0 { withdraw(touched.object) }
    log.releaseReads()
    for touched in restorable where touched.key != 0 { restore(touched.object, in: touched.map, key: touched.key) }
    for (map, keys) in log.rows.values { readAgain(keys, in: map) }
    for snapshot in log.snapshots { restore(snapshot.object, from: snapshot) }
    for (changes, keys) in log.batchDeletedKeys {
      changes.batchDeletedKeys = keys
      pending.batchDeletedKeys += keys.count
    }
    cascadedRows = log.cascadedRows
    for (changes, values) in log.originals { changes.originals = values }
    log.restoreFlags()
    uncertainRows += uncertain
    referrers.forget()
    // `rollback()` has recorded that no autosave is needed, but changes from before the transaction are pending again.
    noteTakenBack()
  }

  /// Registers an object again, if a save of the undone transaction deleted its row.
  private func revive<T: PersistentModel>(_ model: T, in map: IdentityMap, key: Int64) {
    let state = model._$state
    guard state.pointee.flags.contains(.gone) || state.pointee.primaryKey != key else { return }
    if state.pointee.primaryKey != key {
      // The transaction deleted the object and inserted it again with a new key. Discards the new identifier.
      state.pointee.token?.unresolve()
      state.pointee.token = nil
    }
    state.pointee.withdraw(Unmanaged.passUnretained(model).toOpaque())
    register(model, key, in: map, flags: state.pointee.flags.subtracting([.gone, .lost]))
  }

  /// Registers an object for its row. If another object is registered for the row, adds it as a second object. The
  /// first of the row's objects that the transaction touched becomes the registered one, even if it was not before.
  private func register<T: PersistentModel>(
    _ model: T, _ key: Int64, in map: IdentityMap, flags: ModelState.Flags
  ) {
    if let known = map.object(for: key), known !== model {
      model._$becomeSecond(key, in: map, flags: flags)
    } else {
      model._$register(key, in: map, flags: flags)
    }
  }

  /// Restores an object from its row, after the store has rolled back the transaction that changed the object.
  private func restore<T: PersistentModel>(_ model: T, in map: IdentityMap, key: Int64) {
    let state = model._$state
    state.pointee.flags.subtract([.touched, .gone, .lost, .deleted, .changed])
    register(model, key, in: map, flags: state.pointee.flags)
    state.pointee.dirty = 0
    state.pointee.forgetListChanges()
    map.store.restore(model, in: map)
  }

  /// Removes an object that the undone transaction inserted, even if a save had written its row.
  private func withdraw<T: PersistentModel>(_ model: T) {
    model._$state.pointee.token?.unresolve()
    model._$state.pointee.becomeNew(model)
  }

  // MARK: Earlier pending changes

  private func takeSnapshots(into log: TransactionSnapshot) {
    log.cascadedRows = cascadedRows
    for changes in entityChanges.values {
      // The `EntityChanges` of a root class contain the keys of all its subclasses.
      if changes.isRoot, !changes.batchDeletedKeys.isEmpty {
        log.batchDeletedKeys.append((changes, changes.batchDeletedKeys))
      }
      if !changes.originals.isEmpty { log.originals.append((changes, changes.originals)) }
      for object in changes.livingInserted + changes.livingChanged + changes.livingDeleted {
        guard let model = object as? any PersistentModel else { continue }
        log.record(snapshot(of: model, in: changes))
        // A save within the transaction may write the pending changes of the object.
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
      // If the value could not be read, the getter returned a default, which must not be restored as a value.
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

  /// Restores the pending changes of an object. No inverse is updated: the related objects have their own snapshots.
  private func restore<T: PersistentModel>(_ model: T, from snapshot: TransactionSnapshot.Snapshot) {
    let state = model._$state
    if snapshot.flags.contains(.inserted) { enlist(model, in: snapshot.changes, flags: snapshot.flags) }
    if let row = snapshot.formerRow { state.pointee.ensureExtras().formerRow = row }
    for (keyPath, value) in snapshot.values {
      restored = (model, keyPath)
      model._$set(value, at: keyPath)
    }
    restored = nil
    for (position, objects) in snapshot.relationships {
      model._$willChange(position)
      var edit = RelationshipSlotOperation(.restore)
      edit.objects = objects
      model._$relate(&edit, position)
    }
    state.pointee.dirty |= snapshot.dirty
    if state.pointee.dirty != 0, !state.pointee.flags.contains(.changed) { model._$becomeChanged() }
    if !snapshot.lists.isEmpty { state.pointee.ensureExtras().lists = ContiguousArray(snapshot.lists) }
    if snapshot.flags.contains(.deleted) { markDeleted(model, in: snapshot.changes) }
  }

  /// Adds an object to the inserted objects again.
  private func enlist<T: PersistentModel>(_ model: T, in changes: EntityChanges, flags: ModelState.Flags) {
    let state = model._$state
    guard !state.pointee.flags.contains(.inserted) else { return }
    // The snapshots restore both sides of each relationship, so the object needs no update of its relationships.
    state.pointee.forgetLeaving()
    state.pointee.identityMap = changes.map
    state.pointee.flags.formUnion(flags.intersection([.inserted, .joined]))
    changes.inserted.append(model)
    if let token = state.pointee.token { changes.noteUnsaved(token, of: model) }
    pending.inserted += 1
    didTouch(model, in: changes.map)
    noteChange(ofRowsIn: changes.map)
  }
}

// How a store begins transactions, and how it notifies contexts of commits.

extension StoreCoordinator {
  /// Deletes every row of the store, and notifies all contexts.
  package func erase() throws {
    var number: Int64?
    do {
      try engine.erase { number = commits.begin() }
    } catch {
      if let number { end(number, isUncertain: UnknownOutcome.isCause(of: error)) }
      throw error
    }
    if let number { end(number, isUncertain: false) }
  }

  private func end(_ number: Int64, isUncertain: Bool) {
    guard !isUncertain else { return noteUncertain(commit: number, from: nil) }
    commits.end(number)
    notifyOfAll(after: number, from: nil)
  }

  /// Notifies the other contexts of a commit.
  func notify(_ news: RemoteChanges, commit number: Int64, from sender: ChangeInbox) {
    guard subscribers.areSeveral else { return }
    var news = news
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
  }

  // MARK: Commits of unknown outcome

  /// Begins a transaction. Earlier commits with an ``UnknownOutcome`` have then ended, so contexts are notified.
  func beginTransaction(retry: Int = 0) throws -> any StoreTransaction {
    let transaction = try retry > 0 ? engine.beginTransaction(retry: retry) : engine.beginTransaction()
    if hasUncertainCommits.load(ordering: .acquiring) { settleUncertainCommits() }
    return transaction
  }

  /// Notifies the other contexts of a commit with an unknown outcome.
  ///
  /// The commit may still happen after these contexts have read the rows again. So its commit number does not count as
  /// complete, and the contexts are notified again when the commit has ended.
  func noteUncertain(commit number: Int64, from sender: ChangeInbox?) {
    uncertainCommits.withLock { commits in
      commits.append((number, sender))
      hasUncertainCommits.store(true, ordering: .releasing)
    }
    subscribers.notify(.unknown, from: sender)
    watchers.notify(.unknown)
  }

  private func settleUncertainCommits() {
    let settled = uncertainCommits.withLock { commits in
      defer { commits = [] }
      hasUncertainCommits.store(false, ordering: .releasing)
      return commits
    }
    for (number, sender) in settled {
      commits.end(number)
      notifyOfAll(after: number, from: sender)
    }
  }
}

extension ModelContext {
  /// Commits a transaction of this context.
  ///
  /// - Parameter changesRows: Whether the transaction changes or deletes rows that other contexts may have read.
  /// - Returns: The commit number, with which the other contexts are notified; nil if none of their rows is changed.
  /// - Throws: The error of the store. If it is an `UnknownOutcome`, the store may have committed nevertheless.
  func commit(_ transaction: any StoreTransaction, to store: StoreCoordinator, changesRows: Bool) throws -> Int64? {
    guard changesRows else {
      try transaction.commit()
      return nil
    }
    // The number is assigned before the commit: from then on, no other context is considered up to date.
    let number = store.commits.begin()
    do {
      try transaction.commit()
    } catch {
      guard !UnknownOutcome.isCause(of: error) else {
        // This context does not record the commit as known either, so its next save compares rows.
        store.noteUncertain(commit: number, from: inbox)
        throw error
      }
      store.commits.end(number)
      know(number, of: store)
      store.notify(RemoteChanges(), commit: number, from: inbox)
      throw error
    }
    store.commits.end(number)
    know(number, of: store)
    return number
  }

  private func know(_ number: Int64, of store: StoreCoordinator) {
    guard let index = reaches.firstIndex(where: { $0.store === store }) else { return }
    reaches[index].reach.commits.insert(number)
  }
}
