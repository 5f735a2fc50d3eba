import Logging
import PersistenceSupport
import Synchronization

/// A store and its entities, shared by contexts on any thread.
///
/// Identity maps retain the coordinator, so that faults can be read after the release of context and container.
package final class StoreCoordinator: Sendable {
  package let engine: any StoreEngine
  package let entities: EntityIndex
  package let uniquenessPolicy: UniquenessPolicy
  /// Whether each new key is greater than earlier ones; see ``StoreEngine/keysRise``.
  package let keysRise: Bool
  /// Whether other statements may run while the rows of a fetch are read; see ``StoreEngine/nestsReads``.
  package let nestsReads: Bool
  /// Whether the engine compares and sorts texts by Swift's rules; see ``StoreEngine/readsTexts``.
  package let readsTexts: Bool
  /// Records reads that may have seen rows of another context's open transaction; see ``StoreEngine/uncommittedReads``.
  package let uncommittedReads: (any UncommittedReads)?
  /// Whether each save passes its changes to the engine for the history; see ``StoreEngine/keepsHistory``.
  package let keepsHistory: Bool
  /// Maps the identifiers of a custom store to keys; nil for other stores. See ``StoreEngine/identities``.
  package let identities: (any IdentifierTable)?
  /// For each thread, the number of its active reads that process copies of rows instead of a cursor (``nestsReads``).
  package let drainedReads = Lock<[ThreadIdentity: Int]>([:])
  /// The contexts that use the store, to notify them of saves.
  package let subscribers = ChangeSubscribers()
  /// The live queries that watch the commits of the store.
  package let watchers = ChangeWatchers()
  /// Whether live queries poll for commits of other processes.
  package let isLooking = Atomic<Bool>(false)
  /// Numbers the commits of this process to the store.
  package let commits = CommitCounter()
  /// The commits whose outcome is unknown, each with the inbox of the committing context, which is not notified.
  package let uncertainCommits = Lock<[(number: Int64, sender: ChangeInbox?)]>([])
  package let hasUncertainCommits = Atomic<Bool>(false)
  /// The ``StoreEngine/foreignChangeCount`` up to which the contexts have been notified.
  private let announcedForeignChanges: Atomic<Int64>
  /// The same as ``announcedForeignChanges``, under a lock that is held while the engine returns the rows of commits.
  private let announcement: Lock<Int64>
  private let storeEntities: [ObjectIdentifier: StoreEntity]

  package init(engine: any StoreEngine, entities: EntityIndex, uniquenessPolicy: UniquenessPolicy) {
    self.engine = engine
    let foreignChanges = engine.foreignChangeCount
    self.announcedForeignChanges = Atomic(foreignChanges)
    self.announcement = Lock(foreignChanges)
    self.entities = entities
    self.uniquenessPolicy = uniquenessPolicy
    self.keysRise = engine.keysRise
    self.nestsReads = engine.nestsReads
    self.readsTexts = engine.readsTexts
    self.uncommittedReads = engine.uncommittedReads
    self.keepsHistory = engine.keepsHistory
    let identities = engine.identities
    self.identities = identities
    self.storeEntities = Dictionary(
      entities.layouts.map { layout in
        (
          ObjectIdentifier(layout),
          StoreEntity(
            store: engine.identifier, name: layout.name, identities: identities, readsTexts: engine.readsTexts)
        )
      }
    ) { first, _ in first }
    if !keysRise { for entity in storeEntities.values { entity.knownKeys.expectFallingKeys() } }
    uncommittedReads?.addListener { [weak self] in self?.announceUncommittedReads() }
  }

  deinit { engine.close() }

  package var logger: Logger { .library }

  package var layouts: [EntityLayout] { entities.layouts }
  /// The destinations of relationships without an inverse, and their subentities.
  package var oneWayDestinations: Set<String> { entities.oneWayDestinations }
  /// Whether any property is encrypted.
  package var hasEncrypted: Bool { entities.hasEncrypted }

  /// Notifies all contexts if other processes have saved since the last notification. Returns whether they have saved.
  package func announceForeignChanges() -> Bool {
    guard announcedForeignChanges.load(ordering: .relaxed) != engine.foreignChangeCount else { return false }
    // The lock prevents two threads from requesting the rows of one commit, which the engine returns only once.
    let news = announcement.withLock { announced -> RemoteChanges? in
      let count = engine.foreignChangeCount
      guard count != announced else { return nil }
      let news = foreignChanges(after: announced, through: count)
      announced = count
      announcedForeignChanges.store(count, ordering: .relaxed)
      return news
    }
    // The lock is released first, because a notified context may be deallocated here, and then save.
    guard let news else { return true }
    subscribers.notify(news, from: nil)
    let changed = layouts.filter { news.rows[ObjectIdentifier($0.modelType)] != nil }
    watchers.notify(CommittedChanges(unspecified: changed.flatMap(\.familyTypes), meansAll: news.meansAll))
    return true
  }

  /// Makes all contexts read their objects again, because some may have read rows that were rolled back later.
  ///
  /// Counts as a commit, so that no context regards the rows that it has already read as the current rows of the store.
  private func announceUncommittedReads() {
    let number = commits.begin()
    commits.end(number)
    notifyOfAll(after: number, from: nil)
  }

  /// Notifies all contexts except the sender that any row may have changed in a commit.
  package func notifyOfAll(after number: Int64, from sender: ChangeInbox?) {
    var news = RemoteChanges.unknown
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
    watchers.notify(.unknown)
  }

  /// The changes of other processes. Lists the rows if the engine knows them; otherwise any row may have changed.
  private func foreignChanges(after first: Int64, through last: Int64) -> RemoteChanges {
    guard let rows = engine.foreignRows(after: first, through: last) else {
      var news = RemoteChanges.unknown
      news.reaches[ObjectIdentifier(self)] = StoreReach(foreignChanges: last)
      return news
    }
    var news = RemoteChanges(rows)
    news.reaches[ObjectIdentifier(self)] = StoreReach(foreignChanges: last, foreignStart: first)
    return news
  }

  /// Whether the calling thread is inside a read. Contexts then postpone remote changes: the read may see older rows.
  package var isReadingHere: Bool {
    engine.isReadingHere || (!nestsReads && drainedReads.withLock { $0[ThreadIdentity.current] != nil })
  }

  package func layout(of type: any PersistentModel.Type) -> EntityLayout? { entities.layout(of: type) }

  package func layout(named name: String) -> EntityLayout? { entities.layout(named: name) }

  /// The entity that has a name now, or else the entity that had the name before it was renamed.
  package func layout(knownAs name: String) -> EntityLayout? { entities.layout(knownAs: name) }

  /// The key of the row that an identifier refers to; nil if it refers to no row.
  package func key(of identifier: PersistentIdentifier) -> Int64? {
    guard let identities else { return identifier.row?.key }
    if case .token(let token) = identifier.key { return token.row?.key }
    return identities.key(of: identifier)
  }

  package func storeEntity(of layout: EntityLayout) -> StoreEntity {
    storeEntities[ObjectIdentifier(layout)] ?? StoreEntity(store: engine.identifier, name: layout.name)
  }
}

