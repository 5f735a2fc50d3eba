import Foundation
import PersistenceSupport

/// Who asks for a save.
enum SaveOrigin {
  /// The code that owns the context.
  case explicit
  /// An autosave, or the end of the context or its container: nobody hears an error, so refusals wait for those who do.
  case implicit
}

extension ModelContext {
  /// Writes what has changed to the store, in one transaction: all of it, or on any failure nothing.
  ///
  /// ``willSave`` is posted before, and what its observers change is saved too; ``didSave`` after. A save that
  /// fails leaves the changes pending, so that they can be mended and saved again. Without changes nothing happens.
  ///
  /// Observers may save too. A save that an observer of ``willSave`` asks for writes at once, without another
  /// ``willSave``; one that an observer of ``didSave`` asks for is a save of its own. Code that runs in between, such as
  /// the encoding of a value, cannot save: that throws, and its changes stay pending.
  ///
  /// Each store of a container commits for itself, when all have taken everything. Should a commit fail nevertheless after
  /// that of another store, as on a disk that fails just then, the error says which stores have saved and which have not.
  /// What was saved is not pending any more, and ``didSave`` tells of it; the rest is, and saving again writes it.
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
    if autosave.phase == .idle {
      announceSave()
      if origin == .explicit { try throwRefusals() }
      // An observer saved or rolled back everything.
      guard !pending.isEmpty else { return }
    }
    let changes = try writeChanges(origin)
    partGoneObjects()
    reportRefusals(origin)
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: changes.userInfo)
    catchUp()
  }

  private func announceSave() {
    autosave.phase = .announcing
    defer { autosave.phase = .idle }
    NotificationCenter.default.post(name: Self.willSave, object: self)
  }

  private func writeChanges(_ origin: SaveOrigin) throws -> SavedChanges {
    let phase = autosave.phase
    autosave.phase = .writing
    defer { autosave.phase = phase }
    compareLists()
    try completeDeletions()
    if origin == .explicit { try throwRefusals() }
    let changes = try notingLateChanges {
      let changes = SavedChanges(collecting: self)
      // What the validation reads may run code, too.
      try SaveValidation(changes, in: self).run()
      resolvedConflicts.removeAll()
      try changes.write(in: self) { saved in
        // What the other stores refuse is pending again by now, and observers may save it.
        autosave.phase = phase
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: saved)
      }
      return changes
    }
    if !orphans.isEmpty { exchange(\.orphans, for: OrphanList()) }
    referrers.forget()
    autosave.succeed()
    // What code changed that the save ran.
    if autosaveEnabled, !pending.isEmpty { scheduleAutosave() }
    return changes
  }

  /// - Throws: When the code that asks is run by a save that is being written.
  func requireNoWriting(_ operation: String) throws {
    guard autosave.phase == .writing else { return }
    throw SwiftDataError(
      .storeFailure,
      "\(operation) was called by code that a save of the same context runs while it writes, such as the encoding of a "
        + "value or an observer of a property; it did nothing. What that code changed is pending: save it in an observer "
        + "of ModelContext.didSave, or after the save")
  }

  /// Saves what is pending while the context goes. Nobody can be told any more, so a failure is logged.
  func saveOnClosing() {
    defer { reportLostRefusals() }
    guard !pending.isEmpty else { return }
    do {
      compareLists()
      try completeDeletions()
      let changes = SavedChanges(collecting: self)
      // What a save would refuse is no more valid for being the last one.
      try SaveValidation(changes, in: self).run()
      // From here on the context is gone for everybody: user code that runs while values are encoded must not keep it.
      for changes in entityChanges.values { changes.closeContext() }
      try changes.write(in: self)
    } catch {
      logger.error("the autosave of a closing context failed, its changes (\(pending)) are lost: \(error)")
    }
  }
}
