import PersistenceRuntime
import Synchronization

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
    EndOfProcess.shared.watch(autosave.mark, isReached: execution != nil)
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

/// The state of a context's autosave. Confined to the context, except for ``mark``.
package final class AutosaveSchedule {
  /// The delay after the first change.
  static let delay: Duration = .milliseconds(500)

  /// The phase of a running save.
  enum Phase {
    case idle
    /// Observers of `willSave` run. A save that they request writes at once.
    case announcing
    /// The collected changes are written. No other save can begin.
    case writing
  }

  var clock: any AutosaveClock = SystemAutosaveClock()
  var phase = Phase.idle
  /// The time of the next autosave, by the clock; nil if nothing is pending.
  private(set) var due: Duration? {
    didSet { mark.isSet = due != nil }
  }
  /// Whether a save is due, readable from any thread.
  package let mark = AutosaveMark()
  /// The time of the clock's next call; nil if none is planned.
  private(set) var nextCall: Duration?
  /// Whether `ContainerStores.autosavingContexts` lists the context.
  var isListed = false
  /// Whether ``EndOfProcess`` checks the mark.
  var isWatched = false

  /// The delay after a failure. It doubles with each failure, up to a minute.
  private var retryDelay: Duration = .seconds(2)

  /// Whether a save is running. Autosaves wait for it; observers of `didSave` run after it.
  var isSaving: Bool { phase != .idle }

  /// Makes a save due; false if one is due already.
  func begin() -> Bool {
    guard due == nil else {
      // The pending changes may have been taken back since.
      if isWatched { note(waits: true) }
      return false
    }
    due = clock.now + Self.delay
    return true
  }

  /// Updates the mark: whether changes wait for the save that is due.
  func note(waits: Bool) {
    let isSet = waits && due != nil
    if mark.isSet != isSet { mark.isSet = isSet }
  }

  /// Plans another attempt after a failure.
  func beginAgain() {
    due = clock.now + retryDelay
    retryDelay = min(retryDelay * 2, .seconds(60))
  }

  func succeed() {
    due = nil
    retryDelay = .seconds(2)
  }

  /// Cancels the save that is due.
  func cancel() {
    due = nil
  }

  var isDue: Bool {
    guard let due, !isSaving else { return false }
    return due <= clock.now
  }

  // MARK: Calls of the clock

  /// Plans a call of the clock for the save that is due; nil if an earlier call is planned.
  func planCall() -> (moment: Duration, delay: Duration)? {
    guard let due else { return nil }
    let now = clock.now
    if let nextCall, nextCall <= due, nextCall > now { return nil }
    nextCall = due
    let delay = due - now
    // A save that is due but cannot run yet, as during another save, is not retried at once.
    return (due, delay > .zero ? delay : Self.delay)
  }

  func noteCall(of moment: Duration) {
    if nextCall == moment { nextCall = nil }
  }

  /// Forgets the planned call, whose executor is gone.
  func forgetCall() {
    nextCall = nil
  }
}

/// Whether a context has changes that wait for an autosave. Any thread may read it.
package final class AutosaveMark: Sendable {
  private let mark = Atomic<Bool>(false)

  var isSet: Bool {
    get { mark.load(ordering: .relaxed) }
    set { mark.store(newValue, ordering: .relaxed) }
  }
}

/// The clock of autosaves. Tests use one that they advance.
package protocol AutosaveClock: Sendable {
  /// The time since a fixed moment.
  var now: Duration { get }

  /// Runs an action once, after a delay.
  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void)
}

/// The clock of the system.
struct SystemAutosaveClock: AutosaveClock {
  private static let start = ContinuousClock.now

  var now: Duration { Self.start.duration(to: .now) }

  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      await action()
    }
  }
}
