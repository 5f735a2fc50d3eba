extension ModelContext {
  /// Plans a save for a little later, so that a burst of changes is saved once.
  ///
  /// Only the main context has a place to run later, the main actor. Any other context saves with its next operation
  /// after the time, in the code that uses it: never on another thread.
  func scheduleAutosave() {
    // Never here and now: the change that is announced has not been made yet.
    guard autosave.begin() else { return }
    saveLater(after: AutosaveSchedule.delay)
  }

  private func saveLater(after delay: Duration) {
    guard isMain else { return }
    let reference = MainContextReference(self)
    Task { @MainActor in
      try? await Task.sleep(for: delay)
      reference.context?.saveIfDue()
    }
  }

  /// Saves if the time has come. A failure is logged and the changes stay pending; it is tried again a little later.
  func saveIfDue() {
    guard autosaveEnabled, autosave.isDue, transactionLog == nil else { return }
    autosave.due = nil
    do {
      try save()
    } catch {
      logger.error("autosave failed, the changes stay pending and it is tried again: \(error)")
      saveLater(after: autosave.beginAgain())
    }
  }

  /// Runs a save during which no autosave begins.
  func runAutosavesLater(_ body: () throws -> Void) rethrows {
    autosave.isSaving = true
    defer { autosave.isSaving = false }
    try body()
    autosave.succeed()
  }
}
