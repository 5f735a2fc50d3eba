#if PostgreSQL
  import Foundation
  import OpenSwiftData
  import PersistenceCore
  import PostgresStore
  import PostgresSupport
  import Testing

  /// The store of one test on a server. The test opens it with several schemas, one after the other.
  final class ServerStore {
    let cluster: TestCluster
    var configuration: PostgresConfiguration

    init(_ cluster: TestCluster? = nil) throws {
      self.cluster = try cluster ?? TestCluster.shared.get()
      configuration = PostgresConfiguration(self.cluster.url)
      configuration.namespace = "Migration \(UUID().uuidString)"
      configuration.maximumConnections = 3
      configuration.lockTimeout = .seconds(10)
    }

    func open(
      _ models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
      plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContainer {
      try ModelContainer(
        for: Schema(models, version: version), migrationPlan: plan, configurations: [configuration])
    }

    func open(
      _ version: any VersionedSchema.Type, plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> ModelContainer {
      try open(version.models, version: version.versionIdentifier, plan: plan)
    }

    func use(_ models: [any PersistentModel.Type], _ body: (ModelContext) throws -> Void) throws {
      let context = ModelContext(try open(models))
      try body(context)
      try context.save()
    }

    /// Opens the store with other models, which migrates it. Then checks that the tables equal those of a new store
    /// with these models.
    func migrate(
      to models: [any PersistentModel.Type], _ body: (ModelContext) throws -> Void,
      _ location: SourceLocation = #_sourceLocation
    ) throws {
      try use(models, body)
      try checkLayout(like: models, location)
    }

    func checkLayout(
      like models: [any PersistentModel.Type], _ location: SourceLocation = #_sourceLocation
    ) throws {
      let fresh = try ServerStore(cluster)
      fresh.configuration.encryptionKey = configuration.encryptionKey
      _ = try fresh.open(models)
      let expected = try fresh.catalog().layout()
      #expect(try catalog().layout() == expected, sourceLocation: location)
      #expect(try catalog().problems() == [], sourceLocation: location)
    }

    func catalog() throws -> TestCatalog { try TestCatalog(cluster, namespace: configuration.namespace) }

    /// Opens the store, which must throw and leave the store unchanged. Returns the error.
    func refusal(
      of models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
      plan: (any SchemaMigrationPlan.Type)? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> SwiftDataError {
      let before = try catalog().dump()
      let error = #expect(throws: SwiftDataError.self, sourceLocation: location) {
        _ = try open(models, version: version, plan: plan)
      }
      #expect(try catalog().dump() == before, sourceLocation: location)
      return try #require(error, sourceLocation: location)
    }

    /// The statements that opening the store with these models would run.
    func statements(
      to models: [any PersistentModel.Type], version: Schema.Version = Schema.Version(1, 0, 0),
      plan: (any SchemaMigrationPlan.Type)? = nil
    ) throws -> [String] {
      try ModelContainer.migrationPlan(
        from: configuration, to: Schema(models, version: version), migrationPlan: plan
      ).stages.flatMap(\.sql)
    }
  }

  func scalars(_ text: String?) -> [UInt32]? { text?.unicodeScalars.map(\.value) }
#endif
