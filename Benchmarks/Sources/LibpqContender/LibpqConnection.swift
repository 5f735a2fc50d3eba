#if PostgreSQL
  import CPostgreSQL
  import Foundation

  /// A connection to a server.
  final class LibpqConnection {
    /// The handle for libpq's functions.
    let handle: OpaquePointer

    init(_ url: String) throws {
      guard let handle = PQconnectdb(url) else { throw LibpqError(message: "no memory for a connection") }
      self.handle = handle
      guard PQstatus(handle) == CONNECTION_OK else { throw error }
    }

    deinit {
      PQfinish(handle)
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws {
      let result = PQexec(handle, sql)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw error }
    }

    /// Prepares a statement on the server.
    func prepare(_ sql: String, _ types: [LibpqType] = []) throws -> LibpqStatement {
      let statement = LibpqStatement(in: self, types)
      let result = types.map(\.rawValue).withUnsafeBufferPointer { types in
        PQprepare(handle, statement.name, sql, Int32(types.count), types.baseAddress)
      }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw error }
      return statement
    }

    /// Runs a query once, without a round trip to prepare it.
    func query(_ sql: String) throws -> LibpqResult {
      try LibpqResult(PQexecParams(handle, sql, 0, nil, nil, nil, nil, 1), in: self)
    }

    /// Calls `body` with every row of a query. A cursor fetches 1,000 rows at a time, and the server already works on
    /// the next 1,000 while `body` reads these. Receiving single rows (`PQsetSingleRowMode`) takes a fifth longer.
    func forEachRow(_ sql: String, _ body: (LibpqRow) -> Void) throws {
      try execute("BEGIN; DECLARE rows BINARY NO SCROLL CURSOR FOR \(sql)")
      let next = "FETCH 1000 FROM rows"
      PQsendQuery(handle, next)
      var count: Int32
      repeat {
        let result = try LibpqResult(takeResult(), in: self)
        count = result.count
        if count == 1000 { PQsendQuery(handle, next) }
        for row in 0..<count { body(result.row(row)) }
      } while count == 1000
      try execute("COMMIT")
    }

    /// Receives the result of the statement that was sent, and discards further results.
    private func takeResult() -> OpaquePointer? {
      let result = PQgetResult(handle)
      while let other = PQgetResult(handle) { PQclear(other) }
      return result
    }

    /// Sends several statements in one pipeline, which the server executes as one transaction, and calls `body` with
    /// each result.
    func pipeline(_ statements: [LibpqStatement], _ body: (Int, borrowing LibpqResult) -> Void = { _, _ in }) throws {
      guard PQenterPipelineMode(handle) == 1 else { throw error }
      for statement in statements { try statement.send() }
      guard PQpipelineSync(handle) == 1 else { throw error }
      for index in statements.indices {
        let result = try LibpqResult(PQgetResult(handle), in: self)
        while let other = PQgetResult(handle) { PQclear(other) }
        body(index, result)
      }
      PQclear(PQgetResult(handle))
      guard PQexitPipelineMode(handle) == 1 else { throw error }
    }

    /// Runs a `COPY` statement, which names the table and its columns. `body` appends the rows in binary form.
    func copy(_ sql: String, _ body: (inout LibpqCopy) throws -> Void) throws {
      let result = PQexec(handle, sql)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COPY_IN else { throw error }
      var copy = LibpqCopy(self)
      try body(&copy)
      try copy.end()
      let outcome = try LibpqResult(takeResult(), in: self)
      _ = outcome.count
    }

    /// libpq's last error on this connection.
    var error: LibpqError {
      LibpqError(message: String(cString: PQerrorMessage(handle)))
    }
  }

  /// An error that PostgreSQL or libpq reported.
  struct LibpqError: Error, CustomStringConvertible {
    let message: String

    var description: String { "PostgreSQL: \(message)" }
  }

  /// The types of parameters. The raw values are PostgreSQL's object identifiers of the types.
  enum LibpqType: UInt32 {
    case int8 = 20
    case text = 25
    case float8 = 701
    case int8Array = 1016
    case float8Array = 1022
  }
#endif
