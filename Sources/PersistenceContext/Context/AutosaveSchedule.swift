import Synchronization

/// When a context saves by itself.
package final class AutosaveSchedule {
  /// How long after the first change.
  static let delay: Duration = .milliseconds(500)

  /// How far a save has come.
  enum Phase {
    case idle
    /// Observers of `willSave` are running: a save that they ask for writes at once.
    case announcing
    /// The changes have been collected and are being written: no other save can begin.
    case writing
  }

  var clock: any AutosaveClock = SystemAutosaveClock()
  var phase = Phase.idle
  /// When the next autosave is due, by the clock; nil when nothing is pending.
  private(set) var due: Duration? {
    didSet { mark.isSet = due != nil }
  }
  /// Says whether a save is due, to whoever may not look at the context.
  package let mark = AutosaveMark()
  /// When the clock next calls; nil when it does not.
  private(set) var nextCall: Duration?
  /// Whether `ContainerStores.autosavingContexts` lists the context.
  var isListed = false
  /// Whether the end of the process looks at the mark.
  var isWatched = false

  /// How long to wait after a failure; twice as long after each, up to a minute.
  private var retryDelay: Duration = .seconds(2)

  /// Whether a save is running, in which autosaves wait. Observers of `didSave` run after it.
  var isSaving: Bool { phase != .idle }

  /// Makes a save due; false when one is already.
  func begin() -> Bool {
    guard due == nil else {
      // All that had waited may have been taken back.
      if isWatched { note(waits: true) }
      return false
    }
    due = clock.now + Self.delay
    return true
  }

  /// Notes for the end of the process whether anything waits for the save that is due.
  func note(waits: Bool) {
    let isSet = waits && due != nil
    if mark.isSet != isSet { mark.isSet = isSet }
  }

  /// Makes another try due after a failure.
  func beginAgain() {
    due = clock.now + retryDelay
    retryDelay = min(retryDelay * 2, .seconds(60))
  }

  func succeed() {
    due = nil
    retryDelay = .seconds(2)
  }

  /// Makes nothing due any more.
  func cancel() {
    due = nil
  }

  var isDue: Bool {
    guard let due, !isSaving else { return false }
    return due <= clock.now
  }

  // MARK: Calls of the clock

  /// Notes that the clock is to call when the save is due, and says after which delay; nil when it calls by then anyway.
  func planCall() -> (moment: Duration, delay: Duration)? {
    guard let due else { return nil }
    let now = clock.now
    if let nextCall, nextCall <= due, nextCall > now { return nil }
    nextCall = due
    let delay = due - now
    // What is due and could not be done yet, such as in the middle of a save, is not tried again at once.
    return (due, delay > .zero ? delay : Self.delay)
  }

  func noteCall(of moment: Duration) {
    if nextCall == moment { nextCall = nil }
  }

  /// Forgets the call that is planned: what it leads to is gone.
  func forgetCall() {
    nextCall = nil
  }
}

/// Whether a context has something to save by itself. Any thread may look.
package final class AutosaveMark: Sendable {
  private let mark = Atomic<Bool>(false)

  var isSet: Bool {
    get { mark.load(ordering: .relaxed) }
    set { mark.store(newValue, ordering: .relaxed) }
  }
}
