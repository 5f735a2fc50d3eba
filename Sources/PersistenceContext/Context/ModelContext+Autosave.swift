import PersistenceRuntime

extension ModelContext {
  /// The clock of autosaves.
  package var autosaveClock: any AutosaveClock {
    get { autosave.clock }
    set { autosave.clock = newValue }
  }

  /// Plans an autosave, so that a burst of changes is saved once.
  ///
  /// It runs on the context's executor: the main actor, or that of the model actor. A context without a known executor
  /// saves at the first operation after the time.
  func scheduleAutosave() {
    // Not at once: the change that is announced has not been made yet.
    guard autosave.begin() else { return }
    watchEndOfProcess()
    startAutosaveTimer()
  }

  /// Registers the mark for the log at the end of the process. A main context is registered itself.
  private func watchEndOfProcess() {
    guard !isMain, !autosave.isWatched else { return }
    autosave.isWatched = true
    EndOfProcess.shared.watch(autosave.mark, isReached: execution != nil, logger)
  }

  /// Updates the mark after changes were taken back, so that the log does not report them as lost.
  func noteTakenBack() {
    if autosave.isWatched { autosave.note(waits: !pending.isEmpty) }
  }

  /// Plans a call of the clock for the save that is due. The call retains neither the context nor its executor.
  func startAutosaveTimer() {
    guard execution != nil else { return askLater() }
    guard let call = autosave.planCall(), let handle = ContextHandle(of: self) else { return }
    if !autosave.isListed {
      autosave.isListed = true
      stores.autosavingContexts.add(handle, ObjectIdentifier(autosave))
    }
    autosave.clock.run(after: call.delay) {
      await handle.run { $0.autosaveTimerDidEnd(call.moment) }
    }
  }

  /// Plans a call through the model actor itself, if its executor is not serial.
  private func askLater() {
    guard inbox.isLive, let call = autosave.planCall() else { return }
    let inbox = inbox
    autosave.clock.run(after: call.delay) { inbox.ask() }
  }

  private func autosaveTimerDidEnd(_ moment: Duration) {
    autosave.noteCall(of: moment)
    saveIfDue()
    startAutosaveTimer()
  }

  /// Saves if an autosave is due, but not in the middle of a transaction or an insertion.
  ///
  /// A failure is logged, the changes stay pending, and another attempt is planned.
  package func saveIfDue() {
    guard autosaveEnabled, autosave.isDue, transactionSnapshot == nil, insertions == nil else { return }
    autosave.cancel()
    do {
      try saveChanges(.implicit)
    } catch {
      guard !stores.isClosed else {
        return logger.error("autosave failed, the container is closed: \(error)")
      }
      logger.error("autosave failed, the changes stay pending and it is tried again: \(error)")
      autosave.beginAgain()
      startAutosaveTimer()
    }
  }
}
