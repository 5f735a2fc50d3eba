import CSQLite
import PersistenceRuntime
import SQLEngine

extension SQLiteConnection {
  func count(_ request: FetchRequest) throws -> Int {
    if case .keys = request.selection { return try keys(request).count }
    return try withStatement(for: request, purpose: .count) { statement in
      let hasRow = try statement.step()
      if case .key = request.selection { return hasRow ? 1 : 0 }
      return hasRow ? Int(statement.integer(0)) : 0
    }
  }

  func keys(_ request: FetchRequest) throws -> [Int64] {
    if case .keys(let wanted) = request.selection {
      var request = request
      request.mask = 0
      var found: [Int64] = []
      try rows(of: wanted, request) { statement in
        while try statement.step() { found.append(statement.integer(0)) }
      }
      return found
    }
    return try withStatement(for: request, purpose: .keys) { statement in
      var keys: [Int64] = []
      while try statement.step() { keys.append(statement.integer(0)) }
      return keys
    }
  }

  /// The one number that a statement returns, nil when it returns no row or NULL.
  func number(_ sql: String) throws -> Int64? {
    try withStatement(sql) { statement in
      guard try statement.step(), sqlite3_column_type(statement.pointer, 0) != SQLITE_NULL else { return nil }
      return statement.integer(0)
    }
  }
}
