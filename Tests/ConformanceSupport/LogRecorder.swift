import Logging
import PersistenceCore

/// Records the messages of loggers.
package final class LogRecorder: Sendable {
  package struct Line: Sendable {
    package let level: Logger.Level
    package let message: String
    package let metadata: [String: String]

    package var sql: String { metadata["sql"] ?? "" }
  }

  private let lines = Lock<[Line]>([])
  /// The library logs some messages once per process. While a recorder listens, it logs them once per recorder.
  private let memoryWork = MemoryWorkLog()

  package init() {}

  package var all: [Line] { lines.withLock { $0 } }
  package var statements: [String] { all.map(\.sql) }

  package func clear() { lines.withLock { $0 = [] } }

  fileprivate func add(_ line: Line) { lines.withLock { $0.append(line) } }

  package func logger(_ label: String = "recorder") -> Logger {
    Logger(label: label) { _ in RecordingHandler(recorder: self) }
  }

  // MARK: The library's own logger

  /// The recorder that receives the library's log messages in the current task; nil if the task has none.
  @TaskLocal private static var current: LogRecorder?

  /// Makes all loggers of the process pass their messages to ``current``. This must happen once, before a container is
  /// created.
  private static let listening: Void = LoggingSystem.bootstrap { _ in RecordingHandler(recorder: nil) }

  /// Records the library's log while the body runs. The body has to create its own container.
  package func listen<Result>(_ body: () throws -> Result) rethrows -> Result {
    Self.listening
    return try MemoryWorkLog.$current.withValue(memoryWork) {
      try Self.$current.withValue(self, operation: body)
    }
  }

  fileprivate static func tell(_ line: Line) { current?.add(line) }
}

private struct RecordingHandler: LogHandler {
  /// The recorder that receives the messages; nil for the current recorder of the task.
  let recorder: LogRecorder?
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
    let line = LogRecorder.Line(level: event.level, message: "\(event.message)", metadata: metadata)
    if let recorder { recorder.add(line) } else { LogRecorder.tell(line) }
  }
}
