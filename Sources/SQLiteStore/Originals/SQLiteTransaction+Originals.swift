import CSQLiteShim
import PersistenceRuntime
import PersistenceSupport
import SQLEngine

// The originals of rows that a transaction writes or deletes. Where no value has one and the table none is asked for
// what it has nothing runs.

extension SQLiteConnection {
  /// Stores the originals of a batch of rows that were written.
  ///
  /// - Parameters:
  ///   - column: The column of a parameter.
  ///   - key: The key of the row; nil for those of the notes.
  func storeOriginals(in table: TableMapping, ofRow key: Int64? = nil, column: (Int) -> ColumnMapping?) throws {
    let notes = originals.take()
    guard !notes.isEmpty else { return }
    handle.originals.tables.insert(table.name)
    try withStoringStatement { statement in
      for note in notes {
        guard let column = column(Int(note.parameter)) else { continue }
        try statement.store(note.original, table: table.name, key: key ?? note.key, column: column.name)
      }
    }
  }

  /// Stores one original.
  func storeOriginal(_ original: String, inTableNamed table: String, key: Int64, column: String) throws {
    handle.originals.tables.insert(table)
    try withStoringStatement { try $0.store(original, table: table, key: key, column: column) }
  }

  /// Removes the originals of rows.
  ///
  /// - Parameter columns: The columns; nil for all.
  func removeOriginals(ofTableNamed table: String, keys: [Int64], columns: [String]? = nil) throws {
    guard !keys.isEmpty, columns?.isEmpty != true else { return }
    try withStatement(OriginalsTable.statements.remove(columns: columns)) { statement in
      try statement.bind(table, at: 1)
      try statement.bind(PackedList(keys: keys), at: 2)
      defer { statement.clearBindings() }
      try statement.run()
    }
  }

  private func withStoringStatement(_ body: (SQLiteStatement) throws -> Void) throws {
    do {
      try withStatement(OriginalsTable.store, body)
    } catch  where OriginalsTable.isMissing(error) {
      // It fails before anything is stored.
      try handle.execute(OriginalsTable.creation)
      try withStatement(OriginalsTable.store, body)
    }
  }
}

extension SQLiteStatement {
  /// Runs the statement that stores an original. A text with U+0000 is stored as bytes.
  func store(_ original: String, table: String, key: Int64, column: String) throws {
    try bind(table, at: 1)
    try bind(key, at: 2)
    try bind(column, at: 3)
    var original = original
    try check(
      original.withUTF8 { bytes in
        bytes.contains(0)
          ? osd_sqlite_bind_blob_copy(pointer, 4, bytes.baseAddress, bytes.count)
          : osd_sqlite_bind_text_copy(pointer, 4, bytes.baseAddress, bytes.count)
      })
    try run()
  }
}

extension SQLiteTransaction {
  /// Runs a deletion, and removes the originals of all rows that it deletes, by the rules of references too.
  func removingOriginals<Result>(
    on connection: SQLiteConnection, _ delete: () throws -> Result
  ) throws -> Result {
    // What watches rows already removes their originals at its end.
    guard !isWatchingRows, try !connection.tablesWithOriginals().isEmpty else { return try delete() }
    let watch = RowWatch()
    let result = try connection.handle.watchingRows(watch, delete)
    try removeOriginals(ofRowsIn: watch, on: connection)
    return result
  }

  /// Removes the originals of deleted rows.
  func removeOriginals(ofRowsIn watch: RowWatch, on connection: SQLiteConnection) throws {
    for table in try connection.tablesWithOriginals() {
      let deleted = watch.rows(ofTableNamed: table).deleted
      try connection.removeOriginals(ofTableNamed: table, keys: deleted.sorted())
    }
  }
}
