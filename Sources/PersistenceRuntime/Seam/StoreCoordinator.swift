import Logging
import PersistenceSupport
import Synchronization

/// A store and its entities, shared by contexts on any thread.
///
/// Identity maps retain it, so that faults remain readable after the release of their context and container.
package final class StoreCoordinator: Sendable {
  package let engine: any StoreEngine
  package let entities: EntityIndex
  package let uniquenessPolicy: UniquenessPolicy
  /// Whether each new key is greater than earlier ones; see ``StoreEngine/keysRise``.
  package let keysRise: Bool
  /// Whether statements may run while rows are lent; see ``StoreEngine/nestsReads``.
  package let nestsReads: Bool
  /// Whether the engine applies Swift's rules to texts; see ``StoreEngine/readsTexts``.
  package let readsTexts: Bool
  /// Records reads outside of a transaction that saw its rows; see ``StoreEngine/uncommittedReads``.
  package let uncommittedReads: (any UncommittedReads)?
  /// Whether saves pass their changes to the engine; see ``StoreEngine/keepsHistory``.
  package let keepsHistory: Bool
  /// The identifiers of a custom store; see ``StoreEngine/identities``.
  package let identities: (any IdentifierTable)?
  /// The number of nested reads of copied rows for each thread.
  package let drainedReads = Lock<[ThreadIdentity: Int]>([:])
  /// The contexts with objects of the store.
  package let subscribers = ChangeSubscribers()
  /// The live queries that watch the commits of the store.
  package let watchers = ChangeWatchers()
  /// Whether live queries poll for commits of other processes.
  package let isLooking = Atomic<Bool>(false)
  /// The commits of the store's contexts.
  package let commits = CommitCounter()
  /// The commits whose outcome was unknown when the contexts were notified, with the inboxes of their contexts.
  package let uncertainCommits = Lock<[(number: Int64, sender: ChangeInbox?)]>([])
  package let hasUncertainCommits = Atomic<Bool>(false)
  /// The change count of other processes at the last notification.
  private let announcedForeignChanges: Atomic<Int64>
  /// The same count. The lock is held while the rows of new commits are requested.
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
    // The rows of each commit are requested once, because changes with known rows must describe only their own commits.
    let news = announcement.withLock { announced -> RemoteChanges? in
      let count = engine.foreignChangeCount
      guard count != announced else { return nil }
      let news = foreignChanges(after: announced, through: count)
      announced = count
      announcedForeignChanges.store(count, ordering: .relaxed)
      return news
    }
    // The lock is released: a notified context may be deallocated here, and save.
    guard let news else { return true }
    subscribers.notify(news, from: nil)
    let changed = layouts.filter { news.rows[ObjectIdentifier($0.modelType)] != nil }
    watchers.notify(CommittedChanges(unspecified: changed.flatMap(\.familyTypes), meansAll: news.meansAll))
    return true
  }

  /// Makes all contexts read again after a context may have read rows that were never committed.
  ///
  /// Counts as a commit, so that no context treats rows that it has already read as committed rows of the store.
  private func announceUncommittedReads() {
    let number = commits.begin()
    commits.end(number)
    notifyOfAll(after: number, from: nil)
  }

  /// Notifies the contexts, except for the sender, of a commit that may have changed any row.
  package func notifyOfAll(after number: Int64, from sender: ChangeInbox?) {
    var news = RemoteChanges.unknown
    news.note(commit: number, to: self)
    subscribers.notify(news, from: sender)
    watchers.notify(.unknown)
  }

  /// The changes of other processes. Contains the rows if the engine knows them.
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

  /// Whether the calling thread is within a read. Remote changes must wait: the read may continue with older rows.
  package var isReadingHere: Bool {
    engine.isReadingHere || (!nestsReads && drainedReads.withLock { $0[ThreadIdentity.current] != nil })
  }

  package func layout(of type: any PersistentModel.Type) -> EntityLayout? { entities.layout(of: type) }

  package func layout(named name: String) -> EntityLayout? { entities.layout(named: name) }

  /// The entity with a current name, or else with a former name.
  package func layout(knownAs name: String) -> EntityLayout? { entities.layout(knownAs: name) }

  /// The key of the row of an identifier; nil if the identifier has no row.
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
    /// The row takes the values of the new model, and the model represents the row from then on. Apple's behaviour.
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

  /// The entity with a name, or else with a former name: an identifier with a former name refers to the same row.
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

  /// Whether a save has subscribers to notify in addition to its own context. A context that subscribes after this call
  /// knows all commits made before the call.
  package var areSeveral: Bool { count.load(ordering: .sequentiallyConsistent) > 1 }

  /// Notifies all subscribers but the sender, unless `news` is empty.
  package func notify(_ news: RemoteChanges, from sender: ChangeInbox?) {
    guard !news.isEmpty else { return }
    let others = inboxes.withLock { $0.values.filter { $0 !== sender } }
    for inbox in others { inbox.receive(news) }
  }
}

