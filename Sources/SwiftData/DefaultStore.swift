import PersistenceContainer
import PersistenceContext
import PersistenceHistory
import PersistenceQueries
import PersistenceRuntime
import PersistenceStores
import PersistenceSupport

/// The store that a ``ModelConfiguration`` describes, for code that uses it without a container. Apple's.
///
/// A container opens such a store itself, and does not need this class. A store of a program makes one to keep models in,
/// and hands requests on to it. Its calls may come from any thread.
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
  /// The type of the places in the store's history. Apple's.
  public typealias TokenType = DefaultHistoryToken

  /// The name of the configuration. Apple's.
  public let name: String
  /// The entities of the store. Apple's.
  public let schema: Schema
  /// The configuration that the store was made with. Apple's.
  public let configuration: ModelConfiguration
  /// The identifier of the store, which is in the file. Apple's.
  public let identifier: String
  private let container: ModelContainer

  /// Opens the store. Apple's.
  ///
  /// - Parameters:
  ///   - configuration: The configuration, with its schema.
  ///   - migrationPlan: The versions and stages for a store with another schema; nil for an automatic migration.
  /// - Throws: `SwiftDataError.configurationSchemaNotFoundInContainerSchema` without a schema, and the errors of opening a
  ///   container.
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
    self.container = container
    self.schema = schema
    self.configuration = configuration
    name = configuration.name
    identifier = container.stores.stores.first?.engine.identifier ?? ""
    for store in container.stores.stores { SnapshotEntities.note(store.entities) }
  }

  /// Returns the snapshots of the models that a descriptor describes. Apple's.
  ///
  /// - Parameter request: The descriptor, and the context that asks.
  /// - Returns: The snapshots.
  /// - Throws: The errors of ``ModelContext/fetch(_:)``.
  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let context = context(of: request.editingState)
    let snapshots = ModelSnapshots(context, schema: container.schema)
    let models = try context.fetch(request.descriptor)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try models.map { try snapshots.snapshot(of: $0) })
  }

  /// Returns the number of models that a descriptor describes. Apple's.
  ///
  /// - Parameter request: The descriptor, and the context that asks.
  /// - Returns: The number.
  /// - Throws: The errors of ``ModelContext/fetchCount(_:)``.
  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try context(of: request.editingState).fetchCount(request.descriptor)
  }

  /// Returns the identifiers of the models that a descriptor describes. Apple's.
  ///
  /// - Parameter request: The descriptor, and the context that asks.
  /// - Returns: The identifiers.
  /// - Throws: The errors of ``ModelContext/fetchIdentifiers(_:)``.
  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try context(of: request.editingState).fetchIdentifiers(request.descriptor)
  }

  /// Writes the changes of one save in one transaction. Apple's.
  ///
  /// - Parameter request: The snapshots of new, changed and deleted models.
  /// - Returns: The identifiers of the new models, and the place in the history, if the store keeps one.
  /// - Throws: `SwiftDataError.modelNotFound` for a changed model that the store does not have, and the errors of
  ///   ``ModelContext/save()``. Nothing is written then.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let context = context(of: request.editingState)
    let snapshots = ModelSnapshots(context, schema: container.schema)
    let inserted = try snapshots.insert(request.inserted)
    let updated = try request.updated.map { try model(of: $0.persistentIdentifier, in: context) }
    for (snapshot, model) in zip(request.updated, updated) { try snapshots.assign(snapshot, to: model) }
    var known: [PersistentIdentifier: any PersistentModel] = [:]
    for (snapshot, model) in zip(request.inserted + request.updated, inserted + updated) {
      known[snapshot.persistentIdentifier] = model
    }
    for (snapshot, model) in zip(request.inserted + request.updated, inserted + updated) {
      try snapshots.relate(snapshot, of: model) { known[$0] ?? self.found($0, in: context) }
    }
    for snapshot in request.deleted {
      if let model = found(snapshot.persistentIdentifier, in: context) { context.delete(model) }
    }
    let token = try SavedToken.save(context)
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (snapshot, model) in zip(request.inserted, inserted) {
      remapped[snapshot.persistentIdentifier] = model.persistentModelID
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped, historyToken: token)
  }

  /// Deletes the models that meet a condition, in one transaction. Apple's.
  ///
  /// - Parameter request: The condition, and the context that deletes.
  /// - Throws: The errors of `ModelContext.delete(model:where:includeSubclasses:)` and ``ModelContext/save()``.
  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let context = context(of: request.editingState)
    try context.delete(model: T.self, where: request.predicate, includeSubclasses: request.includeSubclasses)
    try context.save()
  }

  /// Deletes all rows. Apple's.
  ///
  /// - Throws: `SwiftDataError` of the store.
  public func erase() throws { try container.erase() }

  /// Returns the snapshots of some models. Apple's.
  ///
  /// - Parameters:
  ///   - persistentIdentifiers: The identifiers of the models.
  ///   - editingState: The context that asks.
  /// - Returns: The snapshots of those that exist.
  /// - Throws: `SwiftDataError` of the store.
  public func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let context = context(of: editingState)
    let snapshots = ModelSnapshots(context, schema: container.schema)
    var result: [PersistentIdentifier: DefaultSnapshot] = [:]
    for identifier in persistentIdentifiers {
      if let model = found(identifier, in: context) { result[identifier] = try snapshots.snapshot(of: model) }
    }
    return result
  }

  private func context(of state: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.author = state.author
    return context
  }

  private func found(_ identifier: PersistentIdentifier, in context: ModelContext) -> (any PersistentModel)? {
    let model = context.model(for: identifier)
    return model.isDeleted ? nil : model
  }

  private func model(of identifier: PersistentIdentifier, in context: ModelContext) throws -> any PersistentModel {
    guard let model = found(identifier, in: context) else {
      throw SwiftDataError(.modelNotFound, "no model has the identifier \(identifier), whose snapshot is to be saved")
    }
    return model
  }

  // MARK: History

  /// The type of the transactions of the store's history. Apple's.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// Returns the transactions that a descriptor wants. Apple's.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Returns: The transactions.
  /// - Throws: The errors of ``ModelContext/fetchHistory(_:)``.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try ModelContext(container).fetchHistory(descriptor)
  }

  /// Deletes the transactions that a descriptor names. Apple's.
  ///
  /// - Parameter descriptor: The descriptor.
  /// - Throws: The errors of ``ModelContext/deleteHistory(_:)``.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try ModelContext(container).deleteHistory(descriptor)
  }
}

extension ModelConfiguration: DataStoreConfiguration {
  /// The store that is described: SQLite's. Apple's.
  public typealias Store = DefaultStore
}

/// The place of a save in the history of its store, which the context posts.
private final class SavedToken: Sendable {
  private let found = Lock<(any HistoryToken)?>(nil)

  /// Saves a context, and returns the place; nil without a history.
  static func save(_ context: ModelContext) throws -> (any HistoryToken)? {
    let token = SavedToken()
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { notification in
      let key = ModelContext.NotificationKey.historyTokens.rawValue
      let tokens = notification.userInfo?[key] as? [String: any HistoryToken]
      token.found.withLock { $0 = tokens?.values.first }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    return token.found.withLock { $0 }
  }
}
