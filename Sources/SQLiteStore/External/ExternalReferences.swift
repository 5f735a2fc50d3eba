import PersistenceRuntime
import SQLEngine

/// The references to files in the tables of a store: those of rows, and those that are listed for removal.
///
/// The table of sequences says which number the next file has. It may say too little after another program has reloaded
/// the store without it. Files of rows would be taken for those that a killed process left behind then, or written over.
/// So what rows refer to is asked before a file with such a number is removed or written, which otherwise is none.
struct ExternalReferences {
  private let connection: SQLiteConnection
  private let database: DatabaseMapping

  /// - Parameter database: The tables of the store; nil for those of the connection.
  init(_ connection: SQLiteConnection, database: DatabaseMapping? = nil) {
    self.connection = connection
    self.database = database ?? connection.database
  }

  /// The least number above those of all references, in one look at the rows.
  func nextNumber() throws -> Int64 {
    let greatest = try sources.reduce(0) { try max($0, connection.number($1) ?? 0) }
    // Saturates. `ExternalTransaction.keep` checks for the end of the range.
    return min(greatest, .max - 1) + 1
  }

  /// A statement for each column that may refer to files, and one for the list. SQLite reads a text as far as it is a
  /// number.
  private var sources: [String] {
    let dialect = SQLiteDialect()
    let list = "SELECT max(CAST(reference AS INTEGER)) FROM \(ExternalTables.superfluous)"
    return [list]
      + database.tables.filter { !$0.isShared }.flatMap { table in
        ExternalTables.columns(of: table).map { column in
          let name = dialect.quoted(column.name)
          return "SELECT max(CAST(\(name) AS INTEGER)) FROM \(dialect.quoted(table.name)) "
            + "WHERE \(dialect.isExternalReference(name))"
        }
      }
  }
}

extension SQLiteConnection {
  /// The number that no file of the store has or had, in the transaction that is open. One that was noted too low is noted
  /// with the transaction.
  func nextExternalNumber(in folder: ExternalFolder) throws -> Int64 {
    let noted = try notedExternalNumber()
    let number = noted ?? 1
    guard noted == nil ? folder.greatestNumber > 0 : folder.contains(number) else { return number }
    let next = try ExternalReferences(self).nextNumber()
    guard next > number else { return number }
    try setNextExternalNumber(next)
    return next
  }
}
