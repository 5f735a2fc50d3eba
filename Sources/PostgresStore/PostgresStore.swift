// This module knows PostgreSQL: its tables, its connections and its errors. Without the package
// trait PostgreSQL it has only the placeholders below, and nothing of libpq is compiled or linked.

#if !PostgreSQL
  import Foundation
  import PersistenceContainer
  import PersistenceContext
  import PersistenceExtensions
  import PersistenceRuntime
  import PersistenceStores

  // Without the trait, these placeholders have the names of the real declarations. A use of them type-checks, so the
  // compiler reports only the message below.

  /// A placeholder: the compiler reports that the package trait is missing.
  @available(
    *, unavailable,
    message: """
      stores in PostgreSQL need the package trait 'PostgreSQL': add 'traits: ["PostgreSQL"]' to the dependency on this package, \
      and install libpq (Debian: 'apt-get install libpq-dev')
      """
  )
  public struct PostgresConfiguration: DataStoreConfiguration {
    /// Not available without the trait.
    public typealias Store = PostgresDataStore

    /// Not available without the trait.
    public var name: String
    /// Not available without the trait.
    public var schema: Schema?

    /// Not available without the trait.
    public init(_ url: String, name: String = "PostgreSQL", schema: Schema? = nil) {
      self.name = name
      self.schema = schema
    }
  }

  /// A placeholder: the compiler reports that the package trait is missing.
  @available(
    *, unavailable,
    message: """
      stores in PostgreSQL need the package trait 'PostgreSQL': add 'traits: ["PostgreSQL"]' to the dependency on this package, \
      and install libpq (Debian: 'apt-get install libpq-dev')
      """
  )
  public final class PostgresDataStore: DataStore {
    /// Not available without the trait.
    public typealias Configuration = PostgresConfiguration
    /// Not available without the trait.
    public typealias Snapshot = DefaultSnapshot

    /// Not available without the trait.
    public let identifier = ""
    /// Not available without the trait.
    public let schema: Schema
    /// Not available without the trait.
    public let configuration: PostgresConfiguration

    /// Not available without the trait.
    ///
    /// - Throws: Nothing: code that calls this initialiser does not compile.
    public init(_ configuration: PostgresConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)? = nil) throws {
      guard let schema = configuration.schema else { throw DataStoreError.unsupportedFeature }
      self.schema = schema
      self.configuration = configuration
    }

    /// Not available without the trait.
    ///
    /// - Throws: Nothing: code that calls this method does not compile.
    public func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      throw DataStoreError.unsupportedFeature
    }

    /// Not available without the trait.
    ///
    /// - Throws: Nothing: code that calls this method does not compile.
    public func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
      throw DataStoreError.unsupportedFeature
    }
  }

  @available(*, unavailable, message: "stores in PostgreSQL need the package trait 'PostgreSQL'")
  extension ModelContainer {
    /// Not available without the trait.
    ///
    /// - Throws: Nothing: code that calls this initialiser does not compile.
    public convenience init(
      for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
      configurations configuration: PostgresConfiguration, _ others: PostgresConfiguration...
    ) throws {
      try self.init(ContainerSchema(givenSchema), migrationPlan: migrationPlan, configurations: [])
    }

    /// Not available without the trait.
    ///
    /// - Throws: Nothing: code that calls this method does not compile.
    public static func migrationPlan(
      from configuration: PostgresConfiguration, to schema: Schema,
      migrationPlan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> MigrationPlan {
      throw DataStoreError.unsupportedFeature
    }

    /// Not available without the trait.
    ///
    /// - Throws: Nothing: code that calls this method does not compile.
    @discardableResult
    public func copy(
      to configuration: PostgresConfiguration, progress: Progress = Progress(parent: nil)
    ) async throws -> StoreCopy {
      throw DataStoreError.unsupportedFeature
    }
  }
#endif
