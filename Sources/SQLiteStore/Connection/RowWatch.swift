import CSQLite

/// Records the rows that a connection updates and deletes, including rows that foreign key actions update or delete.
/// Only SQLite's update hook reports these actions.
///
/// Only used during the block of `watchingRows`, on the thread that uses the connection. Tables are identified by the
/// address of the name that SQLite passes, which is stable while the schema does not change.
final class RowWatch {
  private struct Table {
    let address: UnsafePointer<CChar>
    let name: String
    var changed: [Int64] = []
    var deleted: [Int64] = []
  }

  /// The watch that another block on the same connection has set. It records the rows too.
  fileprivate var outer: RowWatch?
  private var tables: [Table] = []
  /// The index in `tables` of the previous row's table. Consecutive rows are often in the same table.
  private var last = 0

  /// The keys of a table's rows that were changed and still exist, and of the rows that were deleted.
  func rows(ofTableNamed name: String) -> (changed: Set<Int64>, deleted: Set<Int64>) {
    var (changed, deleted): (Set<Int64>, Set<Int64>) = ([], [])
    for table in tables where table.name == name {
      changed.formUnion(table.changed)
      deleted.formUnion(table.deleted)
    }
    return (changed.subtracting(deleted), deleted)
  }

  /// The keys of a table's deleted rows, in the order in which they were deleted.
  func deletedKeys(ofTableNamed name: String) -> [Int64] {
    let tables = tables.filter { $0.name == name }
    return tables.count == 1 ? tables[0].deleted : tables.flatMap(\.deleted)
  }

  fileprivate func note(_ operation: Int32, _ table: UnsafePointer<CChar>, _ key: Int64) {
    if last >= tables.count || tables[last].address != table { last = index(of: table) }
    if operation == SQLITE_DELETE { tables[last].deleted.append(key) } else { tables[last].changed.append(key) }
    outer?.note(operation, table, key)
  }

  private func index(of address: UnsafePointer<CChar>) -> Int {
    if let known = tables.firstIndex(where: { $0.address == address }) { return known }
    tables.append(Table(address: address, name: String(cString: address)))
    return tables.count - 1
  }
}

extension SQLiteHandle {
  /// Runs statements and records the rows that they update and delete. The update hook is set only during the block. If
  /// the block is within that of another watch, both record the rows.
  func watchingRows<Result>(_ watch: RowWatch, _ body: () throws -> Result) throws -> Result {
    // The hook does not retain the watch; it is removed before this method returns.
    let outer = sqlite3_update_hook(pointer, Self.noteRow, Unmanaged.passUnretained(watch).toOpaque())
    watch.outer = outer.map { Unmanaged<RowWatch>.fromOpaque($0).takeUnretainedValue() }
    defer {
      sqlite3_update_hook(pointer, outer == nil ? nil : Self.noteRow, outer)
      watch.outer = nil
    }
    return try withExtendedLifetime(watch, body)
  }

  private static let noteRow:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, sqlite3_int64
    ) -> Void = { watch, operation, _, table, key in
      guard let watch, let table, operation != SQLITE_INSERT else { return }
      Unmanaged<RowWatch>.fromOpaque(watch)._withUnsafeGuaranteedRef { $0.note(operation, table, key) }
    }
}
