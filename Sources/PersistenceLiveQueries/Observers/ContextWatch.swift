import PersistenceContext
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// A live query of one context. Its results include the context's unsaved changes (decision 68).
protocol ContextObserver: AnyObject {
  /// The entities and properties whose changes may change the results.
  var footprint: Footprint { get }
  /// Called when a change that may concern the results is about to be made, or has been made. The method must only
  /// record that, and must not read models or rows, because the change may be in progress.
  func noteChange()
  /// Runs the fetch again if necessary and publishes differences. Called between two operations of the context.
  func takeTurn()
}

/// The live queries of a context. They are not retained. Only used on the context's thread or actor.
final class ContextWatch: ContextWatching {
  private struct WeakObserver {
    weak var observer: (any ContextObserver)?
  }

  private var observers: [WeakObserver] = []
  private unowned let context: ModelContext
  /// Whether a call of ``takeTurn()``, which makes the live queries publish their results, is already scheduled.
  private var isPlanned = false

  fileprivate init(of context: ModelContext) { self.context = context }

  fileprivate func add(_ observer: any ContextObserver) {
    observers.removeAll { $0.observer == nil }
    observers.append(WeakObserver(observer: observer))
  }

  // MARK: Noting

  func noteChange(_ mask: UInt64, of type: ObjectIdentifier) {
    note { $0.includes(mask, of: type) }
  }

  func noteRows(of type: ObjectIdentifier) {
    note { $0.includesRows(of: type) }
  }

  func noteEverything() { note { _ in true } }

  private func note(_ isConcerned: (Footprint) -> Bool) {
    var (areAny, isAnyConcerned) = (false, false)
    for entry in observers {
      guard let observer = entry.observer else { continue }
      areAny = true
      guard isConcerned(observer.footprint) else { continue }
      observer.noteChange()
      isAnyConcerned = true
    }
    if !areAny { context.watch = nil }
    guard isAnyConcerned, !isPlanned else { return }
    isPlanned = true
    // If the context has no known executor, the live queries publish at the next operation of the context.
    if context.inbox.isLive { context.inbox.ask() } else { context.inbox.receive(RemoteChanges()) }
  }

  // MARK: Publishing

  func takeTurn() {
    isPlanned = false
    guard context.isBetweenOperations else { return }
    // Iterates over a copy, because code that observes a change may add or release live queries.
    for observer in observers.compactMap(\.observer) { observer.takeTurn() }
    observers.removeAll { $0.observer == nil }
    if observers.isEmpty { context.watch = nil }
  }
}

extension ModelContext {
  /// Adds a live query. The context notifies the query of unsaved changes until the query is released.
  func observe(with observer: any ContextObserver) {
    let known = watch as? ContextWatch ?? ContextWatch(of: self)
    watch = known
    known.add(observer)
  }

  /// If the context has no known executor, makes its live queries publish on the given actor.
  func live(in isolation: (any Actor)?) {
    guard !inbox.isLive, let isolation else { return }
    let reference = ContextReference(self)
    inbox.live { [weak isolation] in
      guard let isolation else { return false }
      Task { await Self.takeTurn(of: reference, in: isolation) }
      return true
    }
  }

  private static func takeTurn(of reference: ContextReference, in isolation: isolated any Actor) {
    reference.context?.takeTurn()
  }
}

/// While such an object exists, the setters of all models report changes to their contexts. Any thread may release it.
final class ChangeRecording: Sendable {
  init() { osd_begin_recording() }

  deinit { osd_end_recording() }
}
