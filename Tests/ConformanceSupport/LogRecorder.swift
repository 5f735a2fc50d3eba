import Logging
import PersistenceCore

/// A logger that records its messages.
package final class LogRecorder: Sendable {
  package struct Line: Sendable {
    package let level: Logger.Level
    package let message: String
    package let metadata: [String: String]

    package var sql: String { metadata["sql"] ?? "" }
  }

  private let lines = Lock<[Line]>([])
  /// Messages that are logged once in a process are logged once for each recorder.
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

  /// The recorder of the library's log, in the task that sets it.
  @TaskLocal private static var current: LogRecorder?

  /// Makes the loggers of the process look up the recorder. It can run only once, before a container is created.
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
  /// The recorder of this handler; nil for the recorder of the current task.
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
