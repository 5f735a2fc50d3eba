import CSQLiteBenchmark

/// A prepared statement that is reused.
final class RawStatement {
  /// The handle for SQLite's functions.
  let handle: OpaquePointer

  private let connection: RawConnection

  init(_ handle: OpaquePointer, in connection: RawConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Binds integers to the first parameters.
  @inline(__always)
  func bind(_ first: Int, _ second: Int? = nil, _ third: Int? = nil) {
    sqlite3_bind_int64(handle, 1, Int64(first))
    if let second { sqlite3_bind_int64(handle, 2, Int64(second)) }
    if let third { sqlite3_bind_int64(handle, 3, Int64(third)) }
  }

  /// Runs a statement without results.
  @inline(__always)
  func run() throws {
    defer { sqlite3_reset(handle) }
    guard sqlite3_step(handle) == SQLITE_DONE else { throw connection.error }
  }

  /// Runs the statement and calls `body` with every row.
  @inline(__always)
  func forEachRow(_ body: (OpaquePointer) -> Void) throws {
    defer { sqlite3_reset(handle) }
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: body(handle)
      case SQLITE_DONE: return
      default: throw connection.error
      }
    }
  }

  /// Runs the statement and creates an object for every row.
  func fetch() throws -> [RawItem] {
    defer { sqlite3_reset(handle) }
    var items: [RawItem] = []
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: items.append(RawItem(row: handle))
      case SQLITE_DONE: return items
      default: throw connection.error
      }
    }
  }

  /// Runs the statement. Returns an object for its first row, or nil if there is no row.
  func fetchOne() throws -> RawItem? {
    defer { sqlite3_reset(handle) }
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return RawItem(row: handle)
    case SQLITE_DONE: return nil
    default: throw connection.error
    }
  }

  /// The integers in the first column.
  func fetchNumbers() throws -> [Int] {
    defer { sqlite3_reset(handle) }
    var numbers: [Int] = []
    while true {
      switch sqlite3_step(handle) {
      case SQLITE_ROW: numbers.append(Int(sqlite3_column_int64(handle, 0)))
      case SQLITE_DONE: return numbers
      default: throw connection.error
      }
    }
  }

  /// The integer in the first column of the only row.
  func fetchNumber() throws -> Int {
    defer { sqlite3_reset(handle) }
    guard sqlite3_step(handle) == SQLITE_ROW else { throw connection.error }
    return Int(sqlite3_column_int64(handle, 0))
  }
}
