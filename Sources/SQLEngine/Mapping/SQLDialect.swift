import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// What differs between the databases that speak SQL.
///
/// Everything else in this module is the same for each. A dialect is asked only while a statement is being written,
/// never for a row.
///
/// Texts are compared and ordered by their bytes, of columns and parameters alike, which are in stored form.
package protocol SQLDialect: Sendable {
  /// An identifier in quotes, whatever characters it has.
  func quoted(_ identifier: String) -> String

  /// The name of a table where a statement reads, writes, makes or removes it, with the namespace that it is in.
  ///
  /// Not where a table gets another name, nor before the name of a column.
  func table(_ name: String) -> String

  /// The name of an index where a statement removes it, with the namespace that it is in.
  func index(_ name: String) -> String

  /// Whether two identifiers that differ only in the case of ASCII letters name the same thing.
  var foldsCase: Bool { get }

  /// How many bytes a name has at most; nil where there is no limit.
  var longestName: Int? { get }

  /// Names of tables that begin like this belong to the database.
  var reservedTablePrefixes: [String] { get }

  /// Names that no column may have, because every table has a column of the database's own with each.
  var reservedColumnNames: [String] { get }

  /// The parameter of a number, counted from 1.
  func placeholder(_ number: Int, _ type: SQLParameterType) -> String

  /// A parameter whose value the database does not look at when it plans a statement: plans for each value are then the plan for all. By
  /// default the parameter, for databases that plan a statement once.
  func unplanned(_ parameter: String) -> String

  /// The type that a column of a format is declared with, collation included; empty for none.
  ///
  /// - Parameter isUnsigned: Whether the whole numbers in it go beyond those of 64 bits with a sign.
  func columnType(for format: ColumnFormat, isUnsigned: Bool) -> String

  /// The type and constraint of the primary key column.
  var primaryKeyType: String { get }

  /// The same in a table of pairs, whose rows the database numbers itself where a statement names no key.
  var pairKeyType: String { get }

  /// The constraint that a reference is, added when all tables are there and removed before any gets another name; nil where
  /// it is a part of its column, and leads to whichever table has the name of the one that it was made for.
  func constraint(of reference: TableReference) -> ReferenceConstraint?

  /// A value that no row has, which a column of a format may hold for a moment.
  func uniqueValue(for format: ColumnFormat) -> String

  /// The statement that inserts a row, or several, made to leave out those whose unique values are there.
  func insertingMissing(_ insertion: String) -> String

  /// The statement that inserts a row, made to change the row that has its unique values instead, where there is one.
  ///
  /// - Parameters:
  ///   - changes: What such a row gets; `excluded` stands for the row that is not inserted.
  ///   - returned: The columns that are returned of either row.
  ///   - rules: What must be unique. Worked out when it is asked for.
  func upsert(
    _ insertion: RowInsertion, changes: String, returning returned: [String], rules: () -> [UniquenessRule]
  ) -> String

  /// A value in the text of a statement, as a column that it is put into keeps it.
  func literal(_ value: StoredValue) -> String

  /// A value in the text of a statement, as a column or a parameter of a type has it. By default ``literal(_:)``, for databases
  /// whose values have the same form in columns of every type.
  func literal(_ value: StoredValue, of type: SQLParameterType) -> String

  /// The same, where a definition gives it to a column as its default; nil when no definition can.
  func defaultLiteral(_ value: StoredValue, of type: SQLParameterType) -> String?

  /// Where the values are kept whose stored form differs from them: in a column that every row has (``DatabaseMapping/originalsColumn``),
  /// by what this writes; nil where they are in a table of their own (``OriginalStatements``).
  var originalsColumn: (any OriginalsColumn)? { get }

  // MARK: Changes of tables

  /// Whether the columns of a table that has rows can get another type, and may be NULL or not be from then on. References are
  /// constraints apart from their columns then.
  var altersColumns: Bool { get }

  /// The bytes by which a plain value goes into a column of encrypted ones, or comes out of it; nil where a column takes values of
  /// every type.
  func bytes(ofPlain value: String, _ type: SQLParameterType) -> String?

  /// The plain value of such bytes.
  func plain(ofBytes bytes: String, _ type: SQLParameterType) -> String

  /// The statement after which a column that was added with a default has none for new rows; nil where the default stays.
  func removal(ofDefault column: String, in table: String) -> String?

  /// The statement that lets the database number new rows of a table of pairs from a number on; nil where the table that counts keys
  /// numbers them.
  func numbering(pairsIn table: String, from number: String) -> String?

  /// What follows the name of a table that is to be read from end to end, without an index.
  var endToEndHint: String { get }

  /// Limits the rows of a query; an absent part is nil.
  func limitClause(limit: String?, offset: String?) -> String

  /// A term of an order in which nil comes before everything, or after everything when descending.
  func orderTerm(_ expression: String, isDescending: Bool) -> String

  /// What an index holds of a column, as queries compare it: a term of the index, which ``upsert(_:changes:returning:rules:)``
  /// has to repeat.
  ///
  /// - Parameter format: nil for a column that belongs to no property.
  func indexed(_ column: String, format: ColumnFormat?) -> String

  /// A term of an index where the index is made, in the order in which queries put rows by it.
  ///
  /// - Parameter indexed: What ``indexed(_:format:)`` says.
  func indexTerm(_ indexed: String) -> String

  /// A condition as a value like the stored ones of a Boolean property, or NULL.
  func value(ofCondition condition: String) -> String

  /// A Boolean as columns hold it.
  func truth(_ isTrue: Bool) -> String

  /// A value of a Boolean property as a condition.
  func isTrue(_ value: String) -> String

  /// The only value that a query finds; if it finds several, that of the row with the greatest key.
  func value(ofQuery query: String, lastBy key: String) -> String

  /// Whether two values are the same, nil being the same as nil; never unknown.
  func isSame(_ lhs: String, _ rhs: String) -> String

  /// Whether two values are not the same, nil being the same as nil; never unknown.
  func isDifferent(_ lhs: String, _ rhs: String) -> String

  /// JSON with its texts in stored form, so that the JSON of equal values has equal bytes. Columns have it as it was
  /// written.
  func form(ofJSON text: String) -> String

  /// A remark on what a column holds, as a part of its definition that the database keeps; nil where it keeps none.
  func remark(_ text: String) -> String?

  // MARK: Decimals

  /// A decimal number as one side of a comparison by order, or as a term of an order that no index is in: by its value. The
  /// other side of the comparison stays as it is.
  func ordered(decimal: String) -> String

  /// What an index that is not unique holds of a decimal number: keys are ordered by the database itself as the numbers are,
  /// equal numbers have equal keys, and the key of nil is nil.
  func key(ofDecimal decimal: String) -> String

  /// Whether a decimal number is one of a list that is bound as one parameter, by its ``key(ofDecimal:)``.
  func isKeyMember(_ decimal: String, ofList parameter: String) -> String

  // MARK: Numbers

  /// A whole number as a decimal one is stored.
  func decimal(ofInteger expression: String) -> String

  /// A whole number as a floating-point one of 64 bits.
  func real(ofInteger expression: String) -> String

  /// A floating-point number as a whole one of 64 bits.
  func integer(ofReal expression: String) -> String

  /// Whether a column of whole numbers holds one that no floating-point number of 64 bits is equal to.
  func isRounded(asReal column: String) -> String

  /// Whether a column of bytes holds the name of a file that has them.
  func isExternalReference(_ column: String) -> String

  /// The sum of a value over rows, as ``AggregateFunction/sum`` says; NULL for none.
  func sum(_ expression: String, format: ColumnFormat) -> String

  /// The least or greatest value over rows; NULL for none.
  func extreme(_ expression: String, format: ColumnFormat, isGreatest: Bool) -> String

  /// A text that compares as people order texts; nil where the database cannot.
  func collated(_ expression: String, by order: TextOrder) -> String?

  /// Whether a text has another one in it; true for an empty one.
  func contains(_ text: String, _ part: String) -> String

  /// Whether a text starts with another one; true for an empty one.
  func starts(_ text: String, with prefix: String) -> String

  /// Whether a value is one of a list that is bound as one parameter; JSON is its ``form(ofJSON:)`` already.
  func isMember(_ value: String, ofList parameter: String, format: ColumnFormat) -> String

  /// Whether a real value, not nil, sorts before every not-a-number.
  func isBelowNotANumber(_ value: String) -> String

  /// Whether a real value is not-a-number; never unknown.
  func isNotANumber(_ value: String) -> String

  /// Whether there is something to bind that no column of real numbers is equal to (``NotANumberBinding``). Where there is
  /// not, comparisons with parameters say themselves that not-a-number equals nothing.
  var bindsUnlikeNumbers: Bool { get }

  // MARK: Points

  /// How the names of tables end that the database makes itself beside an index over points, after the index's name.
  var spatialIndexEndings: [String] { get }

  /// The statements that make an index over points, which is kept in step with its table from then on.
  func spatialIndex(_ index: SpatialIndexMapping) -> [String]

  /// The statement that puts the rows that are there into a new index over points.
  func contents(of index: SpatialIndexMapping) -> String

  /// The statements that remove an index over points.
  func removal(of index: SpatialIndexMapping) -> [String]

  /// A column, with its prefix, that is not to be searched for in an index.
  func unsearched(_ column: String) -> String

  /// A query for the keys of the rows that may be between bounds: of all that are, and of others close to them.
  func keys(in index: SpatialIndexMapping, within bounds: [SpatialBound]) -> String

  // MARK: Functions

  /// A calculation in the manner of Swift's type; NULL when the result does not fit.
  func calculation(_ operation: ArithmeticOperation, _ form: NumberForm, _ lhs: String, _ rhs: String) -> String

  /// The opposite of a number, with the sign of zero; NULL when the result does not fit.
  func negation(_ form: NumberForm, _ value: String) -> String

  /// The number of characters of a text; nil where the database cannot count them.
  func characterCount(_ text: String) -> String?

  /// The number of bytes of a value.
  func byteCount(_ data: String) -> String

  /// Whether a text has another one in it, as people see it; nil where the database cannot tell.
  func containsLocalized(_ text: String, _ part: String) -> String?

  /// Whether a text has a part that a regular expression of Swift's describes; nil where the database cannot tell.
  func containsRegex(_ text: String, _ expression: String) -> String?

  /// How two texts compare: -1, 0 or 1; nil where the database cannot tell.
  func comparison(_ comparison: TextComparison, _ lhs: String, _ rhs: String) -> String?

  // MARK: Lists

  /// The elements of a list, as a table.
  func elements(ofList list: String, format: ColumnFormat, as alias: String) -> String

  /// The element that a row of such a table is.
  func elementValue(of alias: String) -> String

  /// The element of a list at a place; NULL outside of it.
  func element(ofList list: String, format: ColumnFormat, at index: String) -> String

  /// The element of a list of values that stands where a key stands in a list of keys.
  ///
  /// - Parameters:
  ///   - key: Where it is JSON, its ``form(ofJSON:)``.
  ///   - formats: Of the keys and of the values.
  func value(
    besideKey key: String, inList keys: String, values: String, formats: (key: ColumnFormat, value: ColumnFormat)
  ) -> String

  /// The list of the elements of an array in JSON, texts in stored form.
  func elements(ofJSON text: String, _ form: ElementForm) -> String

  /// The value of a dictionary in JSON for a key, which is in stored form as the value is; NULL when there is none.
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

  /// The type of a column without unsigned numbers.
  func columnType(for format: ColumnFormat) -> String { columnType(for: format, isUnsigned: false) }
}

