import Logging
import PersistenceSupport
import Synchronization

/// A store and its entities, shared by contexts on any thread.
///
/// Identity maps retain it, so that faults remain readable after the end of their context and container.
package final class StoreCoordinator: Sendable {
  package let engine: any StoreEngine
  private let entities: EntityIndex
  package let logger: Logger
  package let uniquenessPolicy: UniquenessPolicy
  /// Whether a later key is a greater one; see ``StoreEngine/keysRise``.
  package let keysRise: Bool
  /// Whether statements may run while rows are lent; see ``StoreEngine/nestsReads``.
  package let nestsReads: Bool
  /// How many reads of copied rows each thread is within.
  package let drainedReads = Lock<[ThreadIdentity: Int]>([:])
  /// The contexts with objects of the store.
  package let subscribers = ChangeSubscribers()
  /// The commits of the store's contexts.
  package let commits = CommitCounter()
  /// The commits whose outcome was unknown when the contexts were told of them, with the inboxes of their contexts.
  package let uncertainCommits = Lock<[(number: Int64, sender: ChangeInbox?)]>([])
  package let hasUncertainCommits = Atomic<Bool>(false)
  /// The foreign change count of the last notification.
  private let announcedForeignChanges: Atomic<Int64>
  /// The same count, held while the rows of new commits are asked for.
  private let announcement: Lock<Int64>
  private let storeEntities: [ObjectIdentifier: StoreEntity]

  package init(engine: any StoreEngine, entities: EntityIndex, logger: Logger, uniquenessPolicy: UniquenessPolicy) {
    self.engine = engine
    let foreignChanges = engine.foreignChangeCount
    self.announcedForeignChanges = Atomic(foreignChanges)
    self.announcement = Lock(foreignChanges)
    self.entities = entities
    self.logger = logger
    self.uniquenessPolicy = uniquenessPolicy
    self.keysRise = engine.keysRise
    self.nestsReads = engine.nestsReads
    self.storeEntities = Dictionary(
      entities.layouts.map { (ObjectIdentifier($0), StoreEntity(store: engine.identifier, name: $0.name)) }
    ) { first, _ in first }
    if !keysRise { for entity in storeEntities.values { entity.knownKeys.expectFallingKeys() } }
  }

  deinit { engine.close() }

  package var layouts: [EntityLayout] { entities.layouts }
  /// The destinations of relationships without an inverse, and their subentities.
  package var oneWayDestinations: Set<String> { entities.oneWayDestinations }
  /// Whether any property is encrypted.
  package var hasEncrypted: Bool { entities.hasEncrypted }

  /// Notifies all contexts if other processes have saved since the last notification. Returns whether they have.
  package func announceForeignChanges() -> Bool {
    guard announcedForeignChanges.load(ordering: .relaxed) != engine.foreignChangeCount else { return false }
    // Each commit once: changes that name their rows say nothing of other commits.
    let news = announcement.withLock { announced -> RemoteChanges? in
      let count = engine.foreignChangeCount
      guard count != announced else { return nil }
      let news = foreignChanges(after: announced, through: count)
      announced = count
      announcedForeignChanges.store(count, ordering: .relaxed)
      return news
    }
    // Without the lock: a notified context may end here, and save.
    if let news { subscribers.notify(news, from: nil) }
    return true
  }

  /// The changes of other processes, with the rows if the engine knows them.
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

  package func layout(of type: any PersistentModel.Type) -> EntityLayout? {
    entities.layout(of: type)
  }

  package func layout(named name: String) -> EntityLayout? {
    entities.layout(named: name)
  }

  /// The entity with a name, or else with a former name.
  package func layout(knownAs name: String) -> EntityLayout? {
    entities.layout(knownAs: name)
  }

  package func storeEntity(of layout: EntityLayout) -> StoreEntity {
    storeEntities[ObjectIdentifier(layout)] ?? StoreEntity(store: engine.identifier, name: layout.name)
  }
}

extension _PersistenceRuntime {
  /// What a save does with a new model whose unique values another row has. Ours, not Apple's.
  public enum UniquenessPolicy: Hashable, Sendable {
    /// The row takes the values of the new model, which stands for it from then on. Apple's behaviour.
    case updateExisting
    /// The save throws `SwiftDataError.modelValidationFailure` that names the properties and the values.
    case throwError
  }
}