/// Collects the changes of other contexts for one context, which processes them between operations. Thread-safe.
@usableFromInline
package final class ChangeInbox: Sendable {
  /// Schedules the inbox's processing in the context's isolation. Returns false if the executor was deallocated.
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

  /// Whether the inbox has changes.
  @inlinable package var hasNews: Bool { isFull.load(ordering: .acquiring) }

  /// Whether any row may have changed, because a change does not name its rows.
  package var meansAll: Bool { state.withLock { $0.news.meansAll } }

  /// Puts back unprocessed changes. Schedules nothing: the next operation processes them.
  package func putBack(_ news: RemoteChanges) {
    state.withLock { state in
      state.news.merge(news)
      isFull.store(true, ordering: .releasing)
    }
  }

  /// Adds changes, and schedules their processing if the context has a function for that.
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

  /// Whether the context has a function that schedules processing.
  package var isLive: Bool { hasCall.load(ordering: .relaxed) }

  /// Schedules the context's work between operations, without new changes.
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
  /// The rows of one entity.
  package struct Rows: Sendable {
    package var changed: Set<Int64> = []
    package var deleted: Set<Int64> = []
    /// Whether any row may have changed.
    package var meansAll = false

    package init(changed: Set<Int64> = [], deleted: Set<Int64> = [], meansAll: Bool = false) {
      self.changed = changed
      self.deleted = deleted
      self.meansAll = meansAll
    }

    var isEmpty: Bool { changed.isEmpty && deleted.isEmpty && !meansAll }

    /// The number of keys above which all rows count as changed. It bounds the memory for the changes of an idle
    /// context and of large saves.
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
  /// The commits of each store that a context knows after it has processed these changes.
  package var reaches: [ObjectIdentifier: StoreReach] = [:]

  package init(meansAll: Bool = false) { self.meansAll = meansAll }

  package init(_ rows: Rows, of type: any PersistentModel.Type) { add(rows, of: type) }

  var isEmpty: Bool { rows.isEmpty && !meansAll && reaches.isEmpty }

  /// Unspecified changes.
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

  /// Records that these are the complete changes of a commit.
  package mutating func note(commit number: Int64, to store: StoreCoordinator) {
    reaches[ObjectIdentifier(store), default: StoreReach()].commits.insert(number)
  }
}

/// The rows of an entity that commits of other processes changed.
///
/// A key that changed several times is only in the set of its last change.
package struct ForeignRows: Sendable {
  /// The entity; for rows of subentities, possibly the root of the hierarchy.
  package let entity: EntityLayout
  package var inserted: Set<Int64>
  /// Also contains the owners of changed relationships without a column, and the rows changed by referential actions.
  package var updated: Set<Int64>
  /// Also contains the rows deleted by referential actions.
  package var deleted: Set<Int64>
  /// Whether any other row of the entity may have changed as well.
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
      // A context may have an object of an inserted row, created by an identifier that another context or process sent.
      let changed = rows.inserted.union(rows.updated)
      add(Rows(changed: changed, deleted: rows.deleted, meansAll: rows.meansAll), of: rows.entity.modelType)
    }
  }
}
