import CSQLite
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

/// Runs SQLite's `integrity_check`, and checks the foreign keys of tables that other programs created.
struct FileCheck: CheckStep {
  static let advice =
    "Restore the store from a backup, or have sqlite3 make a new file of what can be read (.recover)"

  private static let mostLines = 1_000_000

  let database: DatabaseMapping
  var tables: [String] { [] }

  func run(in check: StoreCheck) throws {
    var indexes: [String] = []
    // The pragma returns a line for each row that is missing in an index. With its default limit of 100 lines, a single
    // index could hide all later problems.
    try check.rows("PRAGMA integrity_check(\(Self.mostLines))") { row in
      let words = row.text(0) ?? ""
      guard words != "ok", !isToldByValues(words) else { return }
      if let index = index(in: words) {
        if !indexes.contains(index) { indexes.append(index) }
      } else {
        check.log.add(
          .damagedFile, "the file is damaged: \(words.prefix(200))", advice: Self.advice, repair: .impossible)
      }
    }
    for index in indexes { try rebuild(index, in: check) }
    try checkForeignTables(in: check)
  }

  /// Returns true if ``ValueCheck`` reports the same problem, but with the row and column.
  private func isToldByValues(_ words: String) -> Bool {
    ["NULL value in ", "NUMERIC value in ", "TEXT value in "].contains { words.hasPrefix($0) }
      && database.tables.contains { table in words.contains(" in \(table.name).") }
  }

  /// Extracts the name of an index that does not match its table from SQLite's message; nil for other messages.
  private func index(in words: String) -> String? {
    let marks = [
      " missing from index ", "wrong # of entries in index ", "non-unique entry in index ",
      " values differ from index ", "rowid not at end-of-record for row ",
    ]
    for mark in marks {
      guard let range = words.range(of: mark) else { continue }
      let rest = words[range.upperBound...]
      // SQLite's message is, for example, "rowid not at end-of-record for row 7 of index NAME".
      return String(rest.range(of: " of index ").map { rest[$0.upperBound...] } ?? rest)
    }
    return nil
  }

  private func rebuild(_ index: String, in check: StoreCheck) throws {
    var (repair, advice) = (check.repair, "The index can be made again from its table")
    if check.isRepairing {
      do {
        try check.handle.execute("REINDEX \(check.quoted(index))")
        advice = "The index was made again from its table"
      } catch let error as SwiftDataError where error.kind == .modelValidationFailure {
        (repair, advice) = (.impossible, "Rows are alike that may not be: change or delete all but one of each")
      }
    }
    check.log.add(.index, table: index, "the index is not in step with its table", advice: advice, repair: repair)
  }

  /// Checks the foreign keys of tables outside the schema. ``ReferenceCheck`` checks the tables of the schema.
  private func checkForeignTables(in check: StoreCheck) throws {
    let own = Set(database.tables.flatMap { [$0.name] + $0.links.values.map(\.name) }.map { $0.lowercased() })
    try check.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0") { row in
      let name = row.text(0) ?? ""
      if !own.contains(name.lowercased()) { try checkReferences(ofForeign: name, in: check) }
    }
  }

  private func checkReferences(ofForeign table: String, in check: StoreCheck) throws {
    let advice = "The table is another program's: mend it there"
    do {
      try check.rows("PRAGMA foreign_key_check(\(check.quoted(table)))") { broken in
        check.log.add(
          .danglingReference, table: table, key: broken.value(1) == .null ? nil : broken.integer(1),
          "it refers to a row of \(broken.text(2) ?? "") that is not there", advice: advice, repair: .impossible)
      }
    } catch let error as SwiftDataError where error.underlyingSQLiteCode == SQLITE_ERROR {
      // A foreign key refers to columns that are not a key. SQLite cannot check it, and rejects deletions of parents.
      check.log.add(
        .definition, table: table, "its references cannot be compared with rows (\(error.cause))", advice: advice,
        repair: .impossible)
    }
  }
}
