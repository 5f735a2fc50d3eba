import PersistenceRuntime

extension ModelContext {
  /// The clock by which autosaves are due.
  package var autosaveClock: any AutosaveClock {
    get { autosave.clock }
    set { autosave.clock = newValue }
  }

  /// Plans a save for a little later, so that a burst of changes is saved once.
  ///
  /// It runs where the code of the context runs: on the main actor, or on the executor of its model actor. A context of
  /// which no executor is known saves with its next operation after the time, in the code that uses it.
  func scheduleAutosave() {
    // Never here and now: the change that is announced has not been made yet.
    guard autosave.begin() else { return }
    watchEndOfProcess()
    startAutosaveTimer()
  }

  /// Has the log say what is lost if the process ends before the save. The main context is looked at itself then.
  private func watchEndOfProcess() {
    guard !isMain, !autosave.isWatched else { return }
    autosave.isWatched = true
    EndOfProcess.shared.watch(autosave.mark, isReached: execution != nil, logger)
  }

  /// Notes for the end of the process that changes were taken back: it must not say that they are lost.
  func noteTakenBack() {
    if autosave.isWatched { autosave.note(waits: !pending.isEmpty) }
  }

  /// Has the clock call when a save is due. The call keeps neither the context nor its executor alive.
  func startAutosaveTimer() {
    guard execution != nil else { return askLater() }
    guard let call = autosave.planCall(), let place = ContextHandle(of: self) else { return }
    if !autosave.isListed {
      autosave.isListed = true
      stores.autosavingContexts.add(place, ObjectIdentifier(autosave))
    }
    autosave.clock.run(after: call.delay) {
      await place.run { $0.autosaveTimerDidEnd(call.moment) }
    }
  }

  /// A model actor whose executor is not serial is found through the actor itself.
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

  /// Saves if the time has come. A failure is logged and the changes stay pending; it is tried again a little later.
  package func saveIfDue() {
    guard autosaveEnabled, autosave.isDue, transactionSnapshot == nil else { return }
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
