import Logging
import Synchronization

/// A store with the entities that it holds, as contexts see it.
///
/// Objects keep it alive, through their identity maps, so that what has not been read yet can still be read when their
/// context and container are gone.
package final class StoreCoordinator: Sendable {
  package let engine: any StoreEngine
  package let layouts: [EntityLayout]
  package let logger: Logger
  let uniquenessPolicy: UniquenessPolicy
  /// The entities that relationships without an inverse lead to.
  let oneWayDestinations: Set<String>
  /// Whether an entity has encrypted properties.
  let hasEncrypted: Bool
  /// The contexts that have objects of the store.
  let subscribers = ChangeSubscribers()
  /// The commits of other processes that the contexts have been told of.
  private let toldForeignChanges: Atomic<Int64>
  private let layoutsByType: [ObjectIdentifier: EntityLayout]
  private let layoutsByName: [String: EntityLayout]
  private let storeEntities: [ObjectIdentifier: StoreEntity]

  package init(engine: any StoreEngine, layouts: [EntityLayout], logger: Logger, uniquenessPolicy: UniquenessPolicy) {
    self.engine = engine
    self.toldForeignChanges = Atomic(engine.foreignChangeCount)
    self.layouts = layouts
    self.logger = logger
    self.uniquenessPolicy = uniquenessPolicy
    let oneWay = layouts.flatMap(\.relationships).filter { $0.inverse == nil }
    self.oneWayDestinations = Set(oneWay.map(\.destination))
    self.hasEncrypted = layouts.contains(where: \.hasEncrypted)
    self.layoutsByType = Dictionary(layouts.map { (ObjectIdentifier($0.modelType), $0) }) { first, _ in first }
    self.layoutsByName = Dictionary(layouts.map { ($0.name, $0) }) { first, _ in first }
    self.storeEntities = Dictionary(
      layouts.map { (ObjectIdentifier($0), StoreEntity(store: engine.identifier, name: $0.name)) }
    ) { first, _ in first }
  }

  deinit { engine.close() }

  /// Tells all contexts when other processes have saved since they were last told; whether that is so.
  func announceForeignChanges() -> Bool {
    let count = engine.foreignChangeCount
    guard toldForeignChanges.load(ordering: .relaxed) != count else { return false }
    toldForeignChanges.store(count, ordering: .relaxed)
    subscribers.tell(.unknown, from: nil)
    return true
  }

  package func layout(of type: any PersistentModel.Type) -> EntityLayout? {
    layoutsByType[ObjectIdentifier(type)]
  }

  package func layout(named name: String) -> EntityLayout? {
    layoutsByName[name]
  }

  package func storeEntity(of layout: EntityLayout) -> StoreEntity {
    storeEntities[ObjectIdentifier(layout)] ?? StoreEntity(store: engine.identifier, name: layout.name)
  }
}
