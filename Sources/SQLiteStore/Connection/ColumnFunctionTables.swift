import CSQLite
import CSQLiteShim
import PersistenceRuntime

/// SQLite's own functions on columns, in the tables that the loops of models call through.
///
/// Unsafe because the tables are handed out as pointers. They are made once and never freed nor changed, so that any
/// thread may read them at any time.
enum ColumnFunctionTables {
  nonisolated(unsafe) static let read = allocate(
    ColumnReadFunctions(
      step: sqlite3_step, rowCode: SQLITE_ROW, doneCode: SQLITE_DONE, storageClass: sqlite3_column_type,
      integer: sqlite3_column_int64, real: sqlite3_column_double, text: sqlite3_column_text,
      blob: sqlite3_column_blob, count: sqlite3_column_bytes))

  /// For a statement that has no more rows: another step would begin it again.
  nonisolated(unsafe) static let none = allocate(
    ColumnReadFunctions(
      step: { _ in SQLITE_DONE }, rowCode: SQLITE_ROW, doneCode: SQLITE_DONE, storageClass: sqlite3_column_type,
      integer: sqlite3_column_int64, real: sqlite3_column_double, text: sqlite3_column_text,
      blob: sqlite3_column_blob, count: sqlite3_column_bytes))

  nonisolated(unsafe) static let insert = allocate(write(step: osd_sqlite_step_write))
  nonisolated(unsafe) static let update = allocate(write(step: osd_sqlite_step_update))

  nonisolated(unsafe) static let upsert = allocate(write(step: osd_sqlite_step_upsert))

  private static func write(
    step: @escaping @convention(c) @Sendable (OpaquePointer?) -> Int32
  ) -> ColumnWriteFunctions {
    ColumnWriteFunctions(
      null: sqlite3_bind_null, integer: sqlite3_bind_int64, real: sqlite3_bind_double, text: osd_sqlite_bind_text,
      blob: osd_sqlite_bind_blob, step: step)
  }

  private static func allocate<Table>(_ table: Table) -> UnsafePointer<Table> {
    let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    pointer.initialize(to: table)
    return UnsafePointer(pointer)
  }
}
