import PersistenceCore
import SQLiteStore
import SwiftData
import Testing

/// A store with a maximum size, which fails like a store on a full disk. It is deleted when this object is released.
package final class SmallStore {
  private let folder: URL
  package let container: ModelContainer

  package init(_ engine: Engine, _ models: [any PersistentModel.Type], bytes: Int) throws {
    let folder = try TestStore.makeFolder()
    self.folder = folder
    let configuration = SmallConfiguration(
      url: folder.appending(path: "small.store"), isInMemory: engine != .file, bytes: bytes)
    container = try ModelContainer(
      ContainerSchema(Schema(models)), migrationPlan: nil,
      configurations: engine == .remote ? [RemoteConfiguration(configuration)] : [configuration])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func context() -> ModelContext { ModelContext(container) }
}

/// The configuration of a store with a maximum size.
private struct SmallConfiguration: EngineConfiguration {
  let url: URL
  let isInMemory: Bool
  let bytes: Int
  var schema: Schema?

  var name: String { "small" }
  var storeLocation: String { url.path }
  var uniquenessPolicy: ModelConfiguration.UniquenessPolicy { .updateExisting }

  func validate() throws {}

  func openEngine(plan: SchemaPlan, migrationPlan: (any SchemaMigrationPlan.Type)?) throws -> any StoreEngine {
    let configuration = SQLiteStoreConfiguration(
      location: isInMemory ? .memory : .file(url), maximumSizeBytes: bytes)
    return try SQLiteStoreEngine(
      SQLiteStoreRequest(
        configuration: configuration, statementMemory: SQLiteDialect.statementMemory(of: plan.layouts),
        schemaJSON: plan.json, migration: SQLiteMigrationRequest { _ in nil }))
  }
}
