#if PostgreSQL
  import PersistenceContainer
  import PersistenceContext
  import PersistenceQueries
  import PersistenceRuntime
  import PersistenceStores
  import PersistenceSupport

  /// A store of a ``PostgresConfiguration`` that is used without a container. Originates with OpenSwiftData.
  ///
  /// A container opens its stores itself and does not need this class. It is meant for a custom store that saves its
  /// models in PostgreSQL. Any thread may call the methods.
  public final class PostgresDataStore: DataStore, DataStoreBatching {
    /// The type of the configuration.
    public typealias Configuration = PostgresConfiguration
    /// The type of the store's snapshots.
    public typealias Snapshot = DefaultSnapshot

    /// The entities of the store.
    public let schema: Schema
    /// The configuration of the store.
    public let configuration: PostgresConfiguration
    /// The identifier of the store, which the database contains.
    public let identifier: String
    private let snapshots: ContainerSnapshots

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, with its schema.
    ///   - migrationPlan: The versions and stages for a store with another schema; nil for an automatic migration.
    /// - Throws: `SwiftDataError.configurationSchemaNotFoundInContainerSchema` if the configuration has no schema, and
    ///   the errors that opening a container throws.
    public init(_ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
      guard let schema = configuration.schema else {
        throw SwiftDataError(
          .configurationSchemaNotFoundInContainerSchema,
          "the configuration '\(configuration.name)' has no schema, which a PostgresDataStore without a container needs"
        )
      }
      self.schema = schema
      self.configuration = configuration
      snapshots = ContainerSnapshots(
        try ModelContainer(ContainerSchema(schema), migrationPlan: migrationPlan, configurations: [configuration]))
      identifier = snapshots.identifier
    }

    /// Returns the snapshots of the models that match a descriptor.
    ///
    /// - Parameter request: The descriptor, and the requesting context.
    /// - Returns: The snapshots.
    /// - Throws: The errors of a context's fetch.
    public func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      try snapshots.fetch(request)
    }

    /// Returns the number of models that match a descriptor.
    ///
    /// - Parameter request: The descriptor, and the requesting context.
    /// - Returns: The number.
    /// - Throws: The errors of a context's fetch.
    public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
      try snapshots.fetchCount(request)
    }

    /// Returns the identifiers of the models that match a descriptor.
    ///
    /// - Parameter request: The descriptor, and the requesting context.
    /// - Returns: The identifiers.
    /// - Throws: The errors of a context's fetch.
    public func fetchIdentifiers<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> [PersistentIdentifier] {
      try snapshots.fetchIdentifiers(request)
    }

    /// Writes the changes of one save in one transaction.
    ///
    /// - Parameter request: The snapshots of new, changed and deleted models.
    /// - Returns: The identifiers of the new models.
    /// - Throws: `SwiftDataError.modelNotFound` if the store does not contain a changed model, and the errors of a
    ///   context's save. Nothing is written then.
    public func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      try snapshots.save(request)
    }

    /// Deletes the models that satisfy a condition, in one transaction.
    ///
    /// - Parameter request: The condition, and the deleting context.
    /// - Throws: The errors of a context's save. Nothing is deleted then.
    public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
      try snapshots.delete(request)
    }

    /// Deletes all rows.
    ///
    /// - Throws: `SwiftDataError` of the store.
    public func erase() throws { try snapshots.container.erase() }

    /// Returns the snapshots of some models.
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
  }
#endif
