#if PostgreSQL
  import Foundation
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  extension PostgresMigration {
    /// The maximum number of rows whose values are read at a time.
    private static let longestPart = 500
    /// The maximum number of bytes of values that are read at a time.
    private static let greatestPart: Int64 = 16 << 20

    /// Encrypts or decrypts the values of a column, or encrypts them again for another property. If a column is
    /// encrypted neither before nor after, there is nothing to do: values with external storage are in the rows too.
    func run(_ reseal: RowReseal) throws {
      guard reseal.old?.isEncrypted == true || reseal.new?.isEncrypted == true else { return }
      let column = ResealedColumn(reseal, cipher: cipher, dialect: dialect)
      try forEachPortion(of: reseal.table) { range in
        let found = try connection.run(PostgresStatement(column.sizes, range))
        var part: [Int64] = []
        var bytes: Int64 = 0
        for row in 0..<found.rowCount {
          guard let key = found.integer(row, 0), let size = found.integer(row, 1) else { continue }
          if !part.isEmpty, part.count == Self.longestPart || bytes + size > Self.greatestPart {
            try self.reseal(part, column)
            (part, bytes) = ([], 0)
          }
          part.append(key)
          bytes += size
        }
        if !part.isEmpty { try self.reseal(part, column) }
        try reporter.advance(found.rowCount)
      }
    }

    private func reseal(_ keys: [Int64], _ column: ResealedColumn) throws {
      var parameters = PostgresParameters()
      parameters.append(keys: keys)
      let found = try connection.run(PostgresStatement(column.values, parameters))
      var changes = ResealedColumn.Changes()
      for row in 0..<found.rowCount { try column.change(found, row, &changes) }
      let statements = try column.statements(for: changes)
      if !statements.isEmpty { try connection.run(statements, undoes: false) }
    }

    /// Removes values of deleted rows that the new schema cannot read, or that are plain in a newly encrypted column.
    func remove(_ outdated: OutdatedTombstones) throws {
      guard !outdated.columns.isEmpty else { return }
      let sql =
        "DELETE FROM \(dialect.table(PostgresTombstoneTable.name)) WHERE \"table\" = $1::text AND \"column\" = $2::text"
      let statements = try outdated.columns.map { column in
        var parameters = PostgresParameters()
        try parameters.append(column.table)
        try parameters.append(column.name)
        return PostgresStatement(sql, parameters)
      }
      try connection.run(statements, undoes: false)
    }
  }

  /// A column whose values are encrypted, decrypted, or encrypted for another property.
  ///
  /// The original value is encrypted, not its stored form. Then the readable original is removed from the row.
  private struct ResealedColumn {
    struct Changes {
      var keys: [Int64] = []
      var values: [StoredValue] = []
      /// The keys of the rows whose original is removed.
      var withoutOriginal: [Int64] = []
      var originals: [(key: Int64, column: String, original: String)] = []
    }

    private let reseal: RowReseal
    private let encoding: OutOfRowValueChange
    private let dialect: PostgresDialect

    init(_ reseal: RowReseal, cipher: (any ValueCipher)?, dialect: PostgresDialect) {
      self.reseal = reseal
      self.dialect = dialect
      encoding = OutOfRowValueChange(
        of: reseal.name, from: reseal.old, to: reseal.new, widened: reseal.widened, cipher: cipher)
    }

    private var key: String { dialect.quoted(DatabaseMapping.keyColumn) }
    private var table: String { dialect.table(reseal.table) }
    private var originals: PostgresOriginals { PostgresOriginals(dialect: dialect) }

    /// Selects the key and the size of the value of each row with a key from parameter 1 to parameter 2.
    var sizes: String {
      let tests = ["\(key) >= $1::int8", "\(key) <= $2::int8", reseal.test].compactMap { $0 }
      return "SELECT \(key), octet_length(\(dialect.quoted(reseal.column)))::int8 FROM \(table) "
        + "WHERE \(tests.joined(separator: " AND ")) ORDER BY \(key)"
    }

    /// Selects the key, the value and the original of each row whose key is in the list in parameter 1.
    var values: String {
      let original = reseal.old?.isEncrypted == true ? "NULL::text" : originals.value(of: reseal.column)
      return "SELECT \(key), \(dialect.quoted(reseal.column)), \(original) FROM \(table) "
        + "WHERE \(key) = ANY ($1::int8[])"
    }

    // MARK: Values

    /// Computes the new value of a row.
    func change(_ result: PostgresResult, _ row: Int, _ changes: inout Changes) throws {
      guard let key = result.integer(row, 0), case .blob(let bytes) = try result.value(row, 1), !isStandard(bytes)
      else { return }
      var stored = StoredValue.blob(bytes)
      if let type = reseal.oldPlain {
        guard let value = PlainBytes.value(of: bytes, type) else { throw corrupt(key) }
        stored = value
      }
      if let digits = result.text(row, 2) {
        changes.withoutOriginal.append(key)
        if let original = PostgresOriginals.bytes(ofDigits: digits) {
          stored = Self.value(of: stored, original: String(decoding: original, as: UTF8.self))
        }
      }
      let value = try form(of: encoding.changed(stored, row: key), key, &changes)
      changes.keys.append(key)
      changes.values.append(value)
    }

    /// Returns true if the value is the new default, written when the row was copied. Such a value needs no change.
    ///
    /// Each encryption of a value has another result, so an encrypted value never equals a default.
    private func isStandard(_ bytes: Data) -> Bool {
      guard let standard = reseal.standard else { return false }
      return (reseal.newPlain.map { PlainBytes.value(of: bytes, $0) } ?? .blob(bytes)) == standard
    }

    /// The value as it was saved, from its stored form and its recorded original.
    private static func value(of stored: StoredValue, original: String) -> StoredValue {
      switch stored {
      case .text(let form) where form.utf8.elementsEqual(StoredText.form(of: original).utf8): .text(original)
      case .real(0) where original == OriginalNotes.negativeZero: .real(-0.0)
      default: stored
      }
    }

    /// The form of a value in the column. If a plain value differs from its stored form, its original is recorded.
    private func form(of value: StoredValue, _ key: Int64, _ changes: inout Changes) throws -> StoredValue {
      guard reseal.new?.isEncrypted != true else { return value }
      var form = value
      var original: String?
      switch value {
      case .text(let text) where reseal.hasOriginals:
        if let differing = StoredText.differingForm(of: text) { (form, original) = (.text(differing), text) }
      case .real(let number) where number == 0 && number.sign == .minus:
        (form, original) = (.real(0), OriginalNotes.negativeZero)
      default: break
      }
      if let original { changes.originals.append((key: key, column: reseal.column, original: original)) }
      guard let type = reseal.newPlain else { return form }
      guard let bytes = PlainBytes.bytes(of: form, type) else { throw corrupt(key) }
      return .blob(bytes)
    }

    private func corrupt(_ key: Int64) -> SwiftDataError {
      SwiftDataError(
        .corruptValue, "\(reseal.name) of row \(key) has what is none of its values; restore the store from a backup")
    }

    // MARK: Statements

    func statements(for changes: Changes) throws -> [PostgresStatement] {
      guard !changes.keys.isEmpty else { return [] }
      let column = dialect.quoted(reseal.column)
      var parameters = PostgresParameters()
      parameters.append(keys: changes.keys)
      try parameters.append(list: changes.values, of: .blob)
      var statements = [
        PostgresStatement(
          "UPDATE \(table) AS t SET \(column) = v.v FROM unnest($1::int8[], $2::bytea[]) AS v (k, v) WHERE t.\(key) = v.k",
          parameters)
      ]
      if !changes.withoutOriginal.isEmpty {
        statements.append(
          originals.removing(reseal.column, ofTable: reseal.table, keys: changes.withoutOriginal))
      }
      return try statements + originals.storing(changes.originals, in: reseal.table)
    }
  }
#endif
