import ConformanceSupport
import SwiftData

/// A store whose container logs all SQL statements.
final class LoggedStore {
  let recorder = LogRecorder()
  let container: ModelContainer
  private let folder: URL

  init(threshold: Duration = .zero, showsValues: Bool = false) throws {
    folder = try TestStore.makeFolder()
    let schema = Schema(archiveModels)
    var configuration = ModelConfiguration(schema: schema, url: folder.appending(path: "logged.store"))
    configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(
      threshold: threshold, showsValues: showsValues, logger: recorder.logger())
    container = try ModelContainer(for: schema, configurations: [configuration])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func context() -> ModelContext { ModelContext(container) }

  /// Returns the SELECT statements that a block executes. It omits the query that finds the tables with original texts,
  /// because each connection runs this query once after each change of the file.
  func reads(_ body: () throws -> Void) rethrows -> [String] {
    recorder.clear()
    try body()
    return recorder.statements.filter { $0.hasPrefix("SELECT") && !$0.contains("_osd_originals") }
  }
}
