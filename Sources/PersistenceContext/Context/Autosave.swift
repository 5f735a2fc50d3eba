import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import Synchronization

extension ModelContext {
  package var autosaveClock: any AutosaveClock {
    get { autosave.clock }
    set { autosave.clock = newValue }
  }

  /// Plans an autosave, unless one is planned already. Thus many changes in quick succession are saved together.
  ///
  /// The autosave runs on the executor of the context: the main actor, or the executor of the model actor. A context
  /// without a known executor saves at its first operation after the autosave is due.
  func scheduleAutosave() {
    // The caller makes its change after this call, so the save must run later.
    guard autosave.begin() else { return }
    watchEndOfProcess()
    startAutosaveTimer()
  }

  /// Registers the ``AutosaveMark`` with ``EndOfProcess``. A main context is already registered by its owner.
  private func watchEndOfProcess() {
    guard !isMain, !autosave.isWatched else { return }
    autosave.isWatched = true
    EndOfProcess.shared.watch(autosave.mark, isReached: execution != nil)
  }

  /// After a revert, clears the ``AutosaveMark`` if no changes are pending, or sets it if other changes are.
  func noteTakenBack() {
    if autosave.isWatched { autosave.note(waits: !pending.isEmpty) }
  }

  /// Makes the clock call the context when the save is due. The call retains neither the context nor its executor.
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

