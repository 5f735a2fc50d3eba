import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// What differs between SQL databases.
///
/// All other code in this module is the same for all databases. A dialect is called only to write statements, not per
/// row.
///
/// Texts are compared and sorted by their bytes. Columns and parameters contain texts in stored form (``StoredText``).
package protocol SQLDialect: Sendable {
  /// A quoted identifier. The identifier may contain any characters.
  func quoted(_ identifier: String) -> String

  /// The name of a table with its namespace, in a statement that reads, writes, creates or drops the table.
  ///
  /// Not used for the new name in a statement that renames a table, nor for the qualifier of a column.
  func table(_ name: String) -> String

  /// The name of an index with its namespace, in the statement that drops the index.
  func index(_ name: String) -> String

  /// Whether two identifiers are the same if they differ only in the case of ASCII letters.
  var foldsCase: Bool { get }

  /// The maximum length of a name in bytes; nil if unlimited.
  var longestName: Int? { get }

  /// The prefixes of table names that are reserved by the database.
  var reservedTablePrefixes: [String] { get }

  /// The names that no column may have, because each table has a system column with this name.
  var reservedColumnNames: [String] { get }

  /// The placeholder of a parameter. Parameters are numbered from 1.
  func placeholder(_ number: Int, _ type: SQLParameterType) -> String

  /// A parameter whose value the planner must not use, so that one plan is good for all values. The default is the
  /// parameter itself, for databases that plan a statement only once.
  func unplanned(_ parameter: String) -> String

  /// The type of a column in its definition, including the collation; empty if the column has no type.
  ///
  /// - Parameter isUnsigned: Whether the integers of the column may exceed `Int64.max`.
  func columnType(for format: ColumnFormat, isUnsigned: Bool) -> String

  /// The type and constraint of the primary key column.
  var primaryKeyType: String { get }

  /// The type and constraint of a link table's key column. If a statement sets no key, the database assigns one.
  var pairKeyType: String { get }

  /// The constraint for a foreign key. It is added when all tables exist, and dropped before any table is renamed. Nil
  /// if the foreign key is part of the column's definition, and follows its table when the table is renamed.
  func constraint(of reference: TableReference) -> ReferenceConstraint?

  /// An SQL expression for a random value that no row has, to be written temporarily to a column of the format.
  func uniqueValue(for format: ColumnFormat) -> String

  /// Changes an INSERT of one or more rows, so that it skips rows whose unique values exist already.
  func insertingMissing(_ insertion: String) -> String

  /// Changes an INSERT of one row, so that it updates the existing row with the same unique values, if there is one.
  ///
  /// - Parameters:
  ///   - changes: The assignments for the existing row, in which `excluded` is the row to be inserted.
  ///   - returned: The columns of the inserted or updated row that the statement returns.
  ///   - rules: Returns the uniqueness rules of the table. Called only if they are needed.
  func upsert(
    _ insertion: RowInsertion, changes: String, returning returned: [String], rules: () -> [UniquenessRule]
  ) -> String

  /// The literal of a value in the form in which columns contain it.
  func literal(_ value: StoredValue) -> String

  /// The literal of a value in the form that a column or a parameter of the type has. The default is ``literal(_:)``,
  /// for databases in which this form does not depend on the column's type.
  func literal(_ value: StoredValue, of type: SQLParameterType) -> String

  /// The literal of a value for the DEFAULT clause of a column; nil if the clause cannot express the value.
  func defaultLiteral(_ value: StoredValue, of type: SQLParameterType) -> String?

  /// Writes the column of originals, the values that differ from their stored form. Every table then has the column
  /// ``DatabaseMapping/originalsColumn``. Nil if ``OriginalStatements`` writes them to a table.
  var originalsColumn: (any OriginalsColumn)? { get }

  // MARK: Table alterations

  /// Whether the type and the nullability of a column can be changed while the table has rows. If so, foreign keys are
  /// constraints that are separate from their columns.
  var altersColumns: Bool { get }

  /// The encoding of a plain value as bytes, for a column that contains encrypted values before or after a migration.
  /// Nil if any column accepts values of every type.
  func bytes(ofPlain value: String, _ type: SQLParameterType) -> String?

  /// The plain value that ``bytes(ofPlain:_:)`` has encoded as bytes.
  func plain(ofBytes bytes: String, _ type: SQLParameterType) -> String

  /// The statement that drops the default of a column that was just added; nil if the default can stay.
  func removal(ofDefault column: String, in table: String) -> String?

  /// The statement that sets the next key that the database assigns to a row of a link table; nil if these keys come
  /// from the table of sequences.
  func numbering(pairsIn table: String, from number: String) -> String?

  /// The clause after a table name that makes the database read the whole table instead of using an index.
  var endToEndHint: String { get }

  /// The LIMIT and OFFSET clauses of a query. A nil argument omits its clause.
  func limitClause(limit: String?, offset: String?) -> String

  /// A term of ORDER BY. NULL sorts first in ascending order, and last in descending order.
  func orderTerm(_ expression: String, isDescending: Bool) -> String

  /// The expression that an index on a column contains, and that comparisons in queries use. If
  /// ``upsert(_:changes:returning:rules:)`` writes a conflict target, the target must repeat the expression.
  ///
  /// - Parameter format: The format of the column; nil if the column belongs to no property.
  func indexed(_ column: String, format: ColumnFormat?) -> String

  /// A term of CREATE INDEX. It has the order in which queries sort.
  ///
  /// - Parameter indexed: The result of ``indexed(_:format:)``.
  func indexTerm(_ indexed: String) -> String

  /// The result of a condition (true, false or NULL), in the form in which a column of a Boolean property stores it.
  func value(ofCondition condition: String) -> String

  /// The literal of a Boolean value in the form in which columns contain it.
  func truth(_ isTrue: Bool) -> String

  /// The condition that the value of a Boolean property is true.
  func isTrue(_ value: String) -> String

  /// The only value that a query returns. If the query returns several rows, this is the value of the row with the
  /// greatest key.
  func value(ofQuery query: String, lastBy key: String) -> String

  /// The condition that two values are equal. NULL equals NULL, and the result is never NULL.
  func isSame(_ lhs: String, _ rhs: String) -> String

  /// The condition that two values differ. NULL equals NULL, and the result is never NULL.
  func isDifferent(_ lhs: String, _ rhs: String) -> String

  /// JSON whose texts are converted to stored form, so that equal values have equal bytes. Columns contain the JSON as
  /// it was written.
  func form(ofJSON text: String) -> String

  /// A comment in the definition of a column, if the database stores such comments; nil otherwise.
  func remark(_ text: String) -> String?

  // MARK: Decimals

  /// The expression that orders a decimal by its numeric value, for the left side of a comparison such as `<`, or for
  /// ORDER BY without an index. The right side of the comparison stays unchanged.
  func ordered(decimal: String) -> String

  /// The sort key of a decimal in a non-unique index. The database sorts these keys in the order of the numbers. Equal
  /// numbers have equal keys, and the key of NULL is NULL.
  func key(ofDecimal decimal: String) -> String

  /// The condition that a list, bound as one parameter, contains a decimal. Compares their keys (``key(ofDecimal:)``).
  func isKeyMember(_ decimal: String, ofList parameter: String) -> String

  // MARK: Numbers

  /// The conversion of an integer to a stored decimal.
  func decimal(ofInteger expression: String) -> String

  /// The conversion of an integer to a 64-bit floating-point number.
  func real(ofInteger expression: String) -> String

  /// The conversion of a floating-point number to a 64-bit integer.
  func integer(ofReal expression: String) -> String

  /// The condition that the integer in a column would be rounded by a conversion to a 64-bit floating-point number.
  func isRounded(asReal column: String) -> String

  /// The condition that a column of bytes contains the name of an external file instead of the value.
  func isExternalReference(_ column: String) -> String

  /// The sum of a value over all rows, as defined by ``AggregateFunction/sum``; NULL if there are no rows.
  func sum(_ expression: String, format: ColumnFormat) -> String

  /// The least or greatest value of all rows; NULL if there are no rows.
  func extreme(_ expression: String, format: ColumnFormat, isGreatest: Bool) -> String

  /// A text with the collation that sorts it by the rules of a locale; nil if the database has no such collation.
  func collated(_ expression: String, by order: TextOrder) -> String?

  /// The condition that a text contains another text. True if the other text is empty.
  func contains(_ text: String, _ part: String) -> String

  /// The condition that a text starts with another text. True if the other text is empty.
  func starts(_ text: String, with prefix: String) -> String

  /// The condition that a list, bound as one parameter, contains a value. JSON is already in its ``form(ofJSON:)``.
  func isMember(_ value: String, ofList parameter: String, format: ColumnFormat) -> String

  /// The condition that a real value that is not NULL sorts before not-a-number.
  func isBelowNotANumber(_ value: String) -> String

  /// The condition that a real value is not-a-number. The result is never NULL.
  func isNotANumber(_ value: String) -> String

  /// Whether not-a-number can be bound as something that equals no value of a real column (``NotANumberBinding``). If
  /// not, each comparison with a parameter also tests the parameter for not-a-number.
  var bindsUnlikeNumbers: Bool { get }

  // MARK: Spatial indexes

  /// The database creates tables for each spatial index. Their names are the index's name with one of these suffixes.
  var spatialIndexEndings: [String] { get }

  /// The statements that create a spatial index, and keep it up to date when its table changes.
  func spatialIndex(_ index: SpatialIndexMapping) -> [String]

  /// The statement that fills a new spatial index with the existing rows.
  func contents(of index: SpatialIndexMapping) -> String

  /// The statements that drop a spatial index.
  func removal(of index: SpatialIndexMapping) -> [String]

  /// A qualified column, in a form for which the database does not use an index.
  func unsearched(_ column: String) -> String

  /// A query for the keys of all rows within the bounds. It may also return keys of rows just outside of the bounds.
  func keys(in index: SpatialIndexMapping, within bounds: [SpatialBound]) -> String

  // MARK: Functions

  /// An arithmetic operation with the semantics of the Swift type. NULL if the result overflows.
  func calculation(_ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: String, _ rhs: String) -> String

  /// The negated number. A floating-point zero also changes its sign. NULL if the result overflows.
  func negation(_ form: NumberForm, _ value: String) -> String

  /// The number of characters of a text; nil if the database cannot count them.
  func characterCount(_ text: String) -> String?

  /// The number of bytes of a value.
  func byteCount(_ data: String) -> String

  /// The condition of `localizedStandardContains`; nil if the database cannot evaluate it.
  func containsLocalized(_ text: String, _ part: String) -> String?

  /// The condition that a text has a match for a Swift regular expression; nil if the database cannot evaluate it.
  func containsRegex(_ text: String, _ expression: String) -> String?

  /// The result of comparing two texts: -1, 0 or 1; nil if the database cannot make this comparison.
  func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String?

  // MARK: Lists

  /// The elements of a list, as a table expression with one row for each element.
  func elements(ofList list: String, format: ColumnFormat, as alias: String) -> String

  /// The element in the current row of the table expression ``elements(ofList:format:as:)``.
  func elementValue(of alias: String) -> String

  /// The element of a list at an index; NULL if the index is out of range.
  func element(ofList list: String, format: ColumnFormat, at index: String) -> String

  /// Looks up a key in a list of keys, and returns the element at the same index of a list of values.
  ///
  /// - Parameters:
  ///   - key: The key. If it is JSON, it is in its ``form(ofJSON:)``.
  ///   - formats: The formats of the keys and of the values.
  func value(
    besideKey key: String, inList keys: String, values: String, formats: (key: ColumnFormat, value: ColumnFormat)
  ) -> String

  /// The elements of a JSON array, as a list. Texts are in stored form.
  func elements(ofJSON text: String, _ form: ElementForm) -> String

  /// The value for a key in a JSON dictionary; NULL if the key is missing. The key and the value are in stored form.
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

  /// The type of a column without unsigned integers.
  func columnType(for format: ColumnFormat) -> String { columnType(for: format, isUnsigned: false) }
}

