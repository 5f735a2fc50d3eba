import PersistenceSupport

extension ModelContext {
  /// Saves what a context that saves by itself has left, before its stores are closed.
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
