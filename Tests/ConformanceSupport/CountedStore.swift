import Foundation
import SwiftData

/// A store whose SQL statements are recorded.
package struct CountedStore {
  private final class Folder {
    let url: URL
    init() throws { url = try TestStore.makeFolder() }
    deinit { try? FileManager.default.removeItem(at: url) }
  }

  package let recorder = LogRecorder()
  package let container: ModelContainer
  private let folder: Folder
  private let schema: Schema
  private let configuration: ModelConfiguration

  /// - Parameter history: The history of the store; nil for the default of `ModelConfiguration`.
  package init(
    _ engine: Engine, _ models: [any PersistentModel.Type], history: ModelConfiguration.History? = nil
  ) throws {
    folder = try Folder()
    schema = Schema(models)
    var configuration =
      switch engine {
      case .file, .json, .postgres: ModelConfiguration(schema: schema, url: folder.url.appending(path: "counted.store"))
      case .memory, .remote: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      }
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .zero, logger: recorder.logger())
    if let history { configuration.history = history }
    self.configuration = configuration
    container = try engine.container(for: schema, configuration)
  }

  /// The path of the file.
  package var path: String { configuration.url.path }

  /// Opens the file in a second container. The first container treats its commits like those of another process.
  package func foreignContainer() throws -> ModelContainer {
    var configuration = configuration
    configuration.slowStatementLog = nil
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  /// Runs the block, and returns the number of SELECT statements on an entity's table that it caused.
  package func reads(of entity: String, _ block: () throws -> Void) rethrows -> Int {
    recorder.clear()
    try block()
    return reads(of: entity)
  }

  /// The number of SELECT statements on an entity's table since the recorder was last cleared.
  package func reads(of entity: String) -> Int {
    recorder.statements.count { $0.hasPrefix("SELECT") && $0.contains("\"\(entity)\"") }
  }
}