/// Writes the column that contains the originals of a row (``OriginalNotes``), by column name. It is NULL in nearly
/// every row.
package protocol OriginalsColumn {
  /// The new content of the column if other columns of the row are overwritten: their old originals are removed.
  ///
  /// - Parameter others: A parameter with the originals of the new values, in the form of the column; nil for none.
  func replacing(_ columns: [String], with others: String?) -> String

  /// The content of the column with only the originals of the given columns, under the new names of the columns.
  func renamed(_ columns: [(old: String, new: String)]) -> String

  /// The content of the column with one more original.
  func adding(_ original: String, of column: String) -> String
}

/// The parts of a statement that inserts one row.
package struct RowInsertion: Sendable, Hashable {
  /// The table, with its namespace.
  package let table: String
  /// The qualifier of the table's columns in a statement that writes to the table, without the dot.
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
  /// A column of the rule, with its quoted name. The format is nil if the column belongs to no property.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let format: ColumnFormat?
  }

  package let columns: [Column]
  /// The condition of the rows to which the rule applies, with unqualified column names; nil for all rows.
  package let test: String?

  /// The conflict target of an INSERT: the terms of the index that enforces the rule, and the condition of the index.
  package func target(_ dialect: some SQLDialect) -> String {
    let terms = columns.map { dialect.indexed($0.name, format: $0.format) }
    return "(\(terms.joined(separator: ", ")))" + (test.map { " WHERE \($0)" } ?? "")
  }
}

/// A foreign key column of a table.
package struct TableReference: Sendable, Hashable {
  package let table: String
  package let column: String
  /// The name of the referenced table.
  package let target: String
  package let action: ReferenceAction
}

/// What the database does to a row when the row to which it refers is deleted.
///
/// Contexts apply delete rules themselves. The action is for rows that the context does not know, such as a row that
/// another process has just saved.
package enum ReferenceAction: String, Sendable, Hashable {
  case clear = "SET NULL"
  case cascade = "CASCADE"
  case refuse = "NO ACTION"
}

/// The statements that add and drop a foreign key, for databases in which foreign keys are separate from columns.
package struct ReferenceConstraint: Sendable, Hashable {
  package let addition: String
  package let removal: String

  package init(addition: String, removal: String) {
    self.addition = addition
    self.removal = removal
  }
}