/// Writes what the column of a row's originals gets (``OriginalNotes``): they are there by the names of their columns, and nearly every
/// row has none.
package protocol OriginalsColumn {
  /// The column without the originals of some columns, which get other values.
  ///
  /// - Parameter others: The originals of the new values, as a parameter in the form of the column; nil for none.
  func replacing(_ columns: [String], with others: String?) -> String

  /// The originals of some columns under the names that these get, and no others.
  func renamed(_ columns: [(old: String, new: String)]) -> String

  /// The column with one original more.
  func adding(_ original: String, of column: String) -> String
}

/// A statement that inserts one row, in its parts.
package struct RowInsertion: Sendable, Hashable {
  /// The table, with its namespace.
  package let table: String
  /// What stands before the point where a statement on the table names one of its columns.
  package let source: String
  /// The columns, in quotes.
  package let columns: [String]
  /// What each column gets.
  package let values: [String]

  package var sql: String {
    "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
  }
}

/// What must be unique among the rows of a table.
package struct UniquenessRule: Sendable, Hashable {
  /// A column of the rule, in quotes, and how it is written; without a format where it belongs to no property.
  package struct Column: Sendable, Hashable {
    package let name: String
    package let format: ColumnFormat?
  }

  package let columns: [Column]
  /// Which rows the rule holds for, by the names of columns alone; nil for all.
  package let test: String?

  /// The terms of the rule's index, and its condition.
  package func target(_ dialect: some SQLDialect) -> String {
    let terms = columns.map { dialect.indexed($0.name, format: $0.format) }
    return "(\(terms.joined(separator: ", ")))" + (test.map { " WHERE \($0)" } ?? "")
  }
}

/// A column with the keys of rows of a table.
package struct TableReference: Sendable, Hashable {
  package let table: String
  package let column: String
  /// The table that the column refers to.
  package let target: String
  package let action: ReferenceAction
}

/// What the database does with a row when the row that it refers to is deleted.
///
/// Contexts apply delete rules themselves. The database acts on the rows that a context does not know, such as one that
/// another process has just saved.
package enum ReferenceAction: String, Sendable, Hashable {
  case clear = "SET NULL"
  case cascade = "CASCADE"
  case refuse = "NO ACTION"
}

/// The statements for a reference that is a constraint apart from its column.
package struct ReferenceConstraint: Sendable, Hashable {
  package let addition: String
  package let removal: String

  package init(addition: String, removal: String) {
    self.addition = addition
    self.removal = removal
  }
}
