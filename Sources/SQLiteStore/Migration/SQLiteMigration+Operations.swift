import CSQLite
import CSQLiteShim
import Foundation
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

extension SQLiteMigration {
  /// How many consecutive keys one statement processes. Progress is reported between two statements.
  private static let portion: Int64 = 50_000

  func run(_ operation: MigrationOperation) throws {
    switch operation {
    case .run(let sql, _), .refer(_, let sql): try run(sql, rows: estimate.rows(of: operation))
    case .copy(let copy): try run(copy)
    case .fill(let fill): try run(fill)
    case .reseal(let reseal): try run(reseal)
    case .makeUnique(let test): try run(test, rows: estimate.rows(of: operation))
    case .refuse(let refusal): try run(refusal)
    case .originals(let sql): try runOnOriginals(sql)
    case .defaultOriginals(let sql, _): try storeDefaultOriginals(sql, rows: estimate.rows(of: operation))
    }
  }

  private func run(_ sql: String, rows: Int) throws {
    try handle.execute(sql)
    if rows > 0 { try reporter.advance(rows) }
  }

  private func run(_ copy: RowCopy) throws {
    let dialect = SQLiteDialect()
    let statement = try SQLiteStatement(copy.sql(isPart: true, dialect: dialect), on: handle)
    try forEachPortion(of: copy.source) { first, last in
      try statement.bind(first, at: 1)
      try statement.bind(last, at: 2)
      try statement.run()
      try reporter.advance(Int(sqlite3_changes64(handle.pointer)))
    }
  }

  /// Calls the closure for ranges that together contain all rows of a table, with the first and last key of each range.
  private func forEachPortion(of table: String, _ body: (Int64, Int64) throws -> Void) throws {
    let (name, key) = (SQLiteDialect().quoted(table), SQLiteDialect().quoted(DatabaseMapping.keyColumn))
    guard let last = try connection.number("SELECT max(\(key)) FROM \(name)"),
      var first = try connection.number("SELECT min(\(key)) FROM \(name)")
    else { return }
    let following = try SQLiteStatement("SELECT min(\(key)) FROM \(name) WHERE \(key) > ?1", on: handle)
    // Keys are usually consecutive. After a gap, a query finds the next key.
    while true {
      // Other programs may assign keys of any size, so the sum may overflow.
      let (end, isOver) = first.addingReportingOverflow(Self.portion - 1)
      try body(first, isOver ? last : min(end, last))
      guard !isOver, end < last else { return }
      try following.bind(end, at: 1)
      guard try following.step() else { return following.giveBack() }
      first = following.integer(0)
      following.giveBack()
    }
  }

  // MARK: Values that differ per row

  private func run(_ fill: RowFill) throws {
    let update = try SQLiteStatement(fill.sql(dialect: SQLiteDialect()), on: handle)
    let columns = DefaultColumns(of: fill.property, in: fill.entity, schema: fill.schema, cipher: cipher)
    try forEachRow(of: fill.table, columns: [], test: fill.test) { row in
      let key = row.integer(0)
      let fresh = try columns.freshValues()
      for (index, value) in (fresh?.values ?? []).enumerated() { try update.bind(value, at: Int32(index + 1)) }
      try update.bind(key, at: Int32(fill.columns.count + 1))
      try update.run()
      for (index, original) in fresh?.originals ?? [:] where fill.columns.indices.contains(index) {
        try connection.storeOriginal(
          original, inTableNamed: fill.table, key: key, column: fill.columns[index].name)
      }
    }
  }

  private func run(_ reseal: RowReseal) throws {
    let update = try SQLiteStatement(reseal.sql(dialect: SQLiteDialect()), on: handle)
    let files = OutOfRowValueChange.Files(take: external.take) { [external] bytes in
      bytes.count > ExternalTransaction.largestInline ? try external.keep(bytes) : nil
    }
    let resealing = OutOfRowValueChange(
      of: reseal.name, from: reseal.old, to: reseal.new, widened: reseal.widened, cipher: cipher, files: files)
    let originals = try ResealedOriginals(reseal, on: connection)
    try forEachRow(of: reseal.table, columns: [reseal.column], test: reseal.test) { row in
      let stored = row.value(1)
      // Skips rows that have the new default. Encryption is randomised, so no other value has the same bytes.
      guard stored != .null, stored != reseal.standard else { return }
      let key = row.integer(0)
      let value = try resealing.changed(originals.value(of: stored, row: key), row: key)
      try update.bind(try originals.store(value, row: key), at: 1)
      try update.bind(key, at: 2)
      try update.run()
    }
    try external.sync()
  }

  /// Calls the closure with the key and the given columns of each row that meets a test.
  ///
  /// Rows are read in batches. The statement is reset before each batch, because the closure may change rows.
  private func forEachRow(
    of table: String, columns: [String], test: String?, _ body: (SQLiteStatement) throws -> Void
  ) throws {
    let dialect = SQLiteDialect()
    let key = dialect.quoted(DatabaseMapping.keyColumn)
    let list = ([key] + columns.map(dialect.quoted)).joined(separator: ", ")
    let tests = ["\(key) >= ?1", "\(key) <= ?2", test].compactMap { $0 }.joined(separator: " AND ")
    let rows = try SQLiteStatement("SELECT \(list) FROM \(dialect.quoted(table)) WHERE \(tests)", on: handle)
    try forEachPortion(of: table) { first, last in
      let lease = try rows.lease()
      defer { lease.giveBack() }
      try lease.bind(first, at: 1)
      try lease.bind(last, at: 2)
      var count = 0
      while try lease.step() {
        try body(lease)
        count += 1
      }
      try reporter.advance(count)
    }
  }

  // MARK: Tests

  private func run(_ test: UniquenessTest, rows count: Int) throws {
    do {
      try run(test.sql, rows: count)
    } catch let error as SwiftDataError {
      guard let cause = error.underlyingError as? SQLiteError, SQLiteConstraint.isUniqueness(cause.code) else {
        throw error
      }
      throw test.error(try rows(test.duplicates, columns: test.columns.count + 1), cause: cause)
    }
  }

  private func run(_ refusal: RowRefusal) throws {
    if let error = refusal.error(try rows(refusal.query, columns: 2)) { throw error }
  }

  private func rows(_ sql: String, columns: Int) throws -> [[StoredValue]] {
    let statement = try SQLiteStatement(sql, on: handle)
    var found: [[StoredValue]] = []
    while try statement.step() { found.append((0..<columns).map { statement.value(Int32($0)) }) }
    return found
  }
}

extension SQLiteStatement {
  func bind(_ value: StoredValue, at index: Int32) throws {
    switch value {
    case .null: try check(sqlite3_bind_null(pointer, index))
    case .integer(let number): try bind(number, at: index)
    case .real(let number): try bind(number, at: index)
    case .text(let text): try bind(text, at: index)
    case .blob(let data):
      try check(data.withUnsafeBytes { osd_sqlite_bind_blob_copy(pointer, index, $0.baseAddress, $0.count) })
    }
  }

  /// The stored value of a column.
  func value(_ column: Int32) -> StoredValue {
    switch sqlite3_column_type(pointer, column) {
    case SQLITE_INTEGER: return .integer(integer(column))
    case SQLITE_FLOAT: return .real(real(column))
    case SQLITE_TEXT: return .text(text(column) ?? "")
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(pointer, column))
      guard let bytes = sqlite3_column_blob(pointer, column) else { return .blob(Data()) }
      return .blob(Data(bytes: bytes, count: count))
    default: return .null
    }
  }
}
