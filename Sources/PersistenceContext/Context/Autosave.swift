import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import Synchronization

extension ModelContext {
  /// The clock of autosaves.
  package var autosaveClock: any AutosaveClock {
    get { autosave.clock }
    set { autosave.clock = newValue }
  }

  /// Plans an autosave, so that a burst of changes is saved once.
  ///
  /// The autosave runs on the executor of the context: the main actor, or the executor of the model actor. A context
  /// without a known executor saves at its first operation after the autosave is due.
  func scheduleAutosave() {
    // The save runs later, because this function is called before the change is made.
    guard autosave.begin() else { return }
    watchEndOfProcess()
    startAutosaveTimer()
  }

  /// Registers the ``AutosaveMark`` with ``EndOfProcess``. A main context is registered without its mark.
  private func watchEndOfProcess() {
    guard !isMain, !autosave.isWatched else { return }
    autosave.isWatched = true
    EndOfProcess.shared.watch(autosave.mark, isReached: execution != nil)
  }

  /// Updates the ``AutosaveMark`` after pending changes were reverted: ``EndOfProcess`` must not log them as lost.
  func noteTakenBack() {
    if autosave.isWatched { autosave.note(waits: !pending.isEmpty) }
  }

  /// Plans a call of the clock for the due save. The call retains neither the context nor its executor.
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

  /// Plans a call through the model actor itself, for an actor whose executor is not serial.
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
  /// The time of ``clock`` at which the next autosave is due; nil if no autosave is due.
  private(set) var due: Duration? {
    didSet { mark.isSet = due != nil }
  }
  /// Whether a save is due, readable from any thread.
  package let mark = AutosaveMark()
  /// The time of the clock's next call; nil if none is planned.
  private(set) var nextCall: Duration?
  /// Whether `ContainerStores.autosavingContexts` lists the context.
  var isListed = false
  /// Whether ``EndOfProcess`` checks ``mark``.
  var isWatched = false

  /// The delay after a failure. It doubles with each failure, up to a minute.
  private var retryDelay: Duration = .seconds(2)

  /// Whether a save is running. An autosave waits for the end of the save. Observers of `didSave` run after the end.
  var isSaving: Bool { phase != .idle }

  /// Makes a save due; false if one is due already.
  func begin() -> Bool {
    guard due == nil else {
      // The pending changes may have been reverted in the meantime.
      if isWatched { note(waits: true) }
      return false
    }
    due = clock.now + Self.delay
    return true
  }

  /// Sets ``mark`` if changes wait for the due save, and clears it otherwise.
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

  func cancel() {
    due = nil
  }

  var isDue: Bool {
    guard let due, !isSaving else { return false }
    return due <= clock.now
  }

  // MARK: Calls of the clock

  /// Plans a call of the clock for the due save; nil if an earlier call is planned.
  func planCall() -> (moment: Duration, delay: Duration)? {
    guard let due else { return nil }
    let now = clock.now
    if let nextCall, nextCall <= due, nextCall > now { return nil }
    nextCall = due
    let delay = due - now
    // A due save that cannot run yet, for example during another save, is not retried at once.
    return (due, delay > .zero ? delay : Self.delay)
  }

  func noteCall(of moment: Duration) {
    if nextCall == moment { nextCall = nil }
  }

  /// Forgets the planned call, because its executor no longer exists.
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

/// The clock of autosaves. Tests use a clock that they advance.
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

// The notifications that a context posts when it saves.

extension ModelContext {
  /// Posted before a save, without user info, on the thread of the save. Apple's.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// Posted after a successful save, on the thread of the save. Apple's.
  ///
  /// The user info has arrays of ``PersistentIdentifier`` for inserted, updated and deleted models. Each array has
  /// three keys: the raw value of its ``NotificationKey``, the case itself, and a short name such as `"inserted"`.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the user info of ``didSave``. Apple's.
  public enum NotificationKey: String {
    /// The library never posts this key.
    case queryGeneration
    /// The library never posts this key.
    case invalidatedAllIdentifiers
    /// The identifiers of inserted models.
    case insertedIdentifiers
    /// The identifiers of changed models.
    case updatedIdentifiers
    /// The identifiers of deleted models.
    case deletedIdentifiers
    /// The tokens of the save in the history of its stores: a dictionary of ``HistoryToken``, by store identifier. It
    /// contains only stores that keep a history.
    case historyTokens
  }
}

extension ModelContext {
  func announceSave() {
    autosave.phase = .announcing
    defer { autosave.phase = .idle }
    NotificationTurn.post(Notification(name: Self.willSave, object: self))
  }

