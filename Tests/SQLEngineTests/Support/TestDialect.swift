import Foundation
import PersistenceCore
import SQLEngine

/// A dialect that no database speaks: it differs from SQLite's in everything that a dialect may say.
///
/// Statements that are written in both show which words come from the dialect and which from the generator.
struct TestDialect: SQLDialect {
  let foldsCase = false
  let reservedTablePrefixes = ["sys_"]
  let primaryKeyType = "BIGINT PRIMARY KEY"
  let uniqueValue = "unique_value()"
  let endToEndHint = " /* scan */"

  func quoted(_ identifier: String) -> String { "[\(identifier.replacing("]", with: "]]"))]" }

  func placeholder(_ number: Int) -> String { "$\(number)" }

  func columnType(for format: ColumnFormat) -> String {
    switch format {
    case .integer, .reference: "BIGINT"
    case .real: "DOUBLE"
    case .text: "VARCHAR"
    case .json: "JSON"
    case .decimal: "NUMERIC"
    case .blob: "BYTES"
    }
  }

  func limitClause(limit: String?, offset: String?) -> String {
    [offset.map { "OFFSET \($0) ROWS" }, limit.map { "FETCH FIRST \($0) ROWS ONLY" }].compactMap { $0 }
      .joined(separator: " ")
  }

  func orderTerm(_ expression: String, isDescending: Bool) -> String {
    "\(expression) \(isDescending ? "DESC NULLS LAST" : "ASC NULLS FIRST")"
  }

  func value(ofCondition condition: String) -> String { "bit(\(condition))" }

  func isSame(_ lhs: String, _ rhs: String) -> String { "\(lhs) IS NOT DISTINCT FROM \(rhs)" }

  func isDifferent(_ lhs: String, _ rhs: String) -> String { "\(lhs) IS DISTINCT FROM \(rhs)" }

  func collated(_ expression: String, as format: ColumnFormat) -> String {
    format == .decimal ? "CAST(\(expression) AS NUMERIC)" : expression
  }

  func ordered(_ text: String) -> String { "nfc(\(text))" }

  func sortable(_ text: String) -> String { "sort_key(\(text))" }

  func decimal(ofInteger expression: String) -> String { "to_numeric(\(expression))" }

  func sum(_ expression: String, format: ColumnFormat) -> String { "sum_\(format.rawValue)(\(expression))" }

  func collated(_ expression: String, by order: TextOrder) -> String { "\(order)(\(expression))" }

  func contains(_ text: String, _ part: String) -> String { "position(\(part) IN \(text)) > 0" }

  func starts(_ text: String, with prefix: String) -> String { "starts_with(\(text), \(prefix))" }

  func isMember(_ value: String, ofList parameter: String, format: ColumnFormat) -> String {
    "\(value) = ANY(\(parameter))"
  }

  func isBelowNotANumber(_ value: String) -> String { "\(value) < 'NaN'" }

  func isNotANumber(_ value: String) -> String { "is_nan(\(value))" }
}

// MARK: Points

extension TestDialect {
  func spatialIndex(_ index: SpatialIndexMapping) -> [String] {
    let columns = index.dimensions.map { quoted($0.column) }.joined(separator: ", ")
    return ["CREATE SPATIAL INDEX \(quoted(index.name)) ON \(quoted(index.table)) (\(columns))"]
  }

  func contents(of index: SpatialIndexMapping) -> String { "FILL INDEX \(quoted(index.name))" }

  func removal(of index: SpatialIndexMapping) -> [String] { ["DROP SPATIAL INDEX \(quoted(index.name))"] }

  func unsearched(_ column: String) -> String { "/* unsearched */ \(column)" }

  func keys(in index: SpatialIndexMapping, within bounds: [SpatialBound]) -> String {
    let tests = bounds.map { "\(quoted($0.column)) \($0.isLower ? ">=" : "<=") \($0.value)" }
    return "SEARCH \(quoted(index.name)) WHERE \(tests.joined(separator: " AND "))"
  }
}

// MARK: Functions

extension TestDialect {
  func calculation(_ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: String, _ rhs: String) -> String {
    "\(operation)_\(form)(\(lhs), \(rhs))"
  }

  func characterCount(_ text: String) -> String { "char_length(\(text))" }

  func byteCount(_ data: String) -> String { "octet_length(\(data))" }

  func containsLocalized(_ text: String, _ part: String) -> String { "contains_localized(\(text), \(part))" }

  func containsRegex(_ text: String, _ expression: String) -> String { "\(text) ~ \(expression)" }

  func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String {
    "compare_\(comparison)(\(lhs), \(rhs))"
  }
}

// MARK: Lists

extension TestDialect {
  func elements(ofList list: String, as alias: String) -> String { "unnest(\(list)) AS \(alias) (element)" }

  func elementValue(of alias: String) -> String { "\(alias).element" }

  func element(ofList list: String, at index: String) -> String { "(\(list))[\(index) + 1]" }

  func value(besideKey key: String, inList keys: String, values: String) -> String {
    "(SELECT v FROM unnest(\(keys), \(values)) AS pairs (k, v) WHERE k = \(key))"
  }

  func elements(ofJSON text: String, _ form: ElementForm) -> String { "json_\(form)s(\(text))" }

  func value(ofJSON text: String, forKey key: String, _ form: ElementForm) -> String {
    "json_\(form)(\(text), \(key))"
  }
}

// MARK: Literals

extension TestDialect {
  func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "DOUBLE '\(number)'"
    case .text(let text): "N'\(text.replacing("'", with: "''"))'"
    case .blob(let data): "B64'\(data.base64EncodedString())'"
    }
  }

  /// No definition can give bytes to a column.
  func defaultLiteral(_ value: StoredValue) -> String? {
    if case .blob = value { return nil }
    return literal(value)
  }
}
