import ConformanceSupport
import Foundation
import OpenSwiftData
import SwiftData

#if PostgreSQL
  import PostgresStore
  import PostgresSupport

  extension MigratedStore {
    private var namespace: String { folder.lastPathComponent }

    private func configuration(_ model: ModelConfiguration) throws -> PostgresConfiguration {
      var configuration = PostgresConfiguration(try TestCluster.shared.get().url)
      configuration.namespace = namespace
      configuration.allowsSave = model.allowsSave
      configuration.uniquenessPolicy = model.uniquenessPolicy
      configuration.maximumConnections = 3
      configuration.migrationProgress = model.migrationProgress
      configuration.migrationTimeout = model.migrationTimeout
      configuration.lockTimeout = .seconds(5)
      configuration.history = model.history
      configuration.encryptionKey = model.encryptionKey
      configuration.formerEncryptionKeys = model.formerEncryptionKeys
      return configuration
    }

    func openOnServer(
      _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ model: ModelConfiguration
    ) throws -> ModelContainer {
      try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration(model)])
    }

    func planOnServer(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> MigrationPlan {
      try ModelContainer.migrationPlan(
        from: configuration(ModelConfiguration(url: url)), to: schema, migrationPlan: plan)
    }

    func serverContents() throws -> any StoreContents {
      ServerContents(try TestCatalog(TestCluster.shared.get(), namespace: namespace))
    }
  }

  /// The database of a store on the test server, read without the library.
  private struct ServerContents: StoreContents {
    private let catalog: TestCatalog

    init(_ catalog: TestCatalog) {
      self.catalog = catalog
    }

    var tables: [String] { get throws { try catalog.tables } }
    func problems() throws -> [String] { try catalog.problems() }
    func layout() throws -> [String] { try catalog.layout() }
    func dump() throws -> [[String?]] { try catalog.dump() }
    func column(_ sql: String) throws -> [String] { try catalog.rows(sql).compactMap { $0.first ?? nil } }
    func placesOfOriginals() throws -> [String] { try catalog.placesOfOriginals() }
  }
#else
  extension MigratedStore {
    private var missingTrait: SwiftDataError {
      SwiftDataError(.storeFailure, "tests of stores in PostgreSQL need the package trait PostgreSQL")
    }

    func openOnServer(
      _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, _ model: ModelConfiguration
    ) throws -> ModelContainer {
      throw missingTrait
    }

    func planOnServer(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> MigrationPlan {
      throw missingTrait
    }

    func serverContents() throws -> any StoreContents { throw missingTrait }
  }
#endif
