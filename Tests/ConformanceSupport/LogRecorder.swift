import Logging
import PersistenceCore

/// A logger that remembers what it was told.
package final class LogRecorder: Sendable {
  package struct Line: Sendable {
    package let level: Logger.Level
    package let message: String
    package let metadata: [String: String]

    package var sql: String { metadata["sql"] ?? "" }
  }

  private let lines = Lock<[Line]>([])
  /// What is logged once for a process is logged once for a recorder.
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

  /// What hears the library's log, on the task that sets it.
  @TaskLocal private static var current: LogRecorder?

  /// Makes the loggers of the process ask for the recorder. It can be done once only, before a container is made.
  private static let listening: Void = LoggingSystem.bootstrap { _ in RecordingHandler(recorder: nil) }

  /// Remembers what the library logs while the body runs, which makes its own container.
  package func listen<Result>(_ body: () throws -> Result) rethrows -> Result {
    Self.listening
    return try MemoryWorkLog.$current.withValue(memoryWork) {
      try Self.$current.withValue(self, operation: body)
    }
  }

  fileprivate static func tell(_ line: Line) { current?.add(line) }
}

private struct RecordingHandler: LogHandler {
  /// What hears it; nil for the recorder that listens.
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
