import PersistenceRuntime
import SQLEngine

/// The value in a row that references an external file: the file's number and its size in bytes.
///
/// The reference is text. All other values of its column are blobs, so bytes are never mistaken for a reference.
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

/// The references to files in a store's tables: references in rows, and references that are listed for removal.
///
/// The sequence table contains the number of the next file. The number may be too low if another program has restored
/// the store without this table. Files of rows would then be treated as leftovers of a crash, or be overwritten.
/// Therefore, before a file with this or a greater number is removed or written, the rows are searched for its
/// reference.
struct ExternalReferences {
  private let connection: SQLiteConnection
  private let database: DatabaseMapping

  /// - Parameter database: The tables of the store; nil for the tables of the connection.
  init(_ connection: SQLiteConnection, database: DatabaseMapping? = nil) {
    self.connection = connection
    self.database = database ?? connection.database
  }

  /// The number after the greatest number of all references, which one scan of the rows finds.
  func nextNumber() throws -> Int64 {
    let greatest = try sources.reduce(0) { try max($0, connection.number($1) ?? 0) }
    // The sum cannot overflow. `ExternalTransaction.keep` checks whether all numbers are used up.
    return min(greatest, .max - 1) + 1
  }

  /// The numbers from `first` on that occur in references of rows, which one scan of the rows finds.
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

  /// A query for each column that may have references, and one for the removal list. CAST reads a reference's number.
  private var sources: [String] {
    let list = "SELECT max(CAST(reference AS INTEGER)) FROM \(ExternalTables.superfluous)"
    return [list]
      + columns.map { table, column in
        "SELECT max(CAST(\(column) AS INTEGER)) FROM \(table) WHERE \(SQLiteDialect().isExternalReference(column))"
      }
  }

  /// The tables and columns that may contain references to external files, as quoted names.
  private var columns: [(table: String, column: String)] {
    let dialect = SQLiteDialect()
    return database.tables.filter { !$0.isShared }.flatMap { table in
      ExternalTables.columns(of: table).map { (dialect.quoted(table.name), dialect.quoted($0.name)) }
    }
  }
}

extension SQLiteConnection {
  /// A number that no file of the store has ever had. If the number in the sequence table is too low, the open
  /// transaction corrects it.
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
