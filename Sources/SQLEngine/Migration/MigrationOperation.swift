import PersistenceRuntime
import PersistenceSchemas

/// One operation of a migration, in the order of execution.
package enum MigrationOperation: Sendable {
  /// A statement without parameters. `rows` is the table whose rows it visits; nil if it visits none.
  case run(String, rows: String? = nil)
  /// Adds a foreign key constraint, which all rows have to satisfy.
  case refer(TableReference, sql: String)
  /// Copies rows from one table to another.
  case copy(RowCopy)
  /// Sets a different value in every row.
  case fill(RowFill)
  /// Converts between plain and out-of-row (external or encrypted) values, or re-encodes out-of-row values.
  case reseal(RowReseal)
  /// Creates a unique index.
  case makeUnique(UniquenessTest)
  /// Fails the migration if rows match a query.
  case refuse(RowRefusal)
  /// A statement on originals (``OriginalNotes``). It has no effect in a store without originals.
  case originals(String)
  /// A statement that stores the originals of defaults, and the table of the rows.
  case defaultOriginals(String, rows: String)
}

/// A copy of rows from one table to another, in batches, by their keys.
package struct RowCopy: Sendable {
  package let target: String
  package let source: String
  /// The columns of the target and their values.
  package let columns: [(name: String, value: String)]
  /// The condition that selects the rows; nil for all.
  package let test: String?

  /// The statement; with `isPart`, for the rows with keys from parameter 1 to parameter 2.
  package func sql(isPart: Bool, dialect: any SQLDialect) -> String {
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    let part = "\(key) >= \(dialect.placeholder(1, .key)) AND \(key) <= \(dialect.placeholder(2, .key))"
    let tests = [isPart ? part : nil, test].compactMap { $0 }
    return "INSERT INTO \(dialect.table(target)) (\(columns.map { dialect.quoted($0.name) }.joined(separator: ", "))) "
      + "SELECT \(columns.map(\.value).joined(separator: ", ")) FROM \(dialect.table(source))"
      + (tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))")
  }
}

/// Fills a property whose default differs per row, as `UUID()` does.
package struct RowFill: Sendable {
  package let table: String
  /// The columns and their parameter types.
  package let columns: [(name: String, type: SQLParameterType)]
  package let test: String?
  package let entity: EntityLayout
  package let property: PropertyLayout
  /// The schema of the property.
  package let schema: Schema

  package func sql(dialect: any SQLDialect) -> String {
    let changes = columns.enumerated().map { index, column in
      "\(dialect.quoted(column.name)) = \(dialect.placeholder(index + 1, column.type))"
    }
    return "UPDATE \(dialect.table(table)) SET \(changes.joined(separator: ", ")) "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = \(dialect.placeholder(columns.count + 1, .key))"
  }
}

/// Converts a column between plain and out-of-row values, changes the kind of its out-of-row values, or changes the
/// number format inside them.
package struct RowReseal: Sendable {
  /// The entity and the property, for messages.
  package let name: String
  package let table: String
  package let column: String
  /// The parameter type of the column.
  package let type: SQLParameterType
  package let test: String?
  package let old: OutOfRowValue?
  package let new: OutOfRowValue?
  /// The format in which integers are rewritten; nil if they stay unchanged.
  package let widened: ColumnFormat?
  /// Whether plain texts are stored forms with originals, as for strings.
  package let hasOriginals: Bool
  /// The default that the copy gave to rows without a value, already in the new form; nil for none.
  package let standard: StoredValue?
  /// The type of the plain values if the column holds plain values as bytes before the conversion; nil otherwise.
  package let oldPlain: SQLParameterType?
  /// The type of the plain values if the column holds plain values as bytes after the conversion; nil otherwise.
  package let newPlain: SQLParameterType?

  package func sql(dialect: any SQLDialect) -> String {
    "UPDATE \(dialect.table(table)) SET \(dialect.quoted(column)) = \(dialect.placeholder(1, type)) "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = \(dialect.placeholder(2, .key))"
  }
}

/// A unique index to create, and a query for the duplicates that would violate it.
package struct UniquenessTest: Sendable {
  package let entity: String
  package let columns: [String]
  /// The statement that creates the index.
  package let sql: String
  /// Selects the values that occur more than once, with the number of their rows.
  package let duplicates: String
  package let table: String
}

/// Rows that prevent a migration.
package struct RowRefusal: Sendable {
  /// Selects a key and the offending value, for some of the rows.
  package let query: String
  /// The message, with the reason and a remedy; `%` is replaced with the list of rows.
  package let message: String
}

extension MigrationOperation {
  /// The SQL of the operation, for human readers. Statements on originals are left out; originals move with their rows.
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
