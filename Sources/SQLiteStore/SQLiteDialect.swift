import PersistenceCore
import SQLEngine

/// SQL as SQLite speaks it.
package struct SQLiteDialect: SQLDialect {
  package init() {}

  package let foldsCase = true
  package let reservedTablePrefixes = ["sqlite_"]
  package let primaryKeyType = "INTEGER PRIMARY KEY"
  package let uniqueValue = "randomblob(16)"
  package let endToEndHint = " NOT INDEXED"

  package func quoted(_ identifier: String) -> String {
    guard identifier.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(identifier)\"" }
    return "\"\(identifier.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
  }

  package func placeholder(_ number: Int) -> String { "?\(number)" }

  package func columnType(for format: ColumnFormat) -> String {
    switch format {
    case .integer, .reference: "INTEGER"
    // A column with the affinity REAL keeps whole numbers as integers on disk, which loses the sign of -0.0.
    case .real: ""
    case .text, .json: "TEXT"
    case .decimal: "TEXT COLLATE \(DecimalCollation.name)"
    case .blob: "BLOB"
    }
  }

  package func limitClause(limit: String?, offset: String?) -> String {
    "LIMIT \(limit ?? "-1")" + (offset.map { " OFFSET \($0)" } ?? "")
  }

  package func orderTerm(_ expression: String, isDescending: Bool) -> String {
    isDescending ? "\(expression) DESC" : expression
  }

  package func value(ofCondition condition: String) -> String { "(\(condition))" }

  package func isSame(_ lhs: String, _ rhs: String) -> String { "\(lhs) IS \(rhs)" }

  package func isDifferent(_ lhs: String, _ rhs: String) -> String { "\(lhs) IS NOT \(rhs)" }

  package func collated(_ expression: String, as format: ColumnFormat) -> String {
    format == .decimal ? "(\(expression) COLLATE \(DecimalCollation.name))" : expression
  }

  package func sum(_ expression: String, format: ColumnFormat) -> String {
    switch format {
    case .real: "sum_of_reals(\(expression))"
    case .decimal: "\(DecimalSum.name)(\(expression))"
    default: "sum_of_integers(\(expression))"
    }
  }

  package func collated(_ expression: String, by order: TextOrder) -> String {
    "\(expression) COLLATE \(TextCollation.name(of: order))"
  }

  package func contains(_ text: String, _ part: String) -> String { "instr(\(text), \(part)) > 0" }

  // length() and substr() stop at NUL, instr() does not.
  package func starts(_ text: String, with prefix: String) -> String { "instr(\(text), \(prefix)) = 1" }

  package func isMember(_ value: String, ofList parameter: String, format: ColumnFormat) -> String {
    "\(value) IN (SELECT value FROM _osd_list(\(parameter)))"
  }

  // Not-a-number is stored as text, and every text sorts after every number.
  package func isBelowNotANumber(_ value: String) -> String { "\(value) < ''" }

  package func isNotANumber(_ value: String) -> String { "typeof(\(value)) = 'text'" }
}
