import CSQLite
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Normalises the texts of a store by the library's version of Unicode, in the caller's transaction.
///
/// Only texts with scalars newer than the store's Unicode version can have another normal form now: later versions of
/// Unicode keep the normal form of assigned scalars. Each table is scanned once, and rows without a changed text are
/// not written. A changed text is kept as the row's original, unless an existing original already has the new form.
struct UnicodeUpgrade {
  /// The row and the column of a text that is converted.
  private struct Place {
    let table: TableMapping
    let key: Int64
    let column: TextColumn
  }

  private let connection: SQLiteConnection
  private let noted: UnicodeVersion
  private let dialect = SQLiteDialect()

  /// - Parameters:
  ///   - connection: The connection with the open transaction.
  ///   - noted: The Unicode version that the store records.
  init(_ connection: SQLiteConnection, from noted: UnicodeVersion) {
    self.connection = connection
    self.noted = noted
  }

  /// - Parameter schema: The store's schema.
  /// - Throws: `SwiftDataError.modelValidationFailure` if two texts that must be unique have become equal.
  func run(_ schema: MigrationSchema) throws {
    for table in SQLiteDialect.mapping(of: schema.layouts).tables where !table.isShared {
      let columns = table.textColumns
      if !columns.isEmpty { try bring(columns, of: table) }
    }
  }

  private func bring(_ columns: [TextColumn], of table: TableMapping) throws {
    let names = [DatabaseMapping.keyColumn] + columns.map(\.name)
    // The scan is in table order, because an index scan could return updated rows again.
    let rows = try SQLiteStatement(
      "SELECT \(names.map(dialect.quoted).joined(separator: ", ")) FROM \(dialect.quoted(table.name)) NOT INDEXED",
      on: connection.handle)
    while try rows.step() {
      for (index, column) in columns.enumerated() {
        guard let stored = rows.youngText(Int32(index + 1)), noted.isOlder(than: stored) else { continue }
        try bring(stored, at: Place(table: table, key: rows.integer(0), column: column))
      }
    }
  }

  private func bring(_ stored: String, at place: Place) throws {
    let text = StoredText.original(ofForm: stored)
    let form = StoredText.form(of: text)
    guard !form.utf8.elementsEqual(stored.utf8) else { return }
    try update(place, from: stored, to: form)
    guard place.column.keepsOriginals else { return }
    if let known = try original(at: place), StoredText.form(of: known).utf8.elementsEqual(form.utf8) { return }
    try connection.storeOriginal(
      text, inTableNamed: place.table.name, key: place.key, column: place.column.name)
  }

  private func original(at place: Place) throws -> String? {
    guard try connection.tablesWithOriginals().contains(place.table.name) else { return nil }
    return try connection.withStatement(OriginalsTable.lookUp) { statement in
      try statement.bind(place.table.name, at: 1)
      try statement.bind(place.key, at: 2)
      while try statement.step() {
        if statement.text(0) == place.column.name { return statement.text(1) }
      }
      return nil
    }
  }

  private func update(_ place: Place, from stored: String, to form: String) throws {
    let sql =
      "UPDATE \(dialect.quoted(place.table.name)) SET \(dialect.quoted(place.column.name)) = ?1 "
      + "WHERE \(dialect.quoted(DatabaseMapping.keyColumn)) = ?2"
    do {
      try connection.withStatement(sql) { statement in
        try statement.bind(form, at: 1)
        try statement.bind(place.key, at: 2)
        try statement.run()
      }
    } catch let error as SwiftDataError {
      guard let cause = error.underlyingError as? SQLiteError, SQLiteConstraint.isUniqueness(cause.code) else {
        throw error
      }
      throw noted.ambiguity(
        of: stored, in: place.table, place.column, key: place.key, path: connection.handle.path, cause: cause)
    }
  }
}

extension SQLiteStatement {
  /// The text of a column if it has a scalar from U+0300 on; nil for other texts, whose normal form never changes.
  fileprivate func youngText(_ column: Int32) -> String? {
    guard sqlite3_column_type(pointer, column) == SQLITE_TEXT, let start = sqlite3_column_text(pointer, column) else {
      return nil
    }
    // SQLite's buffer is valid until the next step.
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column)))
    return bytes.contains { $0 >= 0xCC } ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
