import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The differences between SQL databases.
///
/// Everything else in this module is the same for all of them. A dialect is called only while a statement is written,
/// never per row.
///
/// Texts are compared and ordered by their bytes. Columns and parameters both hold texts in stored form.
package protocol SQLDialect: Sendable {
  /// A quoted identifier. The identifier may contain any characters.
  func quoted(_ identifier: String) -> String

  /// The name of a table with its namespace, for a statement that reads, writes, creates or drops the table.
  ///
  /// It is not for the new name in a renaming, nor for the qualifier of a column.
  func table(_ name: String) -> String

  /// The name of an index with its namespace, for the statement that drops it.
  func index(_ name: String) -> String

  /// Whether identifiers that differ only in the case of ASCII letters are the same identifier.
  var foldsCase: Bool { get }

  /// The maximum length of a name in bytes; nil if unlimited.
  var longestName: Int? { get }

  /// Prefixes of table names that the database reserves for itself.
  var reservedTablePrefixes: [String] { get }

  /// Names that no column may have, because every table has a system column of that name.
  var reservedColumnNames: [String] { get }

  /// A parameter placeholder, numbered from 1.
  func placeholder(_ number: Int, _ type: SQLParameterType) -> String

  /// A parameter whose value the planner must not use, so that one plan serves all values. Default: the parameter
  /// itself, for databases that plan a statement once.
  func unplanned(_ parameter: String) -> String

  /// The declared type of a column with a format, including its collation; empty for none.
  ///
  /// - Parameter isUnsigned: Whether its integers may exceed `Int64.max`.
  func columnType(for format: ColumnFormat, isUnsigned: Bool) -> String

  /// The type and constraint of the primary key column.
  var primaryKeyType: String { get }

  /// The type and constraint of a link table's key column. The database assigns a key when a statement gives none.
  var pairKeyType: String { get }

  /// The constraint for a foreign key. It is added after all tables exist and dropped before any table is renamed. Nil
  /// if the foreign key is part of its column's definition and follows the table name for which it was created.
  func constraint(of reference: TableReference) -> ReferenceConstraint?

  /// A value that occurs in no row. A column of the format may hold it temporarily.
  func uniqueValue(for format: ColumnFormat) -> String

  /// Changes an INSERT of one or more rows to skip rows whose unique values already exist.
  func insertingMissing(_ insertion: String) -> String

  /// Changes an INSERT of one row to update the existing row with the same unique values instead, if there is one.
  ///
  /// - Parameters:
  ///   - changes: The assignments for the existing row; `excluded` is the row that is not inserted.
  ///   - returned: The columns to return of the inserted or updated row.
  ///   - rules: The uniqueness rules. Evaluated only when needed.
  func upsert(
    _ insertion: RowInsertion, changes: String, returning returned: [String], rules: () -> [UniquenessRule]
  ) -> String

  /// A literal for a value as columns store it.
  func literal(_ value: StoredValue) -> String

  /// A literal for a value as a column or a parameter of a type represents it. Default: ``literal(_:)``, for databases
  /// that represent values alike in columns of every type.
  func literal(_ value: StoredValue, of type: SQLParameterType) -> String

  /// The literal for the DEFAULT clause of a column; nil if no DEFAULT clause can express the value.
  func defaultLiteral(_ value: StoredValue, of type: SQLParameterType) -> String?

  /// Writes the column of originals: the values that differ from their stored form. Every row then has this column
  /// (``DatabaseMapping/originalsColumn``). Nil if originals are in a table of their own (``OriginalStatements``).
  var originalsColumn: (any OriginalsColumn)? { get }

  // MARK: Table alterations

  /// Whether the columns of a table with rows can change their type and nullability. If so, foreign keys are
  /// constraints separate from their columns.
  var altersColumns: Bool { get }

  /// The encoding of a plain value as bytes, for a column that holds encrypted values before or after a migration; nil
  /// if a column accepts values of every type.
  func bytes(ofPlain value: String, _ type: SQLParameterType) -> String?

  /// The plain value that bytes of ``bytes(ofPlain:_:)`` encode.
  func plain(ofBytes bytes: String, _ type: SQLParameterType) -> String

  /// The statement that drops the default of a column after the column was added; nil if the default stays.
  func removal(ofDefault column: String, in table: String) -> String?

  /// The statement that sets the key from which the database assigns keys to new rows of a link table; nil if the table
  /// of sequences provides these keys.
  func numbering(pairsIn table: String, from number: String) -> String?

  /// The clause after a table name that requests a full scan without an index.
  var endToEndHint: String { get }

  /// The LIMIT and OFFSET of a query; an absent part is nil.
  func limitClause(limit: String?, offset: String?) -> String

  /// A term of ORDER BY. NULL sorts first when ascending and last when descending.
  func orderTerm(_ expression: String, isDescending: Bool) -> String

  /// The indexed expression of a column, equal to the expression that queries compare.
  /// ``upsert(_:changes:returning:rules:)`` has to repeat it.
  ///
  /// - Parameter format: nil for a column that belongs to no property.
  func indexed(_ column: String, format: ColumnFormat?) -> String

  /// A term of CREATE INDEX, in the order in which queries sort by it.
  ///
  /// - Parameter indexed: The result of ``indexed(_:format:)``.
  func indexTerm(_ indexed: String) -> String

  /// A condition as a value of a Boolean property, or NULL.
  func value(ofCondition condition: String) -> String

  /// A Boolean literal as columns store it.
  func truth(_ isTrue: Bool) -> String

  /// A value of a Boolean property, as a condition.
  func isTrue(_ value: String) -> String

  /// The single value that a query returns; if it returns several, the value of the row with the greatest key.
  func value(ofQuery query: String, lastBy key: String) -> String

  /// Whether two values are equal, with NULL equal to NULL; the result is never NULL.
  func isSame(_ lhs: String, _ rhs: String) -> String

  /// Whether two values differ, with NULL equal to NULL; the result is never NULL.
  func isDifferent(_ lhs: String, _ rhs: String) -> String

  /// JSON with its texts in stored form, so that equal values have equal bytes. Columns hold the JSON as it was
  /// written.
  func form(ofJSON text: String) -> String

  /// A comment in a column definition, as the database stores it; nil if the database keeps none.
  func remark(_ text: String) -> String?

  // MARK: Decimals

  /// A decimal as the left side of a comparison by order, or as a term of ORDER BY that no index covers: by its value.
  /// The other side of the comparison stays unchanged.
  func ordered(decimal: String) -> String

  /// The key of a decimal in a non-unique index. The database's own order of keys is the order of the numbers, equal
  /// numbers have equal keys, and the key of NULL is NULL.
  func key(ofDecimal decimal: String) -> String

  /// Whether a list, bound as one parameter, contains a decimal. The ``key(ofDecimal:)`` of both sides is compared.
  func isKeyMember(_ decimal: String, ofList parameter: String) -> String

  // MARK: Numbers

  /// An integer as a stored decimal.
  func decimal(ofInteger expression: String) -> String

  /// An integer as a 64-bit floating-point number.
  func real(ofInteger expression: String) -> String

  /// A floating-point number as a 64-bit integer.
  func integer(ofReal expression: String) -> String

  /// Whether the integer in a column changes when it is converted to a 64-bit floating-point number.
  func isRounded(asReal column: String) -> String

  /// Whether a column of bytes holds the name of an external file instead.
  func isExternalReference(_ column: String) -> String

  /// The sum of a value over rows, as defined by ``AggregateFunction/sum``; NULL for no rows.
  func sum(_ expression: String, format: ColumnFormat) -> String

  /// The least or greatest value over rows; NULL for no rows.
  func extreme(_ expression: String, format: ColumnFormat, isGreatest: Bool) -> String

  /// A text with the collation of a locale's order; nil if the database has none.
  func collated(_ expression: String, by order: TextOrder) -> String?

  /// Whether a text contains another; true for an empty one.
  func contains(_ text: String, _ part: String) -> String

  /// Whether a text starts with another; true for an empty one.
  func starts(_ text: String, with prefix: String) -> String

  /// Whether a list, bound as one parameter, contains a value. JSON is already in its ``form(ofJSON:)``.
  func isMember(_ value: String, ofList parameter: String, format: ColumnFormat) -> String

  /// Whether a real value that is not NULL sorts before all not-a-numbers.
  func isBelowNotANumber(_ value: String) -> String

  /// Whether a real value is not-a-number; the result is never NULL.
  func isNotANumber(_ value: String) -> String

  /// Whether a not-a-number can be bound as something that equals no value of a real column (``NotANumberBinding``). If
  /// not, comparisons with parameters include a test for not-a-number.
  var bindsUnlikeNumbers: Bool { get }

  // MARK: Spatial indexes

  /// The suffixes, after the index name, of the tables that the database creates for a spatial index.
  var spatialIndexEndings: [String] { get }

  /// The statements that create a spatial index, which is kept up to date with its table from then on.
  func spatialIndex(_ index: SpatialIndexMapping) -> [String]

  /// The statement that fills a new spatial index with the existing rows.
  func contents(of index: SpatialIndexMapping) -> String

  /// The statements that drop a spatial index.
  func removal(of index: SpatialIndexMapping) -> [String]

  /// A qualified column, written so that the database does not use an index for it.
  func unsearched(_ column: String) -> String

  /// A query for the keys of the rows that may be within bounds: a superset that includes rows close to the bounds.
  func keys(in index: SpatialIndexMapping, within bounds: [SpatialBound]) -> String

  // MARK: Functions

  /// An arithmetic operation with the semantics of Swift's type; NULL if the result overflows.
  func calculation(_ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: String, _ rhs: String) -> String

  /// The negated number, with the sign of zero; NULL if the result overflows.
  func negation(_ form: NumberForm, _ value: String) -> String

  /// The number of characters of a text; nil if the database cannot count them.
  func characterCount(_ text: String) -> String?

  /// The number of bytes of a value.
  func byteCount(_ data: String) -> String

  /// Whether a text contains another by the rules of `localizedStandardContains`; nil if the database cannot test it.
  func containsLocalized(_ text: String, _ part: String) -> String?

  /// Whether a text has a match for a Swift regular expression; nil if the database cannot test it.
  func containsRegex(_ text: String, _ expression: String) -> String?

  /// The comparison result of two texts: -1, 0 or 1; nil if the database cannot compare them so.
  func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String?

  // MARK: Lists

  /// The elements of a list, as a table expression.
  func elements(ofList list: String, format: ColumnFormat, as alias: String) -> String

  /// The element in a row of such a table.
  func elementValue(of alias: String) -> String

  /// The element of a list at an index; NULL if out of range.
  func element(ofList list: String, format: ColumnFormat, at index: String) -> String

  /// The element of a list of values at the index at which a list of keys has a key.
  ///
  /// - Parameters:
  ///   - key: If it is JSON, in its ``form(ofJSON:)``.
  ///   - formats: The formats of the keys and of the values.
  func value(
    besideKey key: String, inList keys: String, values: String, formats: (key: ColumnFormat, value: ColumnFormat)
  ) -> String

  /// The elements of a JSON array as a list, texts in stored form.
  func elements(ofJSON text: String, _ form: ElementForm) -> String

  /// The value of a JSON dictionary for a key; NULL if absent. Key and value are in stored form.
  func value(ofJSON text: String, forKey key: String, _ form: ElementForm) -> String
}

