import SQLEngine

/// The statements of one connection on single rows of one table.
struct TableStatements {
  private var lookUps: [(mask: UInt64, statement: SQLiteStatement)] = []
  private var updates: [UInt64: SQLiteStatement] = [:]
  private var insertion: SQLiteStatement?
  private var deletion: SQLiteStatement?
  private var nextKey: SQLiteStatement?

  /// The statement that reads one row; found by a scan, since hardly more than one mask is ever used.
  mutating func lookUp(mask: UInt64, prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    for entry in lookUps where entry.mask == mask { return entry.statement }
    let statement = try prepare()
    if lookUps.count >= 8 { lookUps.removeFirst() }
    lookUps.append((mask, statement))
    return statement
  }

  mutating func update(mask: UInt64, prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let statement = updates[mask] { return statement }
    let statement = try prepare()
    if updates.count >= 64 { updates.removeAll() }
    updates[mask] = statement
    return statement
  }

  mutating func insert(prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let insertion { return insertion }
    let statement = try prepare()
    insertion = statement
    return statement
  }

  mutating func nextKey(prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let nextKey { return nextKey }
    let statement = try prepare()
    nextKey = statement
    return statement
  }

  mutating func delete(prepare: () throws -> SQLiteStatement) rethrows -> SQLiteStatement {
    if let deletion { return deletion }
    let statement = try prepare()
    deletion = statement
    return statement
  }
}
