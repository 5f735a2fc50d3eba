import PersistenceRuntime
import PersistenceSchemas

/// One operation of a migration, in the order in which they are to be run.
package enum MigrationOperation: Sendable {
  /// A statement that takes no parameters. `rows` is the table whose rows it goes over, nil when it goes over none.
  case run(String, rows: String? = nil)
  /// A reference becomes a constraint, which all rows have to keep.
  case refer(TableReference, sql: String)
  /// Rows go from one table into another.
  case copy(RowCopy)
  /// Every row gets a value of its own.
  case fill(RowFill)
  /// Values become out-of-row values or plain values, or out-of-row values are encoded anew.
  case reseal(RowReseal)
  /// What must be unique from now on.
  case makeUnique(UniquenessTest)
  /// Rows that must not be there.
  case refuse(RowRefusal)
  /// A statement on originals, which has nothing to do in a store without any.
  case originals(String)
  /// A statement that stores the originals of defaults, and the table whose rows have these.
  case defaultOriginals(String, rows: String)
}

/// Rows that go from one table into another, in portions, by their keys.
package struct RowCopy: Sendable {
  package let target: String
  package let source: String
  /// The columns of the target and what each gets.
  package let columns: [(name: String, value: String)]
  /// Which rows; nil for all.
  package let test: String?

  /// The statement; with `isPart`, for the rows whose keys are from parameter 1 to parameter 2.
  package func sql(isPart: Bool, dialect: any SQLDialect) -> String {
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    let part = "\(key) >= \(dialect.placeholder(1, .key)) AND \(key) <= \(dialect.placeholder(2, .key))"
    let tests = [isPart ? part : nil, test].compactMap { $0 }
    return "INSERT INTO \(dialect.table(target)) (\(columns.map { dialect.quoted($0.name) }.joined(separator: ", "))) "
      + "SELECT \(columns.map(\.value).joined(separator: ", ")) FROM \(dialect.table(source))"
      + (tests.isEmpty ? "" : " WHERE \(tests.joined(separator: " AND "))")
  }
}

/// A property whose default is new for every row, as `UUID()` is.
package struct RowFill: Sendable {
  package let table: String
  /// The columns and what is bound to each.
  package let columns: [(name: String, type: SQLParameterType)]
  package let test: String?
  package let entity: EntityLayout
  package let property: PropertyLayout
  /// The schema that the property is of.
  package let schema: Schema

  package func sql(dialect: any SQLDialect) -> String {
    let changes = columns.enumerated().map { index, column in
      "\(dialect.quoted(column.name)) = \(dialect.placeholder(index + 1, column.type))"
    }
    return "UPDATE \(dialect.table(table)) SET \(changes.joined(separator: ", ")) "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = \(dialect.placeholder(columns.count + 1, .key))"
  }
}

/// A column whose values become out-of-row values or plain values, or out-of-row values of another kind; or are to be
/// numbers of another format, and are stored out of row as before.
package struct RowReseal: Sendable {
  /// The entity and the property, for people to read.
  package let name: String
  package let table: String
  package let column: String
  /// What is bound to the column.
  package let type: SQLParameterType
  package let test: String?
  package let old: OutOfRowValue?
  package let new: OutOfRowValue?
  /// How whole numbers are written from now on; nil where values stay as they are.
  package let widened: ColumnFormat?
  /// Whether plain texts are stored forms with originals, as those of strings are.
  package let hasOriginals: Bool
  /// What the rows without a value were given when they were copied, in the new form already; nil for nothing.
  package let standard: StoredValue?
  /// The type of the plain values whose bytes the column has before; nil where it has none, or the values themselves.
  package let oldPlain: SQLParameterType?
  /// The type of those whose bytes it has afterwards.
  package let newPlain: SQLParameterType?

  package func sql(dialect: any SQLDialect) -> String {
    "UPDATE \(dialect.table(table)) SET \(dialect.quoted(column)) = \(dialect.placeholder(1, type)) "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = \(dialect.placeholder(2, .key))"
  }
}

/// A unique index that is to be made, and the query that says which values stand in its way.
package struct UniquenessTest: Sendable {
  package let entity: String
  package let columns: [String]
  /// The statement that makes the index.
  package let sql: String
  /// Selects the columns and the number of rows of what is there several times.
  package let duplicates: String
  package let table: String
}

/// Rows that stand in the way of a change.
package struct RowRefusal: Sendable {
  /// Selects, for some of the rows, a key and what is wrong with it.
  package let query: String
  /// What such rows mean and what to do about them; `%` stands for the list.
  package let message: String
}

extension MigrationOperation {
  /// The statements of the operation, for people to read. None on originals, which go wherever their rows go.
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
