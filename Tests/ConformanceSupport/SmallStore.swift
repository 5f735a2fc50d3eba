import PersistenceCore
import SQLiteStore
import SwiftData
import Testing

/// A store that may not grow beyond a size, as on a full disk; removed with its test.
package final class SmallStore {
  private let folder: URL
  package let container: ModelContainer

  package init(_ engine: Engine, _ models: [any PersistentModel.Type], bytes: Int) throws {
    let folder = try TestStore.makeFolder()
    self.folder = folder
    let url = folder.appending(path: "small.store")
    container = try ModelContainer(
      ContainerSchema(Schema(models)), migrationPlan: nil, configurations: [ModelConfiguration(url: url)]
    ) { _, plan, _ in
      let configuration = SQLiteStoreConfiguration(
        location: engine == .file ? .file(url) : .memory, maximumSizeBytes: bytes)
      return try SQLiteStoreEngine(
        SQLiteStoreRequest(
          configuration: configuration, statementMemory: SQLiteDialect.statementMemory(of: plan.layouts),
          schemaJSON: plan.json, migration: SQLiteMigrationRequest { _ in nil }))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  package func context() -> ModelContext { ModelContext(container) }
}