extension _PersistenceRuntime {
  /// Determines how a save treats a new model whose unique values another row already has. Ours, not Apple's.
  public enum UniquenessPolicy: Hashable, Sendable {
    /// The save updates the row with the values of the new model, which then represents the row. Apple's behaviour.
    case updateExisting
    /// The save throws `SwiftDataError.modelValidationFailure`. The error names the properties and the values.
    case throwError
  }
}

/// The entities of a store by type and name.
package final class EntityIndex: Sendable {
  package let layouts: [EntityLayout]
  package let modelTypes: [any PersistentModel.Type]
  /// The destinations of relationships without an inverse, and their subentities.
  let oneWayDestinations: Set<String>
  /// Whether any property is encrypted.
  package let hasEncrypted: Bool
  private let byType: [ObjectIdentifier: EntityLayout]
  private let byName: [String: EntityLayout]
  private let byFormerName: [String: EntityLayout]

  package init(_ layouts: [EntityLayout]) {
    self.layouts = layouts
    modelTypes = layouts.map(\.modelType)
    let destinations = Set(layouts.flatMap(\.relationships).filter { $0.inverse == nil }.map(\.destination))
    oneWayDestinations = Set(layouts.filter { destinations.contains($0.name) }.flatMap(\.family).map(\.name))
    hasEncrypted = layouts.contains(where: \.hasEncrypted)
    byType = Dictionary(layouts.map { (ObjectIdentifier($0.modelType), $0) }) { first, _ in first }
    byName = Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first }
    byFormerName = Dictionary(layouts.map { ($0.originalName, $0) }) { first, _ in first }
  }

  func layout(of type: any PersistentModel.Type) -> EntityLayout? { byType[ObjectIdentifier(type)] }

  package func layout(named name: String) -> EntityLayout? { byName[name] }

  /// The entity that has a name now or had it before it was renamed. Identifiers with a former name remain valid.
  func layout(knownAs name: String) -> EntityLayout? { byName[name] ?? byFormerName[name] }
}

