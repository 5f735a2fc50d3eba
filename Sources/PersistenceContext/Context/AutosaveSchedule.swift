import Synchronization

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
