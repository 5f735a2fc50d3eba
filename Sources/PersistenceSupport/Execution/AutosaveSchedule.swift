import Synchronization

/// The state of a context's autosave. Only used on the context's thread or actor, except for ``mark``.
package final class AutosaveSchedule {
  /// The delay after the first change.
  package static let delay: Duration = .milliseconds(500)

  /// The phase of a running save.
  package enum Phase: Sendable {
    case idle
    /// Observers of `willSave` run. If an observer calls `save()`, that save writes at once.
    case announcing
    /// The save writes the collected changes. No other save can begin: `save()` throws.
    case writing
  }

  package var clock: any AutosaveClock = SystemAutosaveClock()
  @exclusivity(unchecked) package var phase = Phase.idle
  /// The time of ``clock`` at which the next autosave is due; nil if no autosave is due.
  @exclusivity(unchecked) package private(set) var due: Duration? {
    didSet { mark.isSet = due != nil }
  }
  /// Whether changes wait for an autosave. Any thread may read it.
  package let mark = AutosaveMark()
  /// The time of the clock's next call; nil if none is planned.
  package private(set) var nextCall: Duration?
  /// Whether `ContainerStores.autosavingContexts` lists the context.
  package var isListed = false
  /// Whether ``EndOfProcess`` checks ``mark``.
  package var isWatched = false

  /// The delay before the next attempt after a failed autosave. The delay doubles with each failure, up to a minute.
  private var retryDelay: Duration = .seconds(2)

  package init() {}

  /// Whether a save is running. No autosave begins before the save ends. Observers of `didSave` run after its end.
  package var isSaving: Bool { phase != .idle }

  /// Sets the time of the next autosave. Returns false if it is already set.
  package func begin() -> Bool {
    guard due == nil else {
      // A revert of all pending changes may have cleared the mark in the meantime.
      if isWatched { note(waits: true) }
      return false
    }
    due = clock.now + Self.delay
    return true
  }

  /// Sets ``mark`` if changes are pending and an autosave is planned, and clears it otherwise.
  package func note(waits: Bool) {
    let isSet = waits && due != nil
    if mark.isSet != isSet { mark.isSet = isSet }
  }

  package func beginAgain() {
    due = clock.now + retryDelay
    retryDelay = min(retryDelay * 2, .seconds(60))
  }

  package func succeed() {
    due = nil
    retryDelay = .seconds(2)
  }

  package func cancel() {
    due = nil
  }

  package var isDue: Bool {
    guard let due, !isSaving else { return false }
    return due <= clock.now
  }

  // MARK: Calls of the clock

  /// Plans a call of the clock for the next autosave. Returns nil if a call by that time is already planned.
  package func planCall() -> (moment: Duration, delay: Duration)? {
    guard let due else { return nil }
    let now = clock.now
    if let nextCall, nextCall <= due, nextCall > now { return nil }
    nextCall = due
    let delay = due - now
    // If a due save cannot run yet, for example during another save, the clock waits for the full delay again.
    return (due, delay > .zero ? delay : Self.delay)
  }

  package func noteCall(of moment: Duration) {
    if nextCall == moment { nextCall = nil }
  }

  /// Removes the planned call: the executor that it was planned for no longer exists, so the call will not come.
  package func forgetCall() {
    nextCall = nil
  }
}

/// Whether a context has changes that wait for an autosave. Any thread may read it.
package final class AutosaveMark: Sendable {
  private let mark = Atomic<Bool>(false)

  package var isSet: Bool {
    get { mark.load(ordering: .relaxed) }
    set { mark.store(newValue, ordering: .relaxed) }
  }
}

/// The clock of autosaves. Tests use a clock that they advance.
package protocol AutosaveClock: Sendable {
  /// The time that has passed since a fixed moment, such as the first use of the clock.
  var now: Duration { get }

  /// Runs an action once, after a delay.
  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void)
}

/// The clock of the system.
package struct SystemAutosaveClock: AutosaveClock {
  private static let start = ContinuousClock.now

  package init() {}

  package var now: Duration { Self.start.duration(to: .now) }

  package func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      await action()
    }
  }
}
