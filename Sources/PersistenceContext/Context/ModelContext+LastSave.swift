// The saves at the end of a context or its container. No later save writes what code changes while they run.

import PersistenceRuntime
import PersistenceSupport

extension ModelContext {
  /// The number of saves at the end: each writes what code changed during the one before, and may run such code again.
  private static let mostLastSaves = 8

  /// Saves a context with autosave before its stores are closed.
  ///
  /// - Throws: The error of the save, or `SwiftDataError.storeBusy` during a save or a transaction.
  package func saveBeforeClosing() throws {
    guard transactionSnapshot == nil, !autosave.isSaving else {
      throw SwiftDataError(
        .storeBusy,
        "the container cannot be closed by code that runs in a save or a transaction of one of its contexts; "
          + "close it afterwards")
    }
    guard autosaveEnabled else { return }
    try savingAgain { try saveChanges(.implicit) }
  }

  /// Saves pending changes in the deinit of the context. A failure can only be logged.
  func saveOnClosing() {
    defer { reportLostRefusals() }
    guard !pending.isEmpty else { return }
    do {
      try settleUncertainRows()
      var isRepeated = false
      try savingAgain {
        try saveHidden(isRepeated: isRepeated)
        isRepeated = true
      }
    } catch {
      logger.error("the autosave of a closing context failed, its changes (\(pending)) are lost: \(error)")
    }
  }

  /// Saves until nothing is pending, a bounded number of times.
  private func savingAgain(_ save: () throws -> Void) throws {
    for _ in 0..<Self.mostLastSaves {
      try save()
      guard !pending.isEmpty else { return }
    }
    logger.error(
      """
      code that the last \(Self.mostLastSaves) saves of a context ran, such as the encoding of a value, changed models \
      each time: the changes from the last time (\(pending)) are lost
      """)
  }

  /// Saves in the deinit of the context.
  ///
  /// - Parameter isRepeated: Whether code of a save before this one made the changes.
  private func saveHidden(isRepeated: Bool) throws {
    hide(false)
    if isRepeated { insertRelatedOfChanged() }
    compareLists()
    try completeDeletions()
    let changes = SavedChanges(collecting: self)
    // The last save validates like any other.
    try SaveValidation(changes, in: self).run()
    try changes.loadRelationships()
    // Code of the program that the encoding executes must not retain a context that is in its deinit.
    hide(true)
    try retrying { retry in
      try notingLateChanges {
        try (retry == 0 ? changes : SavedChanges(collecting: self)).write(in: self, retry: retry)
      }
    }
  }

  private func hide(_ isHidden: Bool) {
    self.isHidden = isHidden
    for changes in entityChanges.values { changes.hideContext(isHidden) }
  }

  /// Inserts new objects that code related to others while the context was hidden.
  private func insertRelatedOfChanged() {
    for changes in orderedChanges where changes.map.entity.hasRelationships {
      for object in changes.livingChanged { insertRelated(of: object, in: changes.map, as: changes.map.modelType) }
    }
  }

  private func insertRelated<T: PersistentModel>(of object: AnyObject, in map: IdentityMap, as type: T.Type) {
    insertRelated(of: unsafeDowncast(object, to: T.self), in: map)
  }
}
