import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Reads the originals of one column for a check: the exact values of which the column has normalised forms.
struct Originals {
  private let table: String
  private let column: String

  init(of table: String, column: String) {
    self.table = table
    self.column = column
  }

  private static let condition = "\"table\" = ?1 AND \"column\" = ?2 AND key = ?3"

  /// Returns true if the row has an original that is still valid: its stored form is the text in the row.
  func counts(for key: Int64, stored: String, in check: StoreCheck) throws -> Bool {
    var counts = false
    try check.rows(
      "SELECT original FROM \(OriginalStatements.tableName) WHERE \(Self.condition)", .text(table), .text(column),
      .integer(key)
    ) { row in
      counts = row.text(0).map { StoredText.form(of: $0).utf8.elementsEqual(stored.utf8) } ?? false
    }
    return counts
  }
}

/// Finds originals of deleted rows, and of values that were changed later. Such originals only use space.
struct OriginalCheck: CheckStep {
  let database: DatabaseMapping
  var tables: [String] { [] }

  /// An original, and the present value in its row and column.
  fileprivate struct Original {
    let table: String
    let key: Int64
    let column: String
    let original: String
    let stored: StoredValue?
  }

  func run(in check: StoreCheck) throws {
    guard try check.handle.hasTable(OriginalStatements.tableName) else { return }
    for (table, column) in try places(in: check) {
      try look(at: table, column, in: check)
    }
  }

  private func places(in check: StoreCheck) throws -> [(table: String, column: String)] {
    var places: [(table: String, column: String)] = []
    try check.rows("SELECT DISTINCT \"table\", \"column\" FROM \(OriginalStatements.tableName)") { row in
      places.append((row.text(0) ?? "", row.text(1) ?? ""))
    }
    return places
  }

  private func look(at table: String, _ column: String, in check: StoreCheck) throws {
    guard !check.unusableTables.contains(table) else { return }
    let isKnown = database.tables.contains { known in known.name == table && known.hasColumn(column) }
    let stored = isKnown ? check.quoted(column) : "NULL"
    let source = isKnown ? "LEFT JOIN \(check.quoted(table)) AS t ON t.\(check.key) = o.key" : ""
    let isThere = isKnown ? "t.\(check.key) IS NOT NULL" : "0"
    let literals = [table, column].map { check.dialect.literal(.text($0)) }
    let sql =
      "SELECT o.key, o.original, \(stored), \(isThere) FROM \(OriginalStatements.tableName) AS o \(source) "
      + "WHERE o.\"table\" = \(literals[0]) AND o.\"column\" = \(literals[1]) AND o.key >= ?1 ORDER BY o.key LIMIT ?2"
    try check.batches(sql) { row in
      Original(
        table: table, key: row.integer(0), column: column, original: row.text(1) ?? "",
        stored: row.integer(3) == 0 ? nil : row.value(2))
    } handle: {
      if !$0.counts { try remove($0, in: check) }
    }
  }

  private func remove(_ original: Original, in check: StoreCheck) throws {
    if check.isRepairing {
      try check.run(
        "DELETE FROM \(OriginalStatements.tableName) WHERE \"table\" = ?1 AND \"column\" = ?2 AND key = ?3",
        .text(original.table), .text(original.column), .integer(original.key))
    }
    check.log.add(
      .leftoverOriginal, table: original.table, key: original.key, column: original.column,
      value: StoredValue.text(original.original).shortened,
      original.stored == nil
        ? "the original spelling is of a row or a column that is not there"
        : "the original spelling is of a value that has changed since",
      advice: check.isRepairing ? "It was removed" : "It does not count, and can be removed", repair: check.repair)
  }
}

extension OriginalCheck.Original {
  /// Returns true if the stored value is the stored form of the original. Otherwise the original has no effect.
  fileprivate var counts: Bool {
    switch stored {
    case .text(let text): StoredText.form(of: original).utf8.elementsEqual(text.utf8)
    // The only original of a number is -0.0, which the column stores as 0.
    case .real(let number): number == 0 && original == OriginalNotes.negativeZero
    case .integer, .blob, .null, nil: false
    }
  }
}

extension TableMapping {
  /// Whether the column belongs to a property of the entity or of a subentity.
  fileprivate func hasColumn(_ name: String) -> Bool {
    (columns + subtables.flatMap(\.columns)).contains { $0.name == name }
  }
}
