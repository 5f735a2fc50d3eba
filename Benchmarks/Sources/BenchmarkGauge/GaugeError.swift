/// An error that makes counts invalid.
public enum GaugeError: Error, Equatable, CustomStringConvertible {
  /// Callgrind's output cannot be parsed.
  case unreadableDump(String)
  /// A line of the table cannot be parsed.
  case unreadableTable(line: Int, text: String)
  /// The number of dumps that callgrind wrote differs from the number of measurements.
  case dumps(found: Int, expected: Int)
  /// A program ended with an error.
  case failed(command: String, status: Int32, output: String)

  public var description: String {
    switch self {
    case .unreadableDump(let text): "callgrind's dump is not understood: \(text)"
    case .unreadableTable(let line, let text): "line \(line) of the table is not understood: \(text)"
    case .dumps(let found, let expected): "callgrind wrote \(found) dumps of \(expected) measurements"
    case .failed(let command, let status, let output):
      "\(command) ended with status \(status); Scripts/require gauge says what is missing\n\(output)"
    }
  }
}
