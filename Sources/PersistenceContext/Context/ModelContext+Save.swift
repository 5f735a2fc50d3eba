import Foundation
import PersistenceSupport

/// The origin of a save.
enum SaveOrigin {
  /// A call of the program.
  case explicit
  /// An autosave, or the end of the context or its container. No code gets its error, so refused changes wait.
  case implicit
}

extension ModelContext {
  /// Writes all pending changes to the stores, in one transaction for each store. Apple's.
  ///
  /// ``willSave`` is posted before the save, which includes the changes of its observers; ``didSave`` is posted after
  /// it. A failed save leaves the changes pending. Without changes it does nothing. Use it only where the context is
  /// used.
  ///
  /// ```swift
  /// trip.name = "Oslo"
  /// try context.save()
  /// // BEGIN IMMEDIATE; UPDATE "Trip" SET "name" = ? WHERE "_osd_key" = ?; COMMIT
  /// ```
  ///
  /// A save by an observer of ``willSave`` writes at once, without another ``willSave``. A save by an observer of
  /// ``didSave`` is a separate save. Other code that a save executes, such as the encoding of a value, cannot save: the
  /// call throws, and the changes of such code stay pending.
  ///
  /// Stores commit one by one, after all of them have accepted their changes. If a commit fails after another store has
  /// committed, the error names both stores; the changes of the committed store are saved and posted with ``didSave``,
  /// and the others stay pending.
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
    // A save within a transaction follows its beginning, which has settled all rows.
    try settleUncertainRows()
    if autosave.phase == .idle {
      announceSave()
      if origin == .explicit { try throwRefusals() }
      // An observer may have saved or rolled back everything.
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
    let changes = try retrying { try write(origin, retry: $0, within: phase) }
    if !orphans.isEmpty { exchange(\.orphans, for: OrphanList()) }
    referrers.forget()
    autosave.succeed()
    // Code that the save executed may have made changes.
    if autosaveEnabled, !pending.isEmpty { scheduleAutosave() }
    return changes
  }

  /// Collects the pending changes and writes them.
  ///
  /// - Parameter phase: The phase outside of the save.
  private func write(_ origin: SaveOrigin, retry: Int, within phase: AutosaveSchedule.Phase) throws -> SavedChanges {
    compareLists()
    try completeDeletions()
    if origin == .explicit { try throwRefusals() }
    return try notingLateChanges {
      let changes = SavedChanges(collecting: self)
      // The reads of the validation may execute code of the program too.
      try SaveValidation(changes, in: self).run()
      resolvedConflicts.removeAll()
      try changes.write(in: self, retry: retry) { saved in
        // The changes of the refusing stores are pending again here, and observers may save them.
        autosave.phase = phase
        NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: saved)
      }
      return changes
    }
  }

  /// Runs a save again, from the start, when a concurrent transaction made it fail.
  ///
  /// - Parameter write: Writes, and throws `RetryableFailure` a bounded number of times.
  func retrying<Result>(_ write: (_ retry: Int) throws -> Result) throws -> Result {
    var retry = 0
    let noted = positionsOfFailedReads
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

  /// - Throws: If the calling code is executed by a save of this context.
  func requireNoWriting(_ operation: String) throws {
    guard autosave.phase == .writing else { return }
    throw SwiftDataError(
      .storeFailure,
      "\(operation) was called by code that a save of the same context runs while it writes, such as the encoding of a "
        + "value or an observer of a property; it did nothing. What that code changed is pending: save it in an observer "
        + "of ModelContext.didSave, or after the save")
  }
}
