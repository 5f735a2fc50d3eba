import PersistenceContainer
import PersistenceContext
import PersistenceLiveQueries
import PersistenceRuntime
import PersistenceSupport

/// The changes that commits make to the models of a type. Ours. See `ModelContainer.changes(of:)`.
public struct ModelChanges<T: PersistentModel>: Sendable, Hashable {
  /// The models that were inserted.
  public internal(set) var inserted: Set<Model<T>> = []
  /// The models of which a property or a relationship was set.
  public internal(set) var updated: Set<Model<T>> = []
  /// The models that were deleted.
  public internal(set) var deleted: Set<Model<T>> = []
  /// Whether models that are not in the sets may have changed too.
  ///
  /// True after commits of other processes, after commits of more than 10,000 models at once, and after all data of the
  /// store is erased. For a class with inheritance, also true if rows were deleted without being read, for example by
  /// `delete(model:where:)`: the classes of such rows are unknown.
  public internal(set) var areIncomplete = false
}

/// The changes of the models of a type, commit by commit. For a slow consumer, several commits are merged. Ours.
///
/// If several commits were made since the last `next()`, their changes are merged. A model that was inserted and then
/// updated is only in ``ModelChanges/inserted``. A model that was inserted and then deleted is in no set. A loop ends
/// when its task is cancelled or the container is closed.
public struct ModelChangeSequence<T: PersistentModel>: AsyncSequence, Sendable {
  let stores: ContainerStores

  /// Creates an iteration, which returns the changes that are committed after this call.
  ///
  /// - Returns: The iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stores) }

  /// An iteration over changes. Not Sendable: one task uses it.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let stores: ContainerStores
    private var source: (store: StoreCoordinator, entity: EntityLayout, subscription: Subscription)?
    private var hasEnded = false

    init(_ stores: ContainerStores) {
      self.stores = stores
      // If the type is unknown, the first call of `next()` throws, because creating an iterator cannot throw.
      guard let (store, entity) = stores.layout(of: T.self) else { return }
      var footprint = Footprint()
      footprint.addRows(of: entity, mask: PropertyMask.all)
      source = (store, entity, Subscription(signal: ChangeSignal(footprint, in: store, wantsKeys: true)))
    }

    /// The changes since the last call.
    ///
    /// - Returns: The changes; nil at the end.
    /// - Throws: `SwiftDataError.unknownSchema` if the container does not have the type.
    public mutating func next() async throws -> ModelChanges<T>? { try await next(isolation: nil) }

    /// The changes since the last call; waits for at least one change.
    ///
    /// - Parameter actor: The isolation of the caller.
    /// - Returns: The changes; nil at the end, when the task is cancelled or the container is closed.
    /// - Throws: `SwiftDataError.unknownSchema` if the container does not have the type.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ModelChanges<T>? {
      guard !hasEnded else { return nil }
      guard let (store, entity, subscription) = source else {
        hasEnded = true
        throw stores.unknownModel(T.self)
      }
      while let changes = await subscription.signal.next(isolation: actor) {
        let own = ModelChanges<T>(changes, of: entity, in: store)
        // If the changes of several commits revert each other, the sets are empty and the loop continues.
        if !own.isEmpty { return own }
      }
      hasEnded = true
      source = nil
      return nil
    }
  }
}

extension ModelContainer {
  /// The changes of the models of a type. Each iteration returns the changes from its creation on. Ours. Any actor may
  /// call it.
  ///
  /// The sequence includes the commits of every context of the container, and those of other processes within a tenth
  /// of a second. The store is not read.
  ///
  /// ```swift
  /// for try await changes in container.changes(of: Trip.self) {
  ///   print(changes.inserted.count, changes.updated.count, changes.deleted.count)
  /// }
  /// ```
  /// - Parameter model: The type. Models of its subclasses are included.
  /// - Returns: The sequence of changes.
  public func changes<T: PersistentModel>(of model: T.Type) -> ModelChangeSequence<T> {
    ModelChangeSequence(stores: stores)
  }
}

extension ModelChanges {
  fileprivate init(_ changes: CommittedChanges, of entity: EntityLayout, in store: StoreCoordinator) {
    areIncomplete = changes.meansAll
    for member in entity.family {
      guard let rows = changes.rows[ObjectIdentifier(member.modelType)] else { continue }
      let storeEntity = store.storeEntity(of: member)
      func references(_ keys: Set<Int64>) -> [Model<T>] {
        keys.map { Model(persistentIdentifier: PersistentIdentifier(row: $0, of: storeEntity)) }
      }
      inserted.formUnion(references(rows.inserted))
      updated.formUnion(references(rows.changed))
      deleted.formUnion(references(rows.deleted))
      areIncomplete = areIncomplete || rows.isUnspecified
    }
  }

  fileprivate var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !areIncomplete }
}