extension SQLDialect {
  package func unplanned(_ parameter: String) -> String { parameter }

  package func literal(_ value: StoredValue, of type: SQLParameterType) -> String { literal(value) }

  package var originalsColumn: (any OriginalsColumn)? { nil }

  package var altersColumns: Bool { false }

  package func bytes(ofPlain value: String, _ type: SQLParameterType) -> String? { nil }

  package func plain(ofBytes bytes: String, _ type: SQLParameterType) -> String { bytes }

  package func removal(ofDefault column: String, in table: String) -> String? { nil }

  package func numbering(pairsIn table: String, from number: String) -> String? { nil }

  package var spatialIndexEndings: [String] { [] }

  package var reservedColumnNames: [String] { [] }

  package var bindsUnlikeNumbers: Bool { true }

  package func extreme(_ expression: String, format: ColumnFormat, isGreatest: Bool) -> String {
    "\(isGreatest ? "max" : "min")(\(expression))"
  }

  /// The column type without unsigned integers.
  func columnType(for format: ColumnFormat) -> String { columnType(for: format, isUnsigned: false) }
}

/// Writes the column of a row's originals (``OriginalNotes``). It has the originals by column name. Nearly every row
/// has none.
package protocol OriginalsColumn {
  /// The column after some value columns are overwritten: their old originals are removed.
  ///
  /// - Parameter others: A parameter with the originals of the new values, in the form of the column; nil for none.
  func replacing(_ columns: [String], with others: String?) -> String

  /// The originals of the given columns under their new names, and no others.
  func renamed(_ columns: [(old: String, new: String)]) -> String

  /// The column with one more original.
  func adding(_ original: String, of column: String) -> String
}

