extension RawDatabase {
  /// The statement that makes the table of originals, as the library does with the first.
  package static let originalsTable = """
    CREATE TABLE IF NOT EXISTS _osd_originals ("table" TEXT NOT NULL, key INTEGER NOT NULL, "column" TEXT NOT NULL, \
    original NOT NULL, PRIMARY KEY ("table", key, "column")) WITHOUT ROWID
    """

  /// The rows of a statement on the table of originals; none in a store without that table.
  package func originals(_ sql: String) throws -> [[String?]] {
    try rows("SELECT 1 FROM sqlite_master WHERE name = '_osd_originals'").isEmpty ? [] : rows(sql)
  }
}
