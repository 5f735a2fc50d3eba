import PersistenceContainer
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime

/// A store of models that a program implements. Apple's.
///
/// A container creates the store from its configuration. Contexts on any thread call the store, but one call at a time,
/// so the store need not be thread-safe. It receives and returns snapshots, which stay readable without the store.
///
/// If a store throws an error, the caller of the fetch or the save gets it unchanged. If the store returns a result
/// that breaks a rule, the caller gets a `SwiftDataError` that names the rule.
public protocol DataStore: AnyObject {
  /// The type that describes the store.
  associatedtype Configuration: DataStoreConfiguration where Self == Self.Configuration.Store
  /// The type of the store's snapshots, such as ``DefaultSnapshot``.
  associatedtype Snapshot: DataStoreSnapshot

  /// The identifier of the store. The identifiers of its models contain it, so it must not change.
  var identifier: String { get }
  /// The entities of the store.
  var schema: Schema { get }
  /// The configuration that the store was created with.
  var configuration: Configuration { get }

  /// Opens the store.
  ///
  /// - Parameters:
  ///   - configuration: The configuration. Its schema is set.
  ///   - migrationPlan: The migration plan of the container; nil without one.
  /// - Throws: An error if the store cannot be opened. Opening the container then fails.
  init(_ configuration: Configuration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws

  /// Deletes all models of the store.
  ///
  /// - Throws: An error. The store should then have deleted nothing.
  func erase() throws

  /// Returns the snapshots of the models that match a fetch descriptor, in its sort order.
  ///
  /// - Parameter request: The descriptor, and the context that fetches.
  /// - Returns: The snapshots.
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` or ``DataStoreError/preferInMemorySort`` to decline the
  ///   predicate or the sort order. The library then calls the method again without that part, and without limit and
  ///   offset. Any other error is thrown to the caller of the fetch.
  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, Snapshot>

  /// Returns the number of models that match a fetch descriptor.
  ///
  /// - Parameter request: The descriptor, and the context that fetches.
  /// - Returns: The number.
  /// - Throws: The errors of ``fetch(_:)``.
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int

  /// Returns the identifiers of the models that match a fetch descriptor, in its sort order.
  ///
  /// - Parameter request: The descriptor, and the context that fetches.
  /// - Returns: The identifiers.
  /// - Throws: The errors of ``fetch(_:)``.
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier]

  /// Writes the changes of one save: either all of them or none.
  ///
  /// - Parameter request: The snapshots of inserted, updated and deleted models.
  /// - Returns: The identifiers that the store has assigned to the inserted models.
  /// - Throws: An error, which the caller of the context's `save` gets. The context keeps its unsaved changes.
  func save(_ request: DataStoreSaveChangesRequest<Snapshot>) throws -> DataStoreSaveChangesResult<Snapshot>

  /// Called before a context's first use of the store.
  ///
  /// - Parameter editingState: The context.
  func initializeState(for editingState: EditingState)

  /// Called when a context that has used the store is released.
  ///
  /// - Parameter editingState: The context.
  func invalidateState(for editingState: EditingState)

  /// Returns cached snapshots of models. The library fetches models without a cached snapshot, by their identifiers or
  /// together with all models of their entity.
  ///
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The context that needs the models.
  /// - Returns: The snapshots, by identifier.
  /// - Throws: An error, which the caller of the read gets.
  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot]
}

extension DataStore {
  /// Deletes the models of all entities of the schema, in one save.
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

  /// Fetches the models, and returns their number.
  ///
  /// - Parameter request: The descriptor, and the context that fetches.
  /// - Returns: The number.
  /// - Throws: The errors of ``fetch(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try fetch(request).fetchedSnapshots.count
  }

  /// Fetches the models, and returns their identifiers.
  ///
  /// - Parameter request: The descriptor, and the context that fetches.
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
  ///   - editingState: The context that needs the models.
  /// - Returns: An empty dictionary.
  /// - Throws: Never; the protocol requires `throws`.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: Snapshot] { [:] }
}

/// A store that can delete all models that match a predicate. Apple's.
///
/// The library calls `delete(_:)` if such a deletion is the only change of a save. For all other deletions, it calls
/// ``DataStore/save(_:)`` with the snapshots of the deleted models.
public protocol DataStoreBatching: DataStore {
  /// Deletes the models that match a predicate: either all of them or none.
  ///
  /// - Parameter request: The predicate, and the context that deletes.
  /// - Throws: ``DataStoreError/unsupportedFeature`` to decline: the library then calls ``DataStore/save(_:)`` with the
  ///   deleted snapshots. Any other error is thrown to the caller of the context's `save`.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// The errors that a store throws to decline a request. Apple's.
public enum DataStoreError: Error, Equatable, Hashable {
  /// The store does not support the request at all.
  case unsupportedFeature
  /// The store cannot evaluate the predicate. The library fetches without the predicate, and evaluates it in memory.
  case preferInMemoryFilter
  /// The store cannot sort. The library fetches without the sort order, and sorts in memory.
  case preferInMemorySort
  /// The store cannot evaluate the predicate. The library must not evaluate it in memory either: the fetch fails.
  case invalidPredicate
}
