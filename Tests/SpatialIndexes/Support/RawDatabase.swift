import CSQLite
import ConformanceSupport
import SQLiteStore
import SwiftData
import Testing

/// A store's file as SQLite alone sees it, the way a shell does.
final class RawDatabase {
  struct Failure: Error { let message: String }

  private var connection: OpaquePointer?

  init(_ url: URL) throws {
    guard sqlite3_open(url.path, &connection) == SQLITE_OK else { throw Failure(message: "cannot open \(url.path)") }
    guard TextCollation.register(on: try #require(connection)) == SQLITE_OK else {
      throw Failure(message: "cannot register the collation of texts")
    }
    sqlite3_busy_timeout(connection, 5000)
  }

  deinit { sqlite3_close(connection) }

  @discardableResult
  func rows(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: "\(String(cString: sqlite3_errmsg(connection))) in \(sql)")
    }
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw Failure(message: String(cString: sqlite3_errmsg(connection))) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { index in
          sqlite3_column_text(statement, index).map { String(cString: $0) } ?? "nil"
        })
    }
  }

  func column(_ sql: String) throws -> [String] { try rows(sql).map { $0[0] } }

  /// What is in the file besides rows.
  func layout() throws -> [[String]] {
    try rows("SELECT name, coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name")
  }

  var trees: [String] {
    get throws { try column("SELECT name FROM sqlite_master WHERE sql LIKE '%USING rtree%' ORDER BY name") }
  }

  /// What is wrong with a tree: with itself, and with what it has of the rows of its table.
  func faults(of tree: String, table: String, columns: [String]) throws -> [String] {
    let check = try column("SELECT rtreecheck('\(tree)')")
    let isPoint = columns.map { "typeof(\"\($0)\") IN ('integer', 'real')" }.joined(separator: " AND ")
    let wanted = try column("SELECT _osd_key FROM \"\(table)\" WHERE \(isPoint) ORDER BY _osd_key")
    let found = try column("SELECT _osd_key FROM \"\(tree)\" ORDER BY _osd_key")
    let misplaced = columns.map { column in
      let clamped = "max(-1e38, min(1e38, t.\"\(column)\"))"
      return "NOT (\(clamped) BETWEEN r.\"\(column)_min\" - 1e-37 AND r.\"\(column)_max\" + 1e-37)"
    }
    let strays = try column(
      "SELECT t._osd_key FROM \"\(table)\" AS t JOIN \"\(tree)\" AS r ON r._osd_key = t._osd_key "
        + "WHERE \(misplaced.joined(separator: " OR "))")
    return check.filter { $0 != "ok" } + (wanted == found ? [] : ["has \(found) and not \(wanted)"])
      + strays.map { "row \($0) is elsewhere" }
  }
}

extension TestStore {
  /// What the file is, as SQLite alone sees it.
  var raw: RawDatabase { get throws { try RawDatabase(configuration.url) } }
}