  /// Makes the clock wake the model actor through the inbox, for an actor whose executor is not serial.
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

/// The state of a context's autosave. Only used on the context's thread or actor, except for ``mark``.
package final class AutosaveSchedule {
  /// The delay after the first change.
  static let delay: Duration = .milliseconds(500)

  /// The phase of a running save.
  enum Phase {
    case idle
    /// Observers of `willSave` run. If an observer calls `save()`, that save writes at once.
    case announcing
    /// The save writes the collected changes. No other save can begin: `save()` throws.
    case writing
  }

  var clock: any AutosaveClock = SystemAutosaveClock()
  @exclusivity(unchecked) var phase = Phase.idle
  /// The time of ``clock`` at which the next autosave is due; nil if no autosave is due.
  @exclusivity(unchecked) private(set) var due: Duration? {
    didSet { mark.isSet = due != nil }
  }
  /// Whether changes wait for an autosave. Any thread may read it.
  package let mark = AutosaveMark()
  /// The time of the clock's next call; nil if none is planned.
  private(set) var nextCall: Duration?
  /// Whether `ContainerStores.autosavingContexts` lists the context.
  var isListed = false
  /// Whether ``EndOfProcess`` checks ``mark``.
  var isWatched = false

  /// The delay before the next attempt after a failed autosave. The delay doubles with each failure, up to a minute.
  private var retryDelay: Duration = .seconds(2)

  /// Whether a save is running. No autosave begins before the save ends. Observers of `didSave` run after its end.
  var isSaving: Bool { phase != .idle }

  /// Sets the time of the next autosave. Returns false if it is already set.
  func begin() -> Bool {
    guard due == nil else {
      // A revert of all pending changes may have cleared the mark in the meantime.
      if isWatched { note(waits: true) }
      return false
    }
    due = clock.now + Self.delay
    return true
  }

  /// Sets ``mark`` if changes are pending and an autosave is planned, and clears it otherwise.
  func note(waits: Bool) {
    let isSet = waits && due != nil
    if mark.isSet != isSet { mark.isSet = isSet }
  }

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

  /// Plans a call of the clock for the next autosave. Returns nil if a call by that time is already planned.
  func planCall() -> (moment: Duration, delay: Duration)? {
    guard let due else { return nil }
    let now = clock.now
    if let nextCall, nextCall <= due, nextCall > now { return nil }
    nextCall = due
    let delay = due - now
    // If a due save cannot run yet, for example during another save, the clock waits for the full delay again.
    return (due, delay > .zero ? delay : Self.delay)
  }

  func noteCall(of moment: Duration) {
    if nextCall == moment { nextCall = nil }
  }

  /// Removes the planned call: the executor that it was planned for no longer exists, so the call will not come.
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
  /// The time that has passed since a fixed moment, such as the first use of the clock.
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
  /// The user info contains arrays of ``PersistentIdentifier`` for inserted, updated and deleted models. Each array is
  /// stored under three keys: the ``NotificationKey``, its raw value, and a short name such as `"inserted"`.
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
    /// A dictionary with the save's ``HistoryToken`` by store identifier. Stores without a history have no entry.
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
/// Each save reuses the dictionary of the previous save, so that it neither hashes keys nor allocates a dictionary. If
/// an observer has retained the dictionary, the next save copies it.
struct SavedInformation {
  private enum Change: UInt8 {
    case inserted = 1
    case updated = 2
    case deleted = 4
    case tokens = 8
  }

  private(set) var values: [AnyHashable: Any] = [:]
  /// The kinds of changes for which ``values`` contains at least one identifier, as bits of ``Change``.
  private var filled: UInt8 = 0
  /// The tokens of the last save.
  private var tokens: [String: any HistoryToken] = [:]

  /// A user info with at most this many identifiers is not released: overwriting it in the next save is as fast.
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

  /// Moves the tokens of the last save to the caller. The caller can then change the dictionary without copying it.
  mutating func takeTokens() -> [String: any HistoryToken] {
    defer { tokens = [:] }
    return tokens
  }

  /// A user info with empty arrays, and for each array the indices of the keys under which it is stored.
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
  /// The identifiers of the saved models. Called after a commit, before the keys of unsaved models are reset.
  ///
  /// - Parameter tokens: The tokens of the previous save, whose dictionary is reused.
  func identifiers(replacing tokens: consuming [String: any HistoryToken] = [:]) -> SavedIdentifiers {
    let inserted = identifiers { changes in
      upserts.isEmpty ? changes.inserted : changes.inserted.filter { !upserts.contains($0) }
    }
    let replaced = upserts.isEmpty ? [] : identifiers { changes in changes.inserted.filter(upserts.contains) }
    let deleted = deletedIdentifiers
    return SavedIdentifiers(
      inserted: inserted, updated: updated(replaced, besides: inserted, without: deleted), deleted: deleted,
      tokens: historyTokens(replacing: tokens))
  }

  /// The identifiers of the changed rows and of the rows that upserts updated, each once.
  private func updated(
    _ replaced: [PersistentIdentifier], besides inserted: [PersistentIdentifier],
    without deleted: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    let changed = changed(without: deleted)
    guard !replaced.isEmpty else { return changed }
    var known = Set(inserted + changed)
    return changed + replaced.filter { known.insert($0).inserted }
  }

  /// The identifiers of changed rows, each once. Omits a row if one of its objects was changed and another deleted.
  private func changed(without deleted: [PersistentIdentifier]) -> [PersistentIdentifier] {
    let changed = identifiers { $0.changed }
    guard !changed.isEmpty, entities.contains(where: { !$0.map.seconds.isEmpty }) else { return changed }
    var known = Set(deleted)
    return changed.filter { known.insert($0).inserted }
  }

  private var deletedIdentifiers: [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    for changes in entities where !changes.deleted.isEmpty {
      let entity = changes.map.store.storeEntity(of: changes.map.entity)
      identifiers.reserveCapacity(identifiers.count + changes.deletedKeys.count)
      // An object with key 0 has no row: it was deleted before a save inserted one.
      for key in changes.deletedKeys where key != 0 { identifiers.append(PersistentIdentifier(row: key, of: entity)) }
    }
    for changes in entities { affected?.batchDeleted.append(rowsOf: changes, to: &identifiers) }
    return identifiers
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
    objects.forEachUnretained(as: T.self) { model in
      let key = model._$state.pointee.primaryKey
      // An object with key 0 has no row: it was deleted before a save inserted one.
      if key != 0 { identifiers.append(PersistentIdentifier(row: key, of: entity)) }
    }
  }
}
