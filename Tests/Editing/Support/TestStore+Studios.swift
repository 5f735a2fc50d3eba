import ConformanceSupport
import SwiftData
import Testing

extension TestStore {
  static func studios(_ engine: Engine) throws -> TestStore { try TestStore(engine, Studios.models) }

  /// Changes the file of a store in a process of its own.
  func changeElsewhere(_ statement: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1])
      connection.execute("PRAGMA foreign_keys = ON")
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

extension ModelContext {
  func artist(_ name: String = "Ada") throws -> Artist {
    try #require(try fetch(FetchDescriptor<Artist>(predicate: #Predicate { $0.name == name })).first)
  }

  func only<T: PersistentModel>(_ type: T.Type) throws -> T {
    let all = try fetch(FetchDescriptor<T>())
    try #require(all.count == 1)
    return try #require(all.first)
  }
}
