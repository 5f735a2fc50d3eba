import SwiftData
import Testing

extension RawDatabase {
  /// The name and definition of everything in the file's schema, such as tables and indexes. The table of the history
  /// is left out, because only the first save creates it.
  package func definitions() throws -> [[String]] {
    try rows(
      "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name <> '_osd_history' ORDER BY name"
    )
    .map { $0.map { $0 ?? "" } }
  }

  package var trees: [String] {
    get throws { try column("SELECT name FROM sqlite_master WHERE sql LIKE '%USING rtree%' ORDER BY name") }
  }

  /// The errors that SQLite finds in an R-tree, and the differences between the R-tree and its table.
  package func faults(of tree: String, table: String, columns: [String]) throws -> [String] {
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
  /// The store's file, opened with SQLite alone.
  package var raw: RawDatabase { get throws { try RawDatabase(configuration.url.path) } }
}
