import ConformanceSupport

extension RawDatabase {
  var tables: [String] {
    get throws {
      try column("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").sorted()
    }
  }

  /// The tables with their columns and references, the indexes and the triggers. The order of the columns does not
  /// matter.
  func layout() throws -> [String] {
    var lines = try rows(
      "SELECT name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
    ).map { "\($0[0] ?? "") \($0[1] ?? "")" }
    for table in try tables {
      lines += try rows("PRAGMA table_info(\"\(table)\")").map { row in
        "\(table).\(row[1] ?? "") \(row[2] ?? "") required \(row[3] ?? "") key \(row[5] ?? "")"
      }
      lines += try rows("PRAGMA foreign_key_list(\"\(table)\")").map { row in
        "\(table).\(row[3] ?? "") to \(row[2] ?? "").\(row[4] ?? "") on delete \(row[6] ?? "")"
      }
    }
    // The library creates these tables only when it needs them, so they are not compared.
    let late = ["_osd_superfluous", "_osd_originals", "_osd_history"]
    return lines.filter { line in !late.contains { line.hasPrefix($0) } }.sorted()
  }

  /// The table and the column of each original text that the store records.
  func placesOfOriginals() throws -> [String] {
    try originals("SELECT \"table\" || '.' || \"column\" FROM _osd_originals").compactMap { $0[0] }.sorted()
  }

  /// The definitions and all rows of the database.
  func dump() throws -> [[String?]] {
    try rows("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
      + tables.flatMap { table in
        // The rows are sorted in Swift, because plain SQLite lacks the collations of some columns.
        try rows("SELECT * FROM \"\(table)\"").sorted { "\($0)" < "\($1)" }
      }
  }
}
