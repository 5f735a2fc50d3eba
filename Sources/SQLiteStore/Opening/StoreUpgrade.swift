import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport
import SQLEngine

/// Upgrades a store of an older format to the current one, in the caller's transaction.
///
/// The schema stays. Only the layout of its tables changes.
struct StoreUpgrade {
  let handle: SQLiteHandle
  let path: String
  /// The format that the store has.
  let format: Int64
  /// What the store says about its schema.
  let schemaJSON: String

  /// - Parameter files: The files of the transaction.
  /// - Throws: `SwiftDataError.modelValidationFailure` for rows that the newer format has no room for, and
  ///   `SwiftDataError.corruptValue` for values that cannot be read.
  func run(_ files: MigratedFiles) throws {
    if format < 2 {
      try orderTexts()
      // Not-a-number came last before.
      try handle.execute("REINDEX \(DecimalCollation.name)")
    }
    if format < 3 { try takeValuesOutOfFiles(files) }
    try handle.execute("PRAGMA user_version = \(StoreFormat.version)")
  }

  // MARK: To format 2

  /// Texts in indexes got the order of Swift's texts. What has it already is left alone: some stores did before the format
  /// had a number for it.
  private func orderTexts() throws {
    let dialect = SQLiteDialect()
    let stored = try MigrationSchema(storedJSON: schemaJSON, path: path)
    let definition = SchemaDefinition(dialect: dialect)
    for table in SQLiteDialect.mapping(of: stored.layouts).tables {
      for (index, sql) in zip(table.indexes, definition.indexes(of: table)) where try !has(index, sql) {
        try handle.execute("DROP INDEX IF EXISTS \(dialect.quoted(index.name))")
        try make(index, sql, of: table)
      }
    }
  }

  private func has(_ index: IndexMapping, _ sql: String) throws -> Bool {
    let statement = try SQLiteStatement("SELECT sql FROM sqlite_master WHERE type = 'index' AND name = ?1", on: handle)
    try statement.bind(index.name, at: 1)
    return try statement.step() && statement.text(0) == sql
  }

  private func make(_ index: IndexMapping, _ sql: String, of table: TableMapping) throws {
    do {
      try handle.execute(sql)
    } catch let error as SwiftDataError {
      guard let cause = error.underlyingError as? SQLiteError, SQLiteConstraint.isUniqueness(cause.code) else {
        throw error
      }
      throw SwiftDataError(
        .modelValidationFailure,
        "The store at \(path) has format \(format), in which texts were told apart by their bytes. "
          + "\(table.entity.name) is unique by \(index.columns.joined(separator: ", ")), and \(try alike(index, table)) "
          + "are the same text in different spellings. Change all but one of each with the version that wrote the "
          + "store; it has not been changed.",
        underlying: cause)
    }
  }

  /// Values that are the same text, in words.
  private func alike(_ index: IndexMapping, _ table: TableMapping) throws -> String {
    let dialect = SQLiteDialect()
    let columns = index.columns.map { dialect.quoted($0) }
    let keys = columns.joined(separator: ", ")
    let tests = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let statement = try SQLiteStatement(
      "SELECT group_concat(quote(\(columns[0])), ', ') FROM \(dialect.quoted(table.name)) WHERE \(tests) "
        + "GROUP BY \(keys) HAVING count(*) > 1 LIMIT 5", on: handle)
    var found: [String] = []
    while try statement.step() { found.append(statement.text(0) ?? "") }
    return found.joined(separator: "; ")
  }
}