  func announce(_ saved: SavedIdentifiers) {
    // The user info is moved out of the property while observers run, because an observer may save.
    var information = savedInformation
    savedInformation = SavedInformation()
    information.fill(with: saved)
    NotificationTurn.post(Notification(name: Self.didSave, object: self, userInfo: information.values))
    information.empty(of: saved)
    savedInformation = information
  }
}

/// The user info of ``ModelContext/didSave``.
///
/// A context reuses the dictionary from save to save, so that a save hashes no key and allocates no dictionary. It
/// cannot reuse a dictionary that an observer has retained.
struct SavedInformation {
  private enum Change: UInt8 {
    case inserted = 1
    case updated = 2
    case deleted = 4
    case tokens = 8
  }

  private(set) var values: [AnyHashable: Any] = [:]
  /// The kinds of changes with at least one identifier, as bits of ``Change``.
  private var filled: UInt8 = 0
  /// The tokens of the last save.
  private var tokens: [String: any HistoryToken] = [:]

  /// The maximum number of identifiers that stay until the next save: a release takes as long as their replacement.
  private static let limit = 64

  mutating func fill(with saved: SavedIdentifiers) {
    let layout = saved.tokens.isEmpty ? Self.plain : Self.withTokens
    if values.count != layout.values.count { (values, filled) = (layout.values, 0) }
    set(saved.inserted, of: .inserted, at: layout.inserted)
    set(saved.updated, of: .updated, at: layout.updated)
    set(saved.deleted, of: .deleted, at: layout.deleted)
    for place in layout.tokens { values.values[place] = saved.tokens }
  }

  private mutating func set(
    _ identifiers: [PersistentIdentifier], of change: Change, at places: [Dictionary<AnyHashable, Any>.Index]
  ) {
    let isEmpty = identifiers.isEmpty
    guard !isEmpty || filled & change.rawValue != 0 else { return }
    filled = isEmpty ? filled & ~change.rawValue : filled | change.rawValue
    for place in places { values.values[place] = identifiers }
  }

  /// Removes the tokens. If there are more than ``limit`` identifiers, removes the whole user info.
  mutating func empty(of saved: SavedIdentifiers) {
    let count = saved.inserted.count + saved.updated.count + saved.deleted.count
    if count > Self.limit { self = SavedInformation() }
    guard count <= Self.limit, !saved.tokens.isEmpty else { return }
    for place in Self.withTokens.tokens { values.values[place] = [:] as [String: any HistoryToken] }
    tokens = saved.tokens
  }

  /// Moves the tokens of the last save to the caller, so that the caller's dictionary has no other reference.
  mutating func takeTokens() -> [String: any HistoryToken] {
    defer { tokens = [:] }
    return tokens
  }

  /// An empty user info, and the indices of the keys for each value. A value is stored under several keys.
  private struct Layout {
    let values: [AnyHashable: Any]
    let inserted, updated, deleted, tokens: [Dictionary<AnyHashable, Any>.Index]

