import SwiftData
import Testing

/// Runs statements on a database with Python's SQLite, each statement in a process of its own.
package struct PythonDatabase {
  let url: URL

  package init(_ url: URL) { self.url = url }

  /// Executes a statement and commits it. Returns each row as a line, with columns separated by spaces.
  @discardableResult
  package func run(_ statement: String, checksReferences: Bool = false) throws -> [String] {
    let (status, text) = try PythonProcess.output(
      of: """
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1])
        connection.execute("PRAGMA foreign_keys = " + sys.argv[3])
        for row in connection.execute(sys.argv[2]): print(*row)
        connection.commit()
        """,
      arguments: [url.path, statement, checksReferences ? "ON" : "OFF"])
    try #require(status == 0, "Python could not execute \(statement)")
    return text.split(separator: "\n").map(String.init)
  }
}
