/// A line of a table of the tz database: fields between tabs.
struct TableLine {
  let fields: [Substring]
  private let path: String
  private let number: Int

  /// The lines of a table, without comments and empty lines.
  static func lines(of text: String, path: String) -> [TableLine] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.element.isEmpty && !$0.element.hasPrefix("#") }
      .map { offset, line in
        TableLine(
          fields: line.split(separator: "\t", omittingEmptySubsequences: false), path: path, number: offset + 1)
      }
  }

  /// The error for a line with an unexpected form.
  var malformed: AtlasError {
    .malformedLine(path: path, line: number, text: fields.joined(separator: " "))
  }
}
