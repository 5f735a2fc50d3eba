import PersistenceContainer
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime

/// A store of models that a program implements. Apple's.
///
/// A container creates the store from its configuration. Contexts of any thread call the store, one call at a time, so
/// the store need not be thread-safe. It receives and returns snapshots, which stay readable without the store.
///
/// An error that a store throws reaches the caller of the fetch or the save unchanged. A result that breaks the
/// contract becomes a `SwiftDataError` that names the rule.
public protocol DataStore: AnyObject {
  /// The type that describes the store.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The type of the store's snapshots, such as ``DefaultSnapshot``.
  associatedtype Snapshot: DataStoreSnapshot

  /// The identifier of the store, which is in the identifiers of its models. It must not change.
  var identifier: String { get }
  /// The entities of the store.
  var schema: Schema { get }
  /// The configuration that the store was created with.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: The configuration, with its schema.
  ///   - migrationPlan: The migration plan of the container; nil without one.
  /// - Throws: An error that opening the container throws.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Deletes everything in the store.
  ///
  /// - Throws: An error of the store. Nothing should be deleted then.
  func erase() throws

  /// Returns the snapshots of the models that match a fetch descriptor, in its sort order.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The snapshots.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to get the request
  ///   again without the predicate or the order, and without the window; any other error for the caller.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>

  /// Returns the number of models that a descriptor describes.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The number.
  /// - Throws: The errors of ``fetch(_:)``.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

  /// Returns the identifiers of the models that a descriptor describes, in its order.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The identifiers.
  /// - Throws: The errors of ``fetch(_:)``.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

  /// Writes the changes of one save, all of them or none.
  ///
  /// - Parameter request: The snapshots of new, changed and deleted models.
  /// - Returns: The identifiers of the new models.
  /// - Throws: An error for the caller of the save. The context keeps its changes then.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Called before a context's first use of the store.
  ///
  /// - Parameter editingState: The context.
  func initializeState(for editingState: EditingState)

  /// Called when a context that has used the store is released.
  ///
  /// - Parameter editingState: The context.
  func invalidateState(for editingState: EditingState)

  /// Returns the cached snapshots of some models. The library fetches the rest, by identifier or by entity.
  ///
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The requesting context.
  /// - Returns: Snapshots by their identifiers.
  /// - Throws: An error for the caller.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Deletes the models of every entity of the schema, in one save.
  ///
  /// - Throws: The errors of a fetch and of the save.
  public func erase() throws {
    let state = EditingState()
    var deleted: [PersistentIdentifier: Snapshot] = [:]
    func collect<T: PersistentModel>(_ type: T.Type) throws {
      let result = try fetch(DataStoreFetchRequest(descriptor: FetchDescriptor<T>(), editingState: state))
      for snapshot in result.fetchedSnapshots { deleted[snapshot.persistentIdentifier] = snapshot }
    }
    for type in schema.entities.compactMap(\.modelType) { try collect(type) }
    guard !deleted.isEmpty else { return }
    _ = try save(
      DataStoreSaveChangesRequest(inserted: [], updated: [], deleted: Array(deleted.values), editingState: state))
  }

  /// Counts the snapshots of a fetch.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The number.
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }

  /// Returns the identifiers of the snapshots of a fetch.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The identifiers.
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try fetch(request).fetchedSnapshots.map(\.persistentIdentifier)
  }

  /// Does nothing.
  ///
  /// - Parameter editingState: The context.
  public func initializeState(for editingState: EditingState) {}

  /// Does nothing.
  ///
  /// - Parameter editingState: The context.
  public func invalidateState(for editingState: EditingState) {}

  /// Returns no cached snapshots.
  ///
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The requesting context.
  /// - Returns: No snapshots.
  /// - Throws: Nothing; the protocol declares it.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that deletes models by a condition. Apple's.
///
/// A context calls it at a save that consists only of such a deletion and changes no other models. All other deletions
/// are passed to ``DataStore/save(_:)`` as deleted snapshots.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that meet a condition, all of them or none.
  ///
  /// - Parameter request: The condition, and the context that deletes.
  /// - Throws: ``DataStoreError/unsupportedFeature`` to get deleted snapshots instead; any other error for the caller.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// The errors by which a store declines a request. Apple's.
public enum DataStoreError: Error, Equatable, Hashable {
  /// The store cannot do this at all.
  case unsupportedFeature
  /// The store requests the fetch without the predicate, which is evaluated in memory.
  case preferInMemoryFilter
  /// The store requests the fetch without the order, which is applied in memory.
  case preferInMemorySort
  /// The store cannot evaluate the predicate, and it should not be evaluated in memory either.
  case invalidPredicate
}
