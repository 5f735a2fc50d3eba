import SwiftData

/// Removes the constraints from a store's table definitions, and restores the original definitions.
///
/// In between, rows can be changed in ways that the constraints forbid.
package struct RelaxedStore {
  private let definitions: [[RawValue]]

  /// Reads the original definitions from a valid store.
  package init(of path: String) throws {
    definitions = try RawStore(path).rows("SELECT rowid, type, name, tbl_name, rootpage, sql FROM sqlite_master")
  }

  /// Removes NOT NULL and UNIQUE from all definitions, and deletes all triggers.
  package func relax(_ path: String) throws {
    let store = try RawStore(path)
    try store.run("PRAGMA journal_mode = DELETE; PRAGMA writable_schema = ON; BEGIN")
    try store.run("DELETE FROM sqlite_master WHERE type = 'trigger'")
    for row in definitions {
      guard let name = row[2].string else { continue }
      guard var sql = row[5].string else {
        try relaxConstraint(name, of: row[3].string ?? "", in: store)
        continue
      }
      if let constraint = sql.firstRange(of: /,\s*UNIQUE \([^)]*\)/) { sql.removeSubrange(constraint) }
      for rule in [" NOT NULL", " UNIQUE"] { sql = sql.replacing(rule, with: "") }
      try store.rows("UPDATE sqlite_master SET sql = ?1 WHERE rowid = ?2", [.text(sql), row[0]])
    }
    try store.run("COMMIT")
  }

  /// Replaces the automatic index of a UNIQUE constraint with an ordinary index that has the same content.
  private func relaxConstraint(_ name: String, of table: String, in store: RawStore) throws {
    guard let sql = definitions.first(where: { $0[2].string == table })?[5].string else { return }
    guard let match = sql.firstMatch(of: /UNIQUE (\([^)]*\))/) else { return }
    let definition = "CREATE INDEX \"relaxed_\(table)\" ON \"\(table)\" \(match.1)"
    try store.rows(
      "UPDATE sqlite_master SET name = ?1, sql = ?2 WHERE name = ?3",
      [.text("relaxed_\(table)"), .text(definition), .text(name)])
  }

  /// Restores the original definitions.
  package func restore(_ path: String) throws {
    let store = try RawStore(path)
    try store.run("PRAGMA writable_schema = ON; BEGIN; DELETE FROM sqlite_master")
    for row in definitions {
      try store.rows(
        "INSERT INTO sqlite_master(rowid, type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?, ?)", row)
    }
    try store.run("COMMIT; PRAGMA journal_mode = WAL")
  }
}
