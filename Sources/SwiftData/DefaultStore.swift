import PersistenceContainer
import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceStores
import PersistenceSupport

/// The store that a ``ModelConfiguration`` describes, for code that uses the store without a container. Apple's.
///
/// A container does not need this class, because it opens such a store itself. A custom store can create a
/// `DefaultStore` and forward requests to it, so that the models are stored in SQLite. Thread-safe.
///
/// ```swift
/// let inner = try DefaultStore(ModelConfiguration(schema: schema, url: url))
/// let result = try inner.fetch(request)
/// ```
public final class DefaultStore: DataStore, DataStoreBatching, HistoryProviding {
  /// The type that describes the store. Apple's.
  public typealias Configuration = ModelConfiguration
  /// The type of the store's snapshots. Apple's.
  public typealias Snapshot = DefaultSnapshot
  /// The type of tokens, which are positions in the store's history. Apple's.
  public typealias TokenType = DefaultHistoryToken

  /// The name of the configuration. Apple's.
  public let name: String
  /// The entities of the store. Apple's.
  public let schema: Schema
  /// The configuration with which the store was created. Apple's.
  public let configuration: ModelConfiguration
  /// The identifier of the store, which its file contains. Apple's.
  public let identifier: String
  private let snapshots: ContainerSnapshots

  private var container: ModelContainer { snapshots.container }

  /// Opens the store. Apple's.
  ///
  /// - Parameters:
  ///   - configuration: The configuration, with its schema.
  ///   - migrationPlan: The versions and stages for a store with another schema; nil for an automatic migration.
  /// - Throws: `SwiftDataError.configurationSchemaNotFoundInContainerSchema` if the configuration has no schema, and
  ///   the errors of the initialisers of ``ModelContainer``.
  public convenience init(
    _ configuration: ModelConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "the configuration '\(configuration.name)' has no schema, which a DefaultStore without a container needs")
    }
    let container = try ModelContainer(for: schema, migrationPlan: migrationPlan, configurations: [configuration])
    self.init(container, schema, configuration)
  }

  private init(_ container: ModelContainer, _ schema: Schema, _ configuration: ModelConfiguration) {
    self.schema = schema
    self.configuration = configuration
    name = configuration.name
    snapshots = ContainerSnapshots(container)
    identifier = snapshots.identifier
  }

  /// Returns the snapshots of the models that a descriptor describes. Apple's.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The snapshots.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    try snapshots.fetch(request)
  }

  /// Returns the number of models that a descriptor describes. Apple's.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The number.
  /// - Throws: The errors of ``ModelContext/fetchCount(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try snapshots.fetchCount(request)
  }

  /// Returns the identifiers of the models that a descriptor describes. Apple's.
  ///
  /// - Parameter request: The descriptor, and the requesting context.
  /// - Returns: The identifiers.
  /// - Throws: The errors of ``ModelContext/fetchIdentifiers(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try snapshots.fetchIdentifiers(request)
  }

  /// Writes the changes of one save in one transaction. Apple's.
  ///
  /// - Parameter request: The snapshots of new, changed and deleted models.
  /// - Returns: The identifiers of the new models and, if the store keeps a history, the position of the save in it.
  /// - Throws: `SwiftDataError.modelNotFound` for a changed model that the store does not have, and the errors of
  ///   ``ModelContext/save()``. In that case nothing is written.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    try snapshots.save(request)
  }

  /// Deletes the models that satisfy a condition, in one transaction. Apple's.
  ///
  /// - Parameter request: The condition, and the context that deletes.
  /// - Throws: The errors of `ModelContext.delete(model:where:includeSubclasses:)` and ``ModelContext/save()``.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    try snapshots.delete(request)
  }

  /// Deletes all rows. Apple's.
  ///
  /// - Throws: `SwiftDataError` of the store.
  public func erase() throws { try container.erase() }

  /// Returns the snapshots of some models. Apple's.
  ///
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The requesting context.
  /// - Returns: The snapshots of the models that exist.
  /// - Throws: `SwiftDataError` of the store.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try snapshots.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
  }

  // MARK: History

  /// The type of the transactions of the store's history. Apple's.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// Returns the transactions that match a descriptor. Apple's.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Returns: The transactions.
  /// - Throws: The errors of ``ModelContext/fetchHistory(_:)``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try ModelContext(container).fetchHistory(descriptor)
  }

  /// Deletes the transactions that match a descriptor. Apple's.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Throws: The errors of ``ModelContext/deleteHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try ModelContext(container).deleteHistory(descriptor)
  }
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The type of the described store, which is a SQLite store. Apple's.
  public typealias Store = DefaultStore
}
