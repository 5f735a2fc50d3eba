import PersistenceRuntime
import SQLEngine

/// What a row holds in the place of a value in a file: the number of the file, and of the bytes that it must have.
///
/// It is text in a column in which every value is bytes, so that the two cannot be mistaken for each other, whatever the
/// bytes are.
struct ExternalReference: Hashable, Sendable {
  let number: Int64
  let count: Int

  init(number: Int64, count: Int) {
    self.number = number
    self.count = count
  }

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0]), let count = Int(parts[1]), number > 0, count >= 0 else {
      return nil
    }
    self.init(number: number, count: count)
  }

  var text: String { "\(number):\(count)" }
}

/// The references to files in the tables of a store: those of rows, and those that are listed for removal.
///
/// The table of sequences says which number the next file has. It may say too little after another program has reloaded
/// the store without it. Files of rows would be taken for those that a killed process left behind then, or written
/// over. So before a file with such a number is removed or written, rows are searched for references to it.
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

  /// The numbers from one on to whose files rows refer, in one look at the rows.
  func numbers(from first: Int64) throws -> Set<Int64> {
    var numbers: Set<Int64> = []
    for (table, column) in columns {
      let number = "CAST(\(column) AS INTEGER)"
      let sql =
        "SELECT \(number) FROM \(table) WHERE \(SQLiteDialect().isExternalReference(column)) AND \(number) >= ?1"
      try connection.withStatement(sql) { statement in
        try statement.bind(first, at: 1)
        while try statement.step() { numbers.insert(statement.integer(0)) }
      }
    }
    return numbers
  }

  /// A statement for each column that may refer to files, and one for the list. SQLite reads a text as far as it is a
  /// number.
  private var sources: [String] {
    let list = "SELECT max(CAST(reference AS INTEGER)) FROM \(ExternalTables.superfluous)"
    return [list]
      + columns.map { table, column in
        "SELECT max(CAST(\(column) AS INTEGER)) FROM \(table) WHERE \(SQLiteDialect().isExternalReference(column))"
      }
  }

  /// The columns that may refer to files, with their tables, quoted.
  private var columns: [(table: String, column: String)] {
    let dialect = SQLiteDialect()
    return database.tables.filter { !$0.isShared }.flatMap { table in
      ExternalTables.columns(of: table).map { (dialect.quoted(table.name), dialect.quoted($0.name)) }
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