    init(tokens hasTokens: Bool) {
      var changes: [AnyHashable: Change] = [
        ModelContext.NotificationKey.insertedIdentifiers.rawValue: .inserted,
        ModelContext.NotificationKey.insertedIdentifiers: .inserted,
        "inserted": .inserted,
        ModelContext.NotificationKey.updatedIdentifiers.rawValue: .updated,
        ModelContext.NotificationKey.updatedIdentifiers: .updated,
        "updated": .updated,
        ModelContext.NotificationKey.deletedIdentifiers.rawValue: .deleted,
        ModelContext.NotificationKey.deletedIdentifiers: .deleted,
        "deleted": .deleted,
      ]
      if hasTokens {
        changes[ModelContext.NotificationKey.historyTokens.rawValue] = .tokens
        changes[ModelContext.NotificationKey.historyTokens] = .tokens
      }
      let values = changes.mapValues {
        $0 == .tokens ? [:] as [String: any HistoryToken] : [PersistentIdentifier]() as Any
      }
      func places(of change: Change) -> [Dictionary<AnyHashable, Any>.Index] {
        values.indices.filter { changes[values[$0].key] == change }
      }
      self.values = values
      (inserted, updated) = (places(of: .inserted), places(of: .updated))
      (deleted, tokens) = (places(of: .deleted), places(of: .tokens))
    }
  }

  // `nonisolated(unsafe)` because `AnyHashable` is not Sendable. The keys are constant strings and enum cases.
  private nonisolated(unsafe) static let plain = Layout(tokens: false)
  private nonisolated(unsafe) static let withTokens = Layout(tokens: true)
}

/// The identifiers of the models that a save wrote.
struct SavedIdentifiers {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// The tokens of the save in the history of its stores, by store identifier.
  var tokens: [String: any HistoryToken] = [:]
}

extension SavedChanges {
  /// The identifiers of the saved models. Called after a commit, before the keys of uncommitted models are reset.
  ///
  /// - Parameter tokens: The tokens of the previous save.
  func identifiers(replacing tokens: consuming [String: any HistoryToken] = [:]) -> SavedIdentifiers {
    let inserted = identifiers { changes in
      upserts.isEmpty ? changes.inserted : changes.inserted.filter { !upserts.contains($0) }
    }
    let replaced = upserts.isEmpty ? [] : identifiers { changes in changes.inserted.filter(upserts.contains) }
    let deleted = identifiers { $0.deleted } + (affected.map { entities.flatMap($0.batchDeleted.identifiers) } ?? [])
    return SavedIdentifiers(
      inserted: inserted, updated: updated(replaced, besides: inserted, without: deleted), deleted: deleted,
      tokens: historyTokens(replacing: tokens))
  }

  /// The changed rows and the rows that upserts updated, each once.
  private func updated(
    _ replaced: [PersistentIdentifier], besides inserted: [PersistentIdentifier],
    without deleted: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let changed = changed(without: deleted)
    guard !replaced.isEmpty else { return changed }
    var known = Set(inserted + changed)
    return changed + replaced.filter { known.insert($0).inserted }
  }

  /// The changed rows, each once and without deleted rows. The objects of a row may be changed and deleted separately.
  private func changed(without deleted: [PersistentIdentifier]) -> [PersistentIdentifier] {
    let changed = identifiers { $0.changed }
    guard !changed.isEmpty, entities.contains(where: { !$0.map.seconds.isEmpty }) else { return changed }
    var known = Set(deleted)
    return changed.filter { known.insert($0).inserted }
  }

  private func identifiers(_ list: (SavedEntity) -> ContiguousArray<AnyObject>) -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    for changes in entities {
      let objects = list(changes)
      guard !objects.isEmpty else { continue }
      identifiers.reserveCapacity(identifiers.count + objects.count)
      let entity = changes.map.store.storeEntity(of: changes.map.entity)
      append(objects, of: entity, to: &identifiers, as: changes.map.entity.modelType)
    }
    return identifiers
  }

  private func append<T: PersistentModel>(
    _ objects: ContiguousArray<AnyObject>, of entity: StoreEntity, to identifiers: inout [PersistentIdentifier],
    as type: T.Type
  ) {
    for object in objects {
      let key = unsafeDowncast(object, to: T.self)._$state.pointee.primaryKey
      // The object was deleted before it got a row.
      guard key != 0 else { continue }
      identifiers.append(PersistentIdentifier(row: key, of: entity))
    }
  }
}
