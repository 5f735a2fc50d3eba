import Logging
import Synchronization

/// A logger that remembers what it was told.
final class LogRecorder: Sendable {
  struct Line: Sendable {
    let message: String
    let metadata: [String: String]

    var sql: String { metadata["sql"] ?? "" }
  }

  private let lines = Mutex<[Line]>([])

  var all: [Line] { lines.withLock { $0 } }
  var statements: [String] { all.map(\.sql) }

  func clear() { lines.withLock { $0 = [] } }

  func add(_ line: Line) { lines.withLock { $0.append(line) } }

  func logger(_ label: String = "recorder") -> Logger {
    Logger(label: label) { _ in RecordingHandler(recorder: self) }
  }
}

private struct RecordingHandler: LogHandler {
  let recorder: LogRecorder
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let metadata = (event.metadata ?? [:]).mapValues { "\($0)" }
    recorder.add(LogRecorder.Line(message: "\(event.message)", metadata: metadata))
  }
}
