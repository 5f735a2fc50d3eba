import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// The SQL dialect of SQLite.
package struct SQLiteDialect: SQLDialect {
  package init() {}

  /// The tables of some entities.
  package static func mapping(of entities: [EntityLayout], hasSpatialIndexes: Bool = true) -> DatabaseMapping {
    DatabaseMapping(entities: entities, dialect: SQLiteDialect(), hasSpatialIndexes: hasSpatialIndexes)
  }

  /// The statement cache for the tables of some entities.
  package static func statementMemory(of entities: [EntityLayout]) -> StatementMemory {
    StatementMemory(mapping(of: entities), dialect: SQLiteDialect())
  }

  package let foldsCase = true
  package let longestName: Int? = nil
  package let reservedTablePrefixes = ["sqlite_"]
  package let primaryKeyType = "INTEGER PRIMARY KEY"
  package let pairKeyType = "INTEGER PRIMARY KEY"
  package let endToEndHint = " NOT INDEXED"

  package func quoted(_ identifier: String) -> String {
    identifier.quoted(by: "\"")
  }

  package func table(_ name: String) -> String { quoted(name) }

  package func index(_ name: String) -> String { quoted(name) }

  package func placeholder(_ number: Int, _ type: SQLParameterType) -> String { "?\(number)" }

  package func constraint(of reference: TableReference) -> ReferenceConstraint? { nil }

  package func uniqueValue(for format: ColumnFormat) -> String { "randomblob(16)" }

  package func columnType(for format: ColumnFormat, isUnsigned: Bool) -> String {
    switch format {
    case .integer, .reference: "INTEGER"
    case .real: "REAL"
    case .text, .url, .json, .decimal: "TEXT"
    case .blob: "BLOB"
    }
  }

  package func remark(_ text: String) -> String? { "/* \(text) */" }

  package func limitClause(limit: String?, offset: String?) -> String {
    "LIMIT \(limit ?? "-1")" + (offset.map { " OFFSET \($0)" } ?? "")
  }

  package func orderTerm(_ expression: String, isDescending: Bool) -> String {
    isDescending ? "\(expression) DESC" : expression
  }

  package func indexed(_ column: String, format: ColumnFormat?) -> String { column }

  package func indexTerm(_ indexed: String) -> String { indexed }

  package func value(ofCondition condition: String) -> String { "(\(condition))" }

  package func truth(_ isTrue: Bool) -> String { isTrue ? "1" : "0" }

  package func isTrue(_ value: String) -> String { "\(value) = 1" }

  package func value(ofQuery query: String, lastBy key: String) -> String {
    "(\(query) ORDER BY \(key) DESC LIMIT 1)"
  }

  package func isSame(_ lhs: String, _ rhs: String) -> String { "\(lhs) IS \(rhs)" }

  package func isDifferent(_ lhs: String, _ rhs: String) -> String { "\(lhs) IS NOT \(rhs)" }

  package func form(ofJSON text: String) -> String { "_osd_form(\(text))" }

  package func sum(_ expression: String, format: ColumnFormat) -> String {
    switch format {
    case .real: "sum_of_reals(\(expression))"
    case .decimal: "\(DecimalSum.name)(\(expression))"
    // Only integers occur here: attributes of the other formats are never summed.
    case .integer, .text, .url, .blob, .json, .reference: "sum_of_integers(\(expression))"
    }
  }

  package func decimal(ofInteger expression: String) -> String { "_osd_decimal(\(expression))" }

  package func real(ofInteger expression: String) -> String { "CAST(\(expression) AS REAL)" }

  package func integer(ofReal expression: String) -> String { "CAST(\(expression) AS INTEGER)" }

  // `Int64.max` is tested separately: as REAL it is rounded up, but SQLite converts that number back to `Int64.max`.
  package func isRounded(asReal column: String) -> String {
    "(typeof(\(column)) = 'blob' OR CAST(CAST(\(column) AS REAL) AS INTEGER) <> \(column) OR \(column) = \(Int64.max))"
  }

  package func isExternalReference(_ column: String) -> String { "typeof(\(column)) = 'text'" }

  package func collated(_ expression: String, by order: TextOrder) -> String? {
    "\(expression) COLLATE \(LocaleCollation.name(of: order))"
  }

  package func contains(_ text: String, _ part: String) -> String { "_osd_contains(\(text), \(part))" }

  package func starts(_ text: String, with prefix: String) -> String { "_osd_starts(\(text), \(prefix))" }

  package func isMember(_ value: String, ofList parameter: String, format: ColumnFormat) -> String {
    "\(value) IN (SELECT \(format == .json ? form(ofJSON: "value") : "value") FROM _osd_list(\(parameter)))"
  }

  // Not-a-number is stored as text, and every text sorts after every number.
  package func isBelowNotANumber(_ value: String) -> String { "\(value) < ''" }

  package func isNotANumber(_ value: String) -> String { "typeof(\(value)) = 'text'" }

  // MARK: Functions

  package func calculation(
    _ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: String, _ rhs: String
  ) -> String {
    "_osd_calculate(\(operation.rawValue), \(form.rawValue), \(lhs), \(rhs))"
  }

  package func negation(_ form: NumberForm, _ value: String) -> String {
    let zero = form == .decimal ? "'0'" : form.format == .real ? "-0.0" : "0"
    return calculation(.subtract, form, zero, value)
  }

  package func characterCount(_ text: String) -> String? { "_osd_count(\(text))" }

  package func byteCount(_ data: String) -> String { "length(\(data))" }

  package func containsLocalized(_ text: String, _ part: String) -> String? {
    "_osd_contains_localized(\(text), \(part))"
  }

  package func containsRegex(_ text: String, _ expression: String) -> String? {
    "_osd_contains_regex(\(text), \(expression))"
  }

  package func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String? {
    "_osd_compare(\(comparison.rawValue), \(lhs), \(rhs))"
  }

  // MARK: Lists

  package func elements(ofList list: String, format: ColumnFormat, as alias: String) -> String {
    "_osd_list(\(list)) AS \(alias)"
  }

  package func elementValue(of alias: String) -> String { "\(alias).value" }

  package func element(ofList list: String, format: ColumnFormat, at index: String) -> String {
    "(SELECT value FROM _osd_list(\(list)) WHERE rowid = \(index))"
  }

  package func value(
    besideKey key: String, inList keys: String, values: String, formats: (key: ColumnFormat, value: ColumnFormat)
  ) -> String {
    let known = formats.key == .json ? form(ofJSON: "k.value") : "k.value"
    return "(SELECT v.value FROM _osd_list(\(keys)) AS k JOIN _osd_list(\(values)) AS v ON v.rowid = k.rowid "
      + "WHERE \(known) = \(key))"
  }

  package func elements(ofJSON text: String, _ form: ElementForm) -> String {
    "_osd_elements(\(form.rawValue), \(text))"
  }

  package func value(ofJSON text: String, forKey key: String, _ form: ElementForm) -> String {
    "_osd_value(\(form.rawValue), \(text), \(key))"
  }

  // MARK: Rows

  package func insertingMissing(_ insertion: String) -> String { insertion + " ON CONFLICT DO NOTHING" }

  package func upsert(
    _ insertion: RowInsertion, changes: String, returning returned: [String], rules: () -> [UniquenessRule]
  ) -> String {
    insertion.sql + " ON CONFLICT DO UPDATE SET \(changes) RETURNING \(returned.joined(separator: ", "))"
  }

  // MARK: Literals

  package func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): number == .min ? "(-9223372036854775807 - 1)" : "\(number)"
    case .real(let number) where number.isInfinite: number < 0 ? "-9e999" : "9e999"
    case .real(let number): "\(number)"
    // SQLite truncates a text literal at NUL.
    case .text(let text) where text.utf8.contains(0): "CAST(\(hexadecimal(Data(text.utf8))) AS TEXT)"
    case .text(let text): text.quoted(by: "'")
    case .blob(let data): hexadecimal(data)
    }
  }

  package func defaultLiteral(_ value: StoredValue, of type: SQLParameterType) -> String? {
    if case .text(let text) = value, text.utf8.contains(0) { return nil }
    if value == .integer(.min) { return nil }
    return literal(value)
  }

  private func hexadecimal(_ data: Data) -> String {
    "x'\(data.hexadecimalDigits)'"
  }
}

