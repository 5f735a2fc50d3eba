import PersistenceRuntime

/// Writes the statements on the table of originals: values whose stored form differs from them (``OriginalNotes``).
///
/// Each has the name of the table, the key of the row and the name of the column that hold the form. Nearly every store
/// has none.
package struct OriginalStatements {
  package static let tableName = DatabaseMapping.ownPrefix + "originals"

  let dialect: any SQLDialect

  package init(dialect: any SQLDialect) {
    self.dialect = dialect
  }

  var name: String { dialect.table(Self.tableName) }
  var table: String { dialect.quoted("table") }
  var key: String { dialect.quoted("key") }
  var column: String { dialect.quoted("column") }
  var original: String { dialect.quoted("original") }

  /// Reads the first name of a table behind the one that is parameter 1, or NULL.
  package var nextTable: String {
    "SELECT min(\(table)) FROM \(name) WHERE \(table) > \(text(1))"
  }

  /// Reads the columns and the originals of the row with the key that is parameter 2, of the table that is parameter 1.
  package var lookUp: String {
    "SELECT \(column), \(original) FROM \(name) WHERE \(ofTable) AND \(key) = \(dialect.placeholder(2, .key))"
  }

  /// Reads keys of rows with originals of the table that is parameter 1, at most as many as parameter 2.
  package var keys: String {
    "SELECT DISTINCT \(key) FROM \(name) WHERE \(ofTable) "
      + dialect.limitClause(limit: dialect.placeholder(2, .value(.integer)), offset: nil)
  }

  /// Stores the original that is parameter 4 for the table, the key and the column that are the first three.
  package var store: String {
    let values = [text(1), dialect.placeholder(2, .key), text(3), text(4)]
    return "INSERT INTO \(name) (\(table), \(key), \(column), \(original)) VALUES (\(values.joined(separator: ", "))) "
      + "ON CONFLICT (\(table), \(key), \(column)) DO UPDATE SET \(original) = excluded.\(original)"
  }

  /// Removes the originals of the rows whose keys are in the list that is parameter 2, of the table that is parameter 1.
  ///
  /// - Parameter columns: The columns; nil for all.
  package func remove(columns: [String]? = nil) -> String {
    let test = columns.map { " AND \(isColumn(in: $0))" } ?? ""
    let isWanted = dialect.isMember(key, ofList: dialect.placeholder(2, .list(.reference)), format: .reference)
    return "DELETE FROM \(name) WHERE \(ofTable) AND \(isWanted)\(test)"
  }

  private var ofTable: String { "\(table) = \(text(1))" }

  private func text(_ number: Int) -> String { dialect.placeholder(number, .value(.text)) }

  func isColumn(in names: [String]) -> String {
    "\(column) IN (\(names.map { dialect.literal(.text($0)) }.joined(separator: ", ")))"
  }
}
