import PersistenceRuntime
import PersistenceSchemas

/// One operation of a migration. Operations are executed in order.
package enum MigrationOperation: Sendable {
  /// A statement without parameters. `rows` is the table whose rows the statement visits; nil if it visits no rows.
  case run(String, rows: String? = nil)
  /// Adds a foreign key constraint. It fails if a row refers to a missing row.
  case refer(TableReference, sql: String)
  /// Copies rows from one table to another.
  case copy(RowCopy)
  /// Sets a property to another value in each row.
  case fill(RowFill)
  /// Encrypts or decrypts the values of a column, moves them into files or out of files, or encodes them again.
  case reseal(RowReseal)
  /// Creates a unique index.
  case makeUnique(UniquenessTest)
  /// Fails the migration if a query returns rows.
  case refuse(RowRefusal)
  /// A statement that changes originals (``OriginalNotes``). Skipped if the store has no originals.
  case originals(String)
  /// Stores the exact default as the original, if its stored form differs. `rows` is the table of the rows that got it.
  case defaultOriginals(String, rows: String)
}

/// Copies rows from one table to another, in batches of consecutive keys.
package struct RowCopy: Sendable {
  package let target: String
  package let source: String
  /// The columns of the target table, and the SQL expressions of their values.
  package let columns: [(name: String, value: String)]
  /// The condition that selects the rows; nil for all rows.
  package let test: String?

  /// The SQL statement. If `isPart` is true, it copies only rows whose keys are between parameter 1 and parameter 2.
  package func sql(isPart: Bool, dialect: any SQLDialect) -> String {
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    let part = "\(key) >= \(dialect.placeholder(1, .key)) AND \(key) <= \(dialect.placeholder(2, .key))"
    let tests = [isPart ? part : nil, test].compactMap { $0 }
    return "INSERT INTO \(dialect.table(target)) (\(columns.map { dialect.quoted($0.name) }.joined(separator: ", "))) "
      + "SELECT \(columns.map(\.value).joined(separator: ", ")) FROM \(dialect.table(source))"
      + (tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))")
  }
}

/// Sets a property in all rows to its default, if the default differs for each row, like `UUID()`.
package struct RowFill: Sendable {
  package let table: String
  /// The names of the property's columns, and the types of the parameters that set them.
  package let columns: [(name: String, type: SQLParameterType)]
  package let test: String?
  package let entity: EntityLayout
  package let property: PropertyLayout
  /// The new schema, to which the property belongs.
  package let schema: Schema

  package func sql(dialect: any SQLDialect) -> String {
    let changes = columns.enumerated().map { index, column in
      "\(dialect.quoted(column.name)) = \(dialect.placeholder(index + 1, column.type))"
    }
    return "UPDATE \(dialect.table(table)) SET \(changes.joined(separator: ", ")) "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = \(dialect.placeholder(columns.count + 1, .key))"
  }
}

/// Converts the values of a column from plain, external or encrypted values to another of these kinds, or changes the
/// number format inside of them.
package struct RowReseal: Sendable {
  /// The names of the entity and the property, for error messages.
  package let name: String
  package let table: String
  package let column: String
  /// The type of the parameter that sets the column.
  package let type: SQLParameterType
  package let test: String?
  package let old: OutOfRowValue?
  package let new: OutOfRowValue?
  /// The format to which integers are converted; nil if they stay unchanged.
  package let widened: ColumnFormat?
  /// Whether the plain values are texts in stored form, which may have originals.
  package let hasOriginals: Bool
  /// The default in its new form, which rows without a value got when they were copied; nil if there was no default.
  package let standard: StoredValue?
  /// If the column contains plain values as bytes before the conversion, the type of these values; nil otherwise.
  package let oldPlain: SQLParameterType?
  /// If the column contains plain values as bytes after the conversion, the type of these values; nil otherwise.
  package let newPlain: SQLParameterType?

  package func sql(dialect: any SQLDialect) -> String {
    "UPDATE \(dialect.table(table)) SET \(dialect.quoted(column)) = \(dialect.placeholder(1, type)) "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = \(dialect.placeholder(2, .key))"
  }
}

/// A unique index to be created, and a query for the duplicate values that would prevent it.
package struct UniquenessTest: Sendable {
  package let entity: String
  package let columns: [String]
  /// The statement that creates the index.
  package let sql: String
  /// The query for values that several rows have, with the number of these rows.
  package let duplicates: String
  package let table: String
}

/// A query for rows that the migration cannot migrate.
package struct RowRefusal: Sendable {
  /// Selects the keys of some of these rows, and the values that prevent the migration.
  package let query: String
  /// The error message, with the reason and what to do. `%` is replaced with the list of rows.
  package let message: String
}

extension MigrationOperation {
  /// The SQL of the operation, for people to read. Statements on originals (``OriginalNotes``) are omitted.
  package func statements(dialect: any SQLDialect) -> [String] {
    switch self {
    case .run(let sql, _), .refer(_, let sql): [sql]
    case .copy(let copy): [copy.sql(isPart: false, dialect: dialect)]
    case .fill(let fill): [fill.sql(dialect: dialect) + " -- for every row, with a new default each"]
    case .reseal(let reseal): [reseal.sql(dialect: dialect) + " -- for every row, with the value encoded anew"]
    case .makeUnique(let test): [test.sql]
    case .originals, .defaultOriginals: []
    case .refuse(let refusal): [refusal.query + " -- must find nothing"]
    }
  }
}