/// Decimals are stored as texts of canonical digits, so two texts are equal exactly if their numbers are equal. They
/// are sorted by a collation, which only queries use, or by computed sort keys.
///
/// A key is computed by built-in SQL functions, so any program can update an index of keys. In byte order, as SQLite
/// compares texts, keys have exactly the order of the numbers:
///
/// - not-a-number: the empty text, before all others;
/// - a number from 0 on: a character for the length of its integer part, then the digits. Among numbers with integer
///   parts of equal length, the point is at the same index, and a longer text sorts after its prefix;
/// - a negative number: a character that decreases with the length of the integer part, then the digits as letters in
///   reversed order, then `~`, which is greater than letters and point, so that a longer text sorts before its prefix;
/// - any other text, which only another program can have written: after all numbers.
///
/// The characters are U+03E8 plus or minus the index of the point. For any `Decimal`, they have two bytes in UTF-8.
extension SQLiteDialect {
  package func ordered(decimal: String) -> String { "\(decimal) COLLATE \(DecimalCollation.name)" }

  package func key(ofDecimal decimal: String) -> String {
    let end = "instr(\(decimal) || '.', '.')"
    let reversed = zip(0...9, "jihgfedcba").reduce(decimal) { "replace(\($0), '\($1.0)', '\($1.1)')" }
    // The first character shows whether a text begins with a sign, with a digit or otherwise.
    return "CASE WHEN \(decimal) < '.' THEN char(1000 - \(end)) || \(reversed) || '~' "
      + "WHEN \(decimal) < ':' THEN char(1000 + \(end)) || \(decimal) "
      + "WHEN \(decimal) = 'NaN' THEN '' ELSE char(2000) || \(decimal) END"
  }

  package func isKeyMember(_ decimal: String, ofList parameter: String) -> String {
    "\(key(ofDecimal: decimal)) IN (SELECT \(key(ofDecimal: "value")) FROM _osd_list(\(parameter)))"
  }
}
