import PersistenceSupport

extension ModelContext {
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
    if autosaveEnabled { try saveChanges(.implicit) }
  }
}
