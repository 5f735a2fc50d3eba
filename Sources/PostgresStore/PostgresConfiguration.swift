#if PostgreSQL
  import Foundation
  import PersistenceContainer
  import PersistenceContext
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport

  /// The description of a store in a PostgreSQL database. Originates with OpenSwiftData.
  ///
  /// A store is all tables of a ``namespace``, what PostgreSQL calls a schema. It is made when there is none. Several programs on several
  /// machines may use a store at once: a save locks the rows that it changes and compares them with what its context has read.
  ///
  /// ```swift
  /// let configuration = PostgresConfiguration("postgresql://trips@db.example.org/trips")
  /// let container = try ModelContainer(for: Trip.self, configurations: configuration)
  /// ```
  public struct PostgresConfiguration: Hashable, Sendable {
    /// The database: a URL, or a connection string of libpq's. What it leaves out comes from the environment variables, `.pgpass` and the
    /// service files of libpq.
    public let url: String
    /// The name of the store, for messages.
    public var name: String
    /// The entities of the store; nil for all entities of the container.
    public var schema: Schema?
    /// What PostgreSQL calls a schema: the store is all of it. It is made with the store.
    public var namespace = "swiftdata"
    /// Whether the store may change. If not, it is not made either.
    public var allowsSave = true
    /// What a save does with a new model whose unique values exist in another row.
    public var uniquenessPolicy: ModelConfiguration.UniquenessPolicy = .updateExisting
    /// The most connections of the container to the server, at least two. They are opened when they are needed.
    public var maximumConnections = 10
    /// How long connecting may take.
    public var connectTimeout: Duration = .seconds(10)
    /// How long to wait for a connection that others use before throwing `SwiftDataError.storeBusy`.
    public var acquireTimeout: Duration = .seconds(30)
    /// How long the server lets a statement run before a `SwiftDataError.storeBusy`; nil for any time.
    public var statementTimeout: Duration?
    /// How long a statement waits for rows that another transaction changes before a `SwiftDataError.storeBusy`; nil for any time.
    public var lockTimeout: Duration? = .seconds(30)
    /// How often a save is run again when a concurrent one was in its way, before its error is thrown.
    public var saveRetries = 3
    /// Reports the progress of a migration when the store is opened; nil for no report.
    public var migrationProgress: ModelContainer.MigrationProgress?
    /// How long a migration waits for another program that migrates the store or changes it before throwing
    /// `SwiftDataError.storeBusy`.
    public var migrationTimeout: Duration = .seconds(600)
    /// The log of slow statements; nil for none. Its entries have no values.
    public var slowStatementLog: ModelConfiguration.SlowStatementLog?

    /// Describes a store.
    ///
    /// - Parameters:
    ///   - url: The database: `postgresql://user@host/database`, or a connection string of libpq's.
    ///   - name: The name of the store, for messages.
    ///   - schema: The entities of the store; nil for all entities of the container.
    public init(_ url: String, name: String = "PostgreSQL", schema: Schema? = nil) {
      self.url = url
      self.name = name
      self.schema = schema
    }
  }

  extension PostgresConfiguration: EngineConfiguration {
    /// The database and the namespace, without a password.
    package var storeLocation: String { "\(Self.withoutPassword(url)), schema \"\(namespace)\"" }

    private static func withoutPassword(_ url: String) -> String {
      guard var parts = URLComponents(string: url), parts.scheme != nil else {
        return url.split(separator: " ").filter { !$0.hasPrefix("password") }.joined(separator: " ")
      }
      parts.password = nil
      parts.queryItems?.removeAll { $0.name == "password" }
      return parts.string ?? "PostgreSQL"
    }

    package func validate() throws {
      guard !namespace.isEmpty, namespace.utf8.count <= 63, !namespace.utf8.contains(0), !namespace.hasPrefix("pg_")
      else {
        throw SwiftDataError(
          .storeFailure,
          "'\(namespace)' cannot be the name of a schema of PostgreSQL: it takes 1 to 63 bytes and no 'pg_' at its start."
        )
      }
    }

    package func openEngine(
      plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> any StoreEngine {
      guard !plan.entities.hasEncrypted else {
        throw SwiftDataError(
          .storeFailure,
          "Stores in PostgreSQL cannot have encrypted attributes yet. Keep these models in another store.")
      }
      return try PostgresStoreEngine(
        opening(plan: plan, migrationPlan: migrationPlan), capacity: maximumConnections, timeout: acquireTimeout,
        retries: saveRetries)
    }

    /// What opens the store, and migrates it.
    func opening(plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?) -> PostgresOpening {
      var settings = PostgresSettings(url)
      settings.connectTimeout = connectTimeout
      settings.statementTimeout = statementTimeout
      settings.lockTimeout = lockTimeout
      settings.slowStatementLog = slowStatementLog
      let (location, policy) = (storeLocation, uniquenessPolicy)
      let migration = PostgresMigrationRequest(progress: migrationProgress, timeout: migrationTimeout) { stored in
        let route = try MigrationRouter(to: plan, plan: migrationPlan, path: location, uniquenessPolicy: policy)
          .route(from: stored)
        try route?.check()
        return route
      }
      return PostgresOpening(
        settings, namespace: namespace, allowsSave: allowsSave, plan: plan, migration: migration)
    }

    /// The stages that opening the store with a schema would run. The store is only read.
    func stages(
      to plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?
    ) throws -> [MigrationRoute.ResolvedStage] {
      try validate()
      let stored = try opening(plan: plan, migrationPlan: migrationPlan).storedSchemaJSON()
      return try MigrationRouter(to: plan, plan: migrationPlan, path: storeLocation).route(from: stored)?.stages ?? []
    }
  }

  extension ModelContainer {
    /// Opens the stores of some models in PostgreSQL databases. Originates with OpenSwiftData.
    ///
    /// - Parameters:
    ///   - forTypes: The models. Models that these are related to belong to the schema too.
    ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
    ///   - configuration: The store.
    ///   - others: More stores, each with entities of its own.
    /// - Throws: `SwiftDataError` with every contradiction in the schema, of an invalid configuration, or of a store that cannot be opened
    ///   or migrated. That store is not changed then.
    public convenience init(
      for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
      configurations configuration: PostgresConfiguration, _ others: PostgresConfiguration...
    ) throws {
      try self.init(ContainerSchema(forTypes), migrationPlan: migrationPlan, configurations: [configuration] + others)
    }

    /// Opens the stores of a schema in PostgreSQL databases. Originates with OpenSwiftData.
    ///
    /// - Parameters:
    ///   - givenSchema: The schema.
    ///   - migrationPlan: The versions and stages for stores with another schema; nil for automatic migrations.
    ///   - configuration: The store.
    ///   - others: More stores, each with entities of its own.
    /// - Throws: `SwiftDataError` with every contradiction in the schema, of an invalid configuration, or of a store that cannot be opened
    ///   or migrated. That store is not changed then.
    public convenience init(
      for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
      configurations configuration: PostgresConfiguration, _ others: PostgresConfiguration...
    ) throws {
      try self.init(
        ContainerSchema(givenSchema), migrationPlan: migrationPlan, configurations: [configuration] + others)
    }
  }
#endif