/// The contexts that are notified of saves to a store. Thread-safe.
package final class ChangeSubscribers: Sendable {
  private let inboxes = Lock<[ObjectIdentifier: ChangeInbox]>([:])
  private let count = Atomic<Int>(0)

  package func add(_ inbox: ChangeInbox) {
    inboxes.withLock { inboxes in
      inboxes[ObjectIdentifier(inbox)] = inbox
      count.store(inboxes.count, ordering: .sequentiallyConsistent)
    }
  }

  package func remove(_ inbox: ChangeInbox) {
    inboxes.withLock { inboxes in
      inboxes[ObjectIdentifier(inbox)] = nil
      count.store(inboxes.count, ordering: .relaxed)
    }
  }

  /// Whether a save must notify subscribers other than its own context. A context that subscribes after this call knows
  /// all commits made before the call.
  package var areSeveral: Bool { count.load(ordering: .sequentiallyConsistent) > 1 }

  /// Notifies all subscribers but the sender, unless `news` is empty.
  package func notify(_ news: RemoteChanges, from sender: ChangeInbox?) {
    guard !news.isEmpty else { return }
    let others = inboxes.withLock { $0.values.filter { $0 !== sender } }
    for inbox in others { inbox.receive(news) }
  }
}

/// Receives the changes of other contexts for one context, which processes them between its operations. Thread-safe.
@usableFromInline
package final class ChangeInbox: Sendable {
  /// Schedules the inbox's processing on the context's actor. Returns false if the actor's executor was deallocated.
  package typealias Call = @Sendable () -> Bool

  private struct State {
    var news = RemoteChanges()
    var call: Call?
    /// Whether processing is scheduled and has not started.
    var isCalled = false
  }

  private let state = Lock(State())
  @usableFromInline let isFull = Atomic<Bool>(false)
  private let hasCall = Atomic<Bool>(false)

  package init() {}

  /// Whether the inbox contains changes that the context has not processed.
  @inlinable package var hasNews: Bool { isFull.load(ordering: .acquiring) }

  /// Whether any row may have changed, because a received change does not list its rows.
  package var meansAll: Bool { state.withLock { $0.news.meansAll } }

  /// Adds changes that the context could not process yet. Schedules nothing: its next operation processes them.
  package func putBack(_ news: RemoteChanges) {
    state.withLock { state in
      state.news.merge(news)
      isFull.store(true, ordering: .releasing)
    }
  }

  /// Adds changes, and schedules their processing if ``live(_:)`` has set a function for that.
  package func receive(_ news: RemoteChanges) {
    let call = state.withLock { state -> Call? in
      state.news.merge(news)
      isFull.store(true, ordering: .releasing)
      guard !state.isCalled, let call = state.call else { return nil }
      state.isCalled = true
      return call
    }
    guard let call, !call() else { return }
    state.withLock { state in
      state.call = nil
      state.isCalled = false
      hasCall.store(false, ordering: .relaxed)
    }
  }

  /// Whether ``live(_:)`` has set a function that schedules the processing.
  package var isLive: Bool { hasCall.load(ordering: .relaxed) }

  /// Schedules the work that the context does between its operations, such as an autosave. Adds no changes.
  package func ask() {
    let call = state.withLock { $0.call }
    _ = call?()
  }

  /// Removes and returns all changes.
  package func take() -> RemoteChanges {
    state.withLock { state in
      defer { state.news = RemoteChanges() }
      state.isCalled = false
      isFull.store(false, ordering: .releasing)
      return state.news
    }
  }

  // MARK: Calling the context

  /// Sets the function that schedules the processing.
  package func live(_ call: @escaping Call) {
    state.withLock { state in
      guard state.call == nil else { return }
      state.call = call
      hasCall.store(true, ordering: .relaxed)
    }
  }
}

