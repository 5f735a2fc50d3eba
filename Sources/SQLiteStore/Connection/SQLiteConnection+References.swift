import CSQLite
import SQLEngine

/// A reference that leads to no row.
struct BrokenReference: CustomStringConvertible {
  let table: String
  let column: String
  let key: Int64
  let parent: String

  var description: String { "\(table).\(column) of row \(key), to \(parent)" }
}

extension [BrokenReference] {
  /// The first five, and how many more there are, for an error.
  var words: String {
    prefix(5).map(\.description).joined(separator: "; ") + (count > 5 ? " and \(count - 5) more" : "")
  }
}

extension SQLiteConnection {
  /// The references of the open transaction that lead to no row, to be called when SQLite says that there are some.
  ///
  /// - Parameter table: The table whose references are checked; nil for all.
  func brokenReferences(of table: String? = nil) throws -> [BrokenReference] {
    let name = table.map { "(\(SQLiteDialect().quoted($0)))" } ?? ""
    let statement = try SQLiteStatement("PRAGMA foreign_key_check\(name)", on: handle)
    var result: [BrokenReference] = []
    while result.count < 1_000, try statement.step() {
      let table = statement.text(0) ?? ""
      let column = try column(ofReference: statement.integer(3), in: table)
      result.append(
        BrokenReference(table: table, column: column, key: statement.integer(1), parent: statement.text(2) ?? ""))
    }
    return result
  }

  private func column(ofReference number: Int64, in table: String) throws -> String {
    let name = SQLiteDialect().quoted(table)
    return try withStatement("PRAGMA foreign_key_list(\(name))") { statement in
      while try statement.step() {
        if statement.integer(0) == number { return statement.text(3) ?? "" }
      }
      return ""
    }
  }
}
