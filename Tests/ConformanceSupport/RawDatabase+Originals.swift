extension RawDatabase {
  /// The statement that creates the table of originals: values that differ from the form in which their column stores
  /// them. The library runs it when it stores the first original.
  package static let originalsTable = """
    CREATE TABLE IF NOT EXISTS _osd_originals ("table" TEXT NOT NULL, key INTEGER NOT NULL, "column" TEXT NOT NULL, \
    original NOT NULL, PRIMARY KEY ("table", key, "column")) WITHOUT ROWID
    """

  /// The rows of a query on the table of originals; no rows if the store does not have this table.
  package func originals(_ sql: String) throws -> [[String?]] {
    try rows("SELECT 1 FROM sqlite_master WHERE name = '_osd_originals'").isEmpty ? [] : rows(sql)
  }
}
