import ConformanceSupport
import Foundation
import SQLiteStore

/// The ways in which another program copies the contents of a store into a new database.
enum Reloading: CaseIterable {
  /// SQLite's shell writes a dump with `.dump`, and reads it into the new database.
  case dump
  /// A program copies the schema and the rows by SQL.
  case copy

  /// The ways that work on this machine: `dump` only if SQLite's shell is installed.
  static let available = allCases.filter { $0 == .copy || hasShell }

  private static let hasShell = (try? run("command -v sqlite3 >/dev/null")) == 0

  private static func run(_ command: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private struct Failure: Error {}

  func callAsFunction(_ source: URL, to target: URL) throws {
    switch self {
    case .dump:
      guard try Self.run("sqlite3 '\(source.path)' .dump | sqlite3 '\(target.path)'") == 0 else {
        throw Failure()
      }
    case .copy: try copy(source, to: target)
    }
  }

  private func copy(_ source: URL, to target: URL) throws {
    try Data().write(to: target)
    let database = try RawDatabase(target.path)
    try database.run("ATTACH '\(source.path)' AS old")
    let objects = try database.rows(
      "SELECT name, sql, type = 'table' FROM old.sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'table' DESC")
    for object in objects {
      try database.run(object[1] ?? "")
      guard object[2] == "1", let name = object[0] else { continue }
      try database.run("INSERT INTO main.\"\(name)\" SELECT * FROM old.\"\(name)\"")
    }
  }
}

extension RawDatabase {
  /// The application ID, the user version and the journal mode of the database.
  func header() throws -> [String] {
    try column("PRAGMA application_id") + column("PRAGMA user_version") + column("PRAGMA journal_mode")
  }
}
