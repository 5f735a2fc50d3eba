#if PostgreSQL
  import Foundation
  import PersistenceHistory
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// The statements on the history of one store. The texts of the statements that saves use are created once.
  struct PostgresHistoryStatements: Sendable {
    let table: PostgresHistoryTable
    let tombstones: PostgresTombstoneTable
    private let take: StatementText
    private let appending: [Appending: StatementText]
    private let isFirstTooOld: StatementText
    private let place: [PostgresStatement]

    init(_ database: DatabaseMapping, dialect: PostgresDialect) {
      table = PostgresHistoryTable(dialect: dialect)
      tombstones = PostgresTombstoneTable(database, dialect: dialect, number: table.taken)
      take = StatementText(table.take)
      let table = table
      appending = Dictionary(
        uniqueKeysWithValues: [false, true].flatMap { isTaken in
          [
            (Appending(isTaken: isTaken, looks: false), StatementText(table.append(isTaken: isTaken))),
            (Appending(isTaken: isTaken, looks: true), StatementText(table.appendAndLook(isTaken: isTaken))),
          ]
        })
      isFirstTooOld = StatementText(table.isFirstTooOld)
      place = table.place.map { PostgresStatement($0) }
    }

    struct Appending: Hashable, Sendable {
      /// Whether the session has already reserved the number of the record.
      let isTaken: Bool
      /// Whether the statement determines up to which number the history is complete.
      let looks: Bool
    }

    /// The statements that create the tables.
    var definition: [String] { table.definition + [tombstones.definition] }

    /// Reserves the number of a record that the transaction adds later.
    var taking: PostgresStatement { PostgresStatement(take) }

    /// Adds a record.
    ///
    /// - Parameter place: The number up to which the history is known to be complete.
    func append(_ record: HistoryRecord, _ kind: Appending, behind place: Int64) throws -> PostgresStatement {
      var parameters = PostgresParameters(capacity: 5)
      if let author = record.author {
        try parameters.append(StoredText.form(of: author))
      } else {
        parameters.appendNull(.text)
      }
      try parameters.append(PostgresHistoryWriter.program)
      try parameters.append(PostgresHistoryWriter.process)
      parameters.append(bytes: record.json[...], as: .json)
      if kind.looks { parameters.append(place) }
      return PostgresStatement(appending[kind] ?? StatementText(""), parameters)
    }

    /// Queries whether the first record is older than an age in seconds.
    func askingAge(_ age: Double) -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(age)
      return PostgresStatement(isFirstTooOld, parameters)
    }

    /// The statement that stores the values of rows before they are deleted; nil if the table has none to store.
    func keeping(_ keys: [Int64], of name: String) -> PostgresStatement? {
      guard !keys.isEmpty, let sql = tombstones.keep(of: name) else { return nil }
      return PostgresStatement(sql, Self.list(keys))
    }

    /// Deletes records, and the stored values of the rows whose deletion these records describe.
    func deleting(_ numbers: [Int64]) -> [PostgresStatement] {
      [table.empty, table.removeFollowed, tombstones.delete].map { PostgresStatement($0, Self.list(numbers)) }
    }

    /// Deletes all records and all values. Only the last record's number is kept.
    var erasure: [PostgresStatement] { (table.deleteAll + [tombstones.deleteAll]).map { PostgresStatement($0) } }

    private static func list(_ numbers: [Int64]) -> PostgresParameters {
      var parameters = PostgresParameters()
      parameters.append(keys: numbers)
      return parameters
    }

    // MARK: Reading

    /// The number up to which the history is complete. Running transactions may add records with higher numbers.
    ///
    /// If the connection is in a transaction, the records of this transaction are ignored.
    ///
    /// - Returns: That number, and the last assigned number.
    /// - Throws: `SwiftDataError.storeFailure` on a standby, which does not know the locks of sessions on the primary.
    func place(on connection: PostgresConnection) throws -> (complete: Int64, given: Int64) {
      let results = try connection.run(place)
      guard results.count == 2, let given = results[0].integer(0, 0) else { return (0, 0) }
      guard results[1].integer(0, 1) == 0 else {
        throw SwiftDataError(
          .storeFailure,
          "The history of the store at \(connection.location) cannot be read from a server that follows another one. Read it "
            + "from the primary server.")
      }
      return (max(0, min(given, results[1].integer(0, 0) ?? given)), given)
    }
  }

  enum PostgresHistoryWriter {
    static let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    static let process = "\(ProcessInfo.processInfo.processIdentifier)"
  }
#endif
