import SwiftData
import Testing

extension TestStore {
  /// Changes the file of a store as no code of the library would.
  package func tamper(_ statement: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1])
      connection.execute(sys.argv[2])
      connection.commit()
      """,
      configuration.url.path, statement,
    ]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
