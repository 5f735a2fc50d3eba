import PersistenceContext
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// A live query in the isolation of a context, which counts the context's unsaved changes (decision 68).
protocol ContextObserver: AnyObject {
  /// The changes that concern the live query.
  var footprint: Footprint { get }
  /// Records that a change of the context is about to be made, or has been made. The method must not read models or
  /// rows: the change may be in progress.
  func noteChange()
  /// Publishes differences, between two operations of the context.
  func takeTurn()
}

/// The live queries that count the unsaved changes of a context. Confined to the context, which does not retain them.
final class ContextWatch: ContextWatching {
  private struct WeakObserver {
    weak var observer: (any ContextObserver)?
  }

  private var observers: [WeakObserver] = []
  private unowned let context: ModelContext
  /// Whether a turn, in which the live queries publish, is planned.
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
    // If the context cannot be called, the turn takes place at the context's next operation.
    if context.inbox.isLive { context.inbox.ask() } else { context.inbox.receive(RemoteChanges()) }
  }

  // MARK: Publishing

  func takeTurn() {
    isPlanned = false
    guard context.isBetweenOperations else { return }
    // Code that observes a difference may end observers, or add some.
    for observer in observers.compactMap(\.observer) { observer.takeTurn() }
    observers.removeAll { $0.observer == nil }
    if observers.isEmpty { context.watch = nil }
  }
}

extension ModelContext {
  /// Adds a live query, and notifies it of unsaved changes as long as it lives.
  func observe(with observer: any ContextObserver) {
    let known = watch as? ContextWatch ?? ContextWatch(of: self)
    watch = known
    known.add(observer)
  }

  /// Makes the context call a live query's code in an isolation, if the context has no known executor.
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

/// Makes every setter of a model report the change to its context, while a live query exists. Any thread may release
/// it.
final class ChangeRecording: Sendable {
  init() { osd_begin_recording() }

  deinit { osd_end_recording() }
}
