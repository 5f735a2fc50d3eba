#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// Encrypts the values of a table again, with the current key, in a transaction.
  struct PostgresSealedRows {
    /// The maximum number of bytes of values that one transaction reads.
    private static let greatestBatch: Int64 = 16 << 20

    private let table: SealedTable
    private let transaction: PostgresTransaction
    private let cipher: any ValueCipher
    private let key: String
    private let columns: [String]
    private let name: String

    init(_ table: SealedTable, transaction: PostgresTransaction, cipher: any ValueCipher) {
      self.table = table
      self.transaction = transaction
      self.cipher = cipher
      let dialect = transaction.dialect
      key = dialect.quoted(DatabaseMapping.keyColumn)
      columns = table.columns.map { dialect.quoted($0.name) }
      name = dialect.table(table.name)
    }

    /// Re-encrypts the next rows.
    ///
    /// - Parameters:
    ///   - first: The lowest primary key to read.
    ///   - transaction: A transaction ID. Rows that were last changed before it are skipped; nil for all rows.
    func run(from first: Int64, limit: Int, changedSince transaction: Int64?) throws -> SealedTable.Batch {
      let statement = sizes(from: first, limit: limit, changedSince: transaction)
      guard let found = try self.transaction.run([statement]).first else { return SealedTable.Batch() }
      var keys: [Int64] = []
      var bytes: Int64 = 0
      for row in 0..<found.rowCount {
        guard let key = found.integer(row, 0) else { continue }
        bytes += found.integer(row, 1) ?? 0
        if !keys.isEmpty, bytes > Self.greatestBatch { break }
        keys.append(key)
      }
      var batch = SealedTable.Batch()
      batch.rows = keys.count
      batch.last = keys.count < limit && keys.count == found.rowCount ? nil : keys.last
      if !keys.isEmpty { batch.values = try reseal(keys) }
      return batch
    }

    private func sizes(from first: Int64, limit: Int, changedSince transaction: Int64?) -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(first)
      parameters.append(Int64(limit))
      let sizes = columns.map { "coalesce(octet_length(\($0)), 0)::int8" }.joined(separator: " + ")
      // A row contains only the last 32 bits of its transaction ID, so very old rows may seem new and are read too.
      let isNew = transaction.map { " AND age(xmin) <= age('\(UInt32(truncatingIfNeeded: $0))'::xid)" } ?? ""
      return PostgresStatement(
        "SELECT \(key), \(sizes) FROM \(name) WHERE \(key) >= $1::int8\(isNew) ORDER BY \(key) LIMIT $2::int8",
        parameters)
    }

    /// Re-encrypts the values of rows; returns how many were encrypted with another key.
    private func reseal(_ keys: [Int64]) throws -> Int {
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      let sql =
        "SELECT \(([key] + columns).joined(separator: ", ")) FROM \(name) WHERE \(key) = ANY ($1::int8[]) ORDER BY \(key) "
        + "FOR UPDATE"
      guard let found = try transaction.run([PostgresStatement(sql, parameters)]).first else { return 0 }
      var statements: [PostgresStatement] = []
      var count = 0
      for (index, column) in table.columns.enumerated() {
        var changes: [(key: Int64, value: StoredValue)] = []
        for row in 0..<found.rowCount {
          guard let key = found.integer(row, 0), case .blob(let bytes) = try found.value(row, index + 1),
            let other = try column.outOfRowValue.resealed(bytes, ofRow: key, with: cipher)
          else { continue }
          changes.append((key: key, value: .blob(other)))
        }
        guard !changes.isEmpty else { continue }
        count += changes.count
        statements.append(try writing(changes, columns[index]))
      }
      if !statements.isEmpty { try transaction.run(statements) }
      return count
    }

    private func writing(
      _ changes: [(key: Int64, value: StoredValue)], _ column: String
    ) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(keys: changes.map(\.key))
      try parameters.append(list: changes.map(\.value), of: .blob)
      return PostgresStatement(
        "UPDATE \(name) AS t SET \(column) = v.v FROM unnest($1::int8[], $2::bytea[]) AS v (k, v) WHERE t.\(key) = v.k",
        parameters)
    }
  }

  /// The encrypted values of deleted rows in the history. While they exist, the store needs their encryption key.
  struct PostgresSealedTombstones {
    private static let portion: Int64 = 100

    let transaction: PostgresTransaction
    let cipher: any ValueCipher

    private var name: String { transaction.dialect.table(PostgresTombstoneTable.name) }

    /// Encrypts all values with the current key, and removes the values that no known key decrypts.
    ///
    /// Waits for open transactions that have deleted rows, and blocks other deletions until this transaction ends.
    func reseal(_ tables: [SealedTable]) throws {
      try transaction.run([PostgresStatement("LOCK TABLE \(name) IN SHARE ROW EXCLUSIVE MODE")])
      for table in tables {
        for (column, outOfRow) in table.columns { try reseal(table.name, column, outOfRow) }
      }
    }

    private func reseal(_ table: String, _ column: String, _ outOfRow: OutOfRowValue) throws {
      var last = (number: Int64.min, key: Int64.min)
      while true {
        guard let found = try transaction.run([values(of: table, column, behind: last)]).first else { return }
        var statements: [PostgresStatement] = []
        for row in 0..<found.rowCount {
          guard let number = found.integer(row, 0), let key = found.integer(row, 1) else { continue }
          last = (number, key)
          let other = try change(of: found.value(row, 2), outOfRow)
          if let statement = try writing(other, number: number, key: key, table, column) {
            statements.append(statement)
          }
        }
        if !statements.isEmpty { try transaction.run(statements) }
        guard found.rowCount == Int(Self.portion) else { return }
      }
    }

    private func values(
      of table: String, _ column: String, behind last: (number: Int64, key: Int64)
    ) throws -> PostgresStatement {
      var parameters = PostgresParameters()
      parameters.append(last.number)
      parameters.append(last.key)
      try parameters.append(table)
      try parameters.append(column)
      parameters.append(Self.portion)
      return PostgresStatement(
        "SELECT \"number\", \"key\", CASE WHEN \"type\" = 'bytea' THEN \"value\"::bytea END FROM \(name) "
          + "WHERE (\"number\", \"key\") > ($1::int8, $2::int8) AND \"table\" = $3::text AND \"column\" = $4::text "
          + "ORDER BY \"number\", \"key\" LIMIT $5::int8", parameters)
    }

    private enum Change {
      case same
      case removal
      case other(Data)
    }

    /// How to change a value. A value that is not bytes is removed: it was stored before the attribute was encrypted.
    private func change(of value: StoredValue, _ outOfRow: OutOfRowValue) -> Change {
      guard case .blob(let bytes) = value else { return .removal }
      do {
        let resealed = try bytes.withUnsafeBytes {
          try cipher.resealed($0, entity: outOfRow.entity, property: outOfRow.property)
        }
        return resealed.map { Change.other($0) } ?? .same
      } catch {
        return .removal
      }
    }

    private func writing(
      _ change: Change, number: Int64, key: Int64, _ table: String, _ column: String
    ) throws -> PostgresStatement? {
      var parameters = PostgresParameters()
      parameters.append(number)
      parameters.append(key)
      try parameters.append(table)
      try parameters.append(column)
      let row = "\"number\" = $1::int8 AND \"key\" = $2::int8 AND \"table\" = $3::text AND \"column\" = $4::text"
      switch change {
      case .same: return nil
      case .removal: return PostgresStatement("DELETE FROM \(name) WHERE \(row)", parameters)
      case .other(let bytes):
        parameters.append(bytes)
        return PostgresStatement("UPDATE \(name) SET \"value\" = ($5::bytea)::text WHERE \(row)", parameters)
      }
    }
  }
#endif