/// The parts of a statement that inserts one row.
package struct RowInsertion: Sendable, Hashable {
  /// The table, with its namespace.
  package let table: String
  /// The qualifier of the table's columns in a statement on the table, before the dot.
  package let source: String
  /// The quoted column names.
  package let columns: [String]
  /// The value of each column.
  package let values: [String]

  package var sql: String {
    "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
  }
}

/// A uniqueness rule of a table.
package struct UniquenessRule: Sendable, Hashable {
  /// A quoted column of the rule and its format; nil if the column belongs to no property.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let format: ColumnFormat?
  }

  package let columns: [Column]
  /// The condition for the rows to which the rule applies, with unqualified column names; nil for all rows.
  package let test: String?

  /// The conflict target: the terms of the rule's index, and its condition.
  package func target(_ dialect: some SQLDialect) -> String {
    let terms = columns.map { dialect.indexed($0.name, format: $0.format) }
    return "(\(terms.joined(separator: ", ")))" + (test.map { " WHERE \($0)" } ?? "")
  }
}

/// A foreign key column of a table.
package struct TableReference: Sendable, Hashable {
  package let table: String
  package let column: String
  /// The referenced table.
  package let target: String
  package let action: ReferenceAction
}

/// The action of the database on a row when the row that it references is deleted.
///
/// Contexts apply delete rules themselves. The database applies this action to rows that a context does not know, such
/// as a row that another process has just saved.
package enum ReferenceAction: String, Sendable, Hashable {
  case clear = "SET NULL"
  case cascade = "CASCADE"
  case refuse = "NO ACTION"
}

/// The statements that add and drop a foreign key that is a constraint separate from its column.
package struct ReferenceConstraint: Sendable, Hashable {
  package let addition: String
  package let removal: String

  package init(addition: String, removal: String) {
    self.addition = addition
    self.removal = removal
  }
}
