import CSQLite
import Foundation
import PersistenceHistory
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine: HistoryEngine {
  /// False during a migration: a stage may change entities and properties whose names the new schema does not have.
  package var keepsHistory: Bool { configuration.history != nil && !isMigrating }

  package func history(_ request: HistoryRequest, in transaction: (any StoreTransaction)?) throws -> HistoryExtract {
    try withConnection(of: transaction) { connection in
      try connection.inOneSnapshot { try connection.history(request) }
    }
  }

  package func tombstones(
    of entity: EntityLayout, numbers: ClosedRange<Int64>, in transaction: (any StoreTransaction)?,
    _ body: (EngineRows, _ numberColumn: Int32) throws -> Void
  ) throws {
    let mask = entity.preservedMask
    guard mask != 0 else { return }
    try withConnection(of: transaction) { connection in
      // Any statement makes the connection reread a schema that another connection has changed.
      try connection.withStatement(OriginalsTable.anyStatement) { _ = try $0.step() }
      guard connection.handle.knowsTable(TombstoneTable.name) else { return }
      let query = try TombstoneQuery(connection.database.table(for: entity), mask: mask)
      try connection.withStatement(query.sql) { statement in
        try statement.bind(numbers.lowerBound, at: 1)
        try statement.bind(numbers.upperBound, at: 2)
        try body(rows(of: statement), query.numberColumn)
      }
    }
  }
}

extension SQLiteConnection {
  /// Runs several reads in one snapshot, so that all of them see the same commits.
  func inOneSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    guard !handle.isInTransaction else { return try body() }
    try beginSnapshot()
    defer { endSnapshot() }
    return try body()
  }

  func history(_ request: HistoryRequest) throws -> HistoryExtract {
    var extract = HistoryExtract()
    // Any statement makes the connection reread a schema that another connection has changed.
    try withStatement(OriginalsTable.anyStatement) { _ = try $0.step() }
    guard handle.knowsTable(HistoryTable.name) else {
      extract.isComplete = request.after == 0
      return extract
    }
    try withStatement(HistoryTable.ends) { statement in
      guard try statement.step() else { return }
      // Numbers begin at 1. A lower number was written by another program.
      if sqlite3_column_type(statement.pointer, 0) != SQLITE_NULL { extract.first = max(1, statement.integer(0)) }
      extract.last = max(0, statement.integer(1))
    }
    let end = min(extract.last, request.through ?? .max)
    let count = try withStatement(HistoryTable.count) { statement in
      try statement.bind(request.after, at: 1)
      try statement.bind(end, at: 2)
      return try statement.step() ? statement.integer(0) : 0
    }
    extract.isComplete = count == max(0, max(0, end) - request.after)
    extract.entries = try entries(request)
    return extract
  }

  private func entries(_ request: HistoryRequest) throws -> [HistoryEntry] {
    let test: HistoryTable.AuthorTest =
      switch request.author {
      case nil: .any
      case .some(.none): .none
      case .named: .named
      }
    return try withStatement(HistoryTable.select(test, isReversed: request.takesLast)) { statement in
      try statement.bind(request.after, at: 1)
      try statement.bind(request.through ?? .max, at: 2)
      try statement.bind(request.since ?? -.infinity, at: 3)
      try statement.bind(request.until ?? .infinity, at: 4)
      try statement.bind(Int64(request.limit ?? -1), at: 5)
      if case .named(let author) = request.author { try statement.bind(author, at: 6) }
      var entries: [HistoryEntry] = []
      while try statement.step() {
        entries.append(
          HistoryEntry(
            number: statement.integer(0), time: statement.real(1), author: statement.text(2),
            program: statement.text(3) ?? "", process: statement.text(4) ?? "", changes: statement.text(5) ?? "",
            mark: HistoryEntry.Mark(rawValue: statement.integer(6))))
      }
      return request.takesLast ? entries.reversed() : entries
    }
  }
}

/// The statement that reads the stored values of deleted rows. It returns the columns of the properties in `mask`, in
/// the same order as in rows of the entity.
private struct TombstoneQuery {
  let sql: String
  /// The index of the column with the number of the record. The columns of the properties precede it.
  let numberColumn: Int32

  init(_ table: TableMapping, mask: UInt64) {
    let dialect = SQLiteDialect()
    // Values that were stored before an entity or property was renamed are listed under its former name.
    let names = Set([table.name, table.entity.originalName].map(StoredText.form)).sorted()
    let columns = table.entity.properties.filter { $0.bit & mask != 0 }.flatMap { property in
      table.columns(of: property.position).map { column -> String in
        let former = property.attribute.map(\.originalName).flatMap { $0.isEmpty ? nil : $0 }
        let replaced = former.map { StoredText.form(of: $0) + column.name.dropFirst(property.name.count) }
        let known = Set([column.name, replaced ?? column.name]).sorted().map { dialect.literal(.text($0)) }
        return "max(CASE WHEN \"column\" IN (\(known.joined(separator: ", "))) THEN value END)"
      }
    }
    numberColumn = Int32(columns.count + 1)
    let list = names.map { dialect.literal(.text($0)) }.joined(separator: ", ")
    sql =
      "SELECT \((["key"] + columns + ["number"]).joined(separator: ", ")) FROM \(TombstoneTable.name) "
      + "WHERE number BETWEEN ?1 AND ?2 AND \"table\" IN (\(list)) GROUP BY number, key ORDER BY number, key"
  }
}