/// Rows that other contexts or processes changed or deleted, by model type.
package struct RemoteChanges: Sendable {
  /// The changed and deleted rows of one entity, by primary key.
  package struct Rows: Sendable {
    package var changed: Set<Int64> = []
    package var deleted: Set<Int64> = []
    /// Whether any row of the entity may have changed.
    package var meansAll = false

    package init(changed: Set<Int64> = [], deleted: Set<Int64> = [], meansAll: Bool = false) {
      self.changed = changed
      self.deleted = deleted
      self.meansAll = meansAll
    }

    var isEmpty: Bool { changed.isEmpty && deleted.isEmpty && !meansAll }

    /// The maximum number of keys. With more keys, all rows of the entity count as changed. This limits the memory for
    /// large saves, and for a context that does not process its changes.
    package static let limit = 10_000

    mutating func merge(_ other: Rows) {
      let count = changed.count + deleted.count + other.changed.count + other.deleted.count
      meansAll = meansAll || other.meansAll || count > Self.limit
      if meansAll {
        changed = []
        deleted = []
      } else {
        changed.formUnion(other.changed)
        deleted.formUnion(other.deleted)
      }
    }
  }

  package var rows: [ObjectIdentifier: Rows] = [:]
  /// Whether any row of any entity may have changed.
  package var meansAll = false
  /// For each store, the commits whose changes are included. A context that processed them knows these commits.
  package var reaches: [ObjectIdentifier: StoreReach] = [:]

  package init(meansAll: Bool = false) { self.meansAll = meansAll }

  package init(_ rows: Rows, of type: any PersistentModel.Type) { add(rows, of: type) }

  var isEmpty: Bool { rows.isEmpty && !meansAll && reaches.isEmpty }

  /// Changes without a list of rows: any row of any entity may have changed.
  package static let unknown = RemoteChanges(meansAll: true)

  package mutating func merge(_ other: RemoteChanges) {
    meansAll = meansAll || other.meansAll
    for (store, reach) in other.reaches { reaches[store, default: StoreReach()].formUnion(reach) }
    guard !meansAll else {
      rows = [:]
      return
    }
    // The rows are merged in place: a copy would take time proportional to all collected keys at every save.
    for (type, theirs) in other.rows { rows[type, default: Rows()].merge(theirs) }
  }

  package mutating func add(_ new: Rows, of type: any PersistentModel.Type) {
    guard !new.isEmpty else { return }
    rows[ObjectIdentifier(type), default: Rows()].merge(new)
  }

  /// Records that these changes include all changes of a commit.
  package mutating func note(commit number: Int64, to store: StoreCoordinator) {
    reaches[ObjectIdentifier(store), default: StoreReach()].commits.insert(number)
  }
}

/// The rows of an entity that commits of other processes changed.
///
/// A row that several commits changed is only in the set of the last change.
package struct ForeignRows: Sendable {
  /// The entity of the rows. For rows of a subentity, this may be the root of the hierarchy instead.
  package let entity: EntityLayout
  package var inserted: Set<Int64>
  /// Includes rows changed by referential actions, and the owners of changed relationships that have no column.
  package var updated: Set<Int64>
  /// Includes rows deleted by referential actions.
  package var deleted: Set<Int64>
  /// Whether rows of the entity that are in none of the sets may have changed too.
  package var meansAll = false

  package init(
    of entity: EntityLayout, inserted: Set<Int64> = [], updated: Set<Int64> = [], deleted: Set<Int64> = []
  ) {
    self.entity = entity
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }
}

extension RemoteChanges {
  /// The changes of other processes.
  init(_ foreign: [ForeignRows]) {
    self.init()
    for rows in foreign {
      // A context may already have an object for an inserted row, if it got the identifier from another process.
      let changed = rows.inserted.union(rows.updated)
      add(Rows(changed: changed, deleted: rows.deleted, meansAll: rows.meansAll), of: rows.entity.modelType)
    }
  }
}
