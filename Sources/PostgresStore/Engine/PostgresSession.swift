#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// A connection that runs the requests of a store.
  ///
  /// A closure that reads rows may run other statements: the connection first receives and stores the remaining rows.
  ///
  /// `@unchecked` because it has mutable state without a lock. Only one owner uses it at a time: the pool hands it over
  /// under the lock of the pool.
  package final class PostgresSession: @unchecked Sendable {
    package let connection: PostgresConnection
    package let dialect: PostgresDialect
    private let memory: StatementMemory
    /// Decrypts values; nil if nothing is encrypted.
    let cipher: (any ValueCipher)?
    private var reads = KnownReads()
    private var ahead = ReadAhead()
    /// The last known position in the write-ahead log of the session's server.
    var position = PostgresPosition.start
    /// When the session was last returned to the pool: the system's uptime in nanoseconds.
    var lastUse: UInt64 = 0

    package init(
      _ connection: PostgresConnection, dialect: PostgresDialect, memory: StatementMemory,
      cipher: (any ValueCipher)? = nil
    ) {
      self.cipher = cipher
      self.connection = connection
      self.dialect = dialect
      self.memory = memory
    }

    package var database: DatabaseMapping { memory.database }

    // MARK: Requests

    /// Reads the rows of a request, and passes them to the closure.
    ///
    /// - Parameter state: The present state for what is read ahead (``ReadAhead``); nil if nothing is.
    package func fetch(
      _ request: FetchRequest, _ state: ReadAhead.State? = nil, _ body: (EngineRows) throws -> Void
    ) throws {
      let read = try read(for: request, purpose: .rows)
      let statement = read.statement(try read.parameters(of: request))
      ahead.forget()
      if case .key(let key) = request.selection, let state, !request.stopsWhenCancelled,
        case let followers = ahead.lookUp(key, of: request.entity, state.after(connection.roundTrips)),
        !followers.isEmpty, let result = try lookUp(key, of: request.entity, statement, with: followers)
      {
        return try lend(read, PostgresCursor(connection.rows(in: result), read.columns), body)
      }
      try lend(read, statement, isWhole: request.hasFewRows, watchesTask: request.stopsWhenCancelled, body)
    }

    /// Reads the row of a look-up, and lists of the model in the same round trip.
    ///
    /// - Returns: The row; nil if it has to be read alone.
    private func lookUp(
      _ key: Int64, of entity: EntityLayout, _ statement: PostgresStatement, with followers: [ReadAhead.Follower]
    ) throws -> PostgresResult? {
      var parameters = PostgresParameters(capacity: 1)
      parameters.append(key)
      let (results, error) = try connection.attempt([statement] + followers.map { $0.read.statement(parameters) })
      guard error == nil, results.count == 1 + followers.count else {
        ahead.refuse(entity)
        // Only the statement of the row matters to the caller.
        if let error, results.isEmpty { throw error }
        return results.first
      }
      ahead.keep(results.dropFirst(), of: followers, entity)
      return results[0]
    }

    /// The query plan of a request.
    package func explain(_ request: FetchRequest) throws -> StatementExplanation {
      let read = try readOfAnyLimit(for: request, purpose: .rows)
      let result = try connection.run(
        PostgresStatement("EXPLAIN " + read.sql, try read.parameters(of: request)))
      return StatementExplanation(
        statement: read.sql, bindings: try bindings(of: request, table: try database.table(for: request.entity)),
        steps: (0..<result.rowCount).map { StatementExplanation.Step(plan: result.text($0, 0) ?? "") })
    }

    private func bindings(of request: FetchRequest, table: TableMapping) throws -> [String] {
      switch request.selection {
      case .key(let key): return ["\(key)"]
      case .keys(let keys): return ["(\(keys.map(\.description).joined(separator: ", ")))"]
      case .all, .matching:
        let shape = RequestShape(request, purpose: .rows, table: table)
        return try memory.statement(for: shape, table: table).parameters.map { $0.description(in: request) }
      }
    }

    /// Computes aggregates over the rows of a request, and passes the results to the closure.
    package func aggregate(
      _ request: AggregateRequest, watchesTask: Bool = false, _ body: (EngineRows) throws -> Void
    ) throws {
      try leavingOverflows {
        try lend(try open(request, isWhole: request.group == nil, watchesTask: watchesTask), body)
      }
    }

    /// Sends the statement that computes the aggregates of a request.
    ///
    /// - Parameter isWhole: Whether all results are received at once.
    /// - Returns: A cursor over the results.
    func open(_ request: AggregateRequest, isWhole: Bool, watchesTask: Bool = false) throws -> PostgresCursor {
      let table = try database.table(for: request.entity)
      let query = AggregateQuery(request, table: table)
      let written = try memory.statement(for: query.shape, table: table)
      let parameters = try PostgresParameters(
        written.parameters, types: written.parameterTypes, values: query.values.values)
      // Columns of type `numeric` contain unsigned integers, except the results of sums.
      let columns = PostgresCursor.Columns(
        unsigned: written.results.map { $0.format == .integer && !$0.isSum },
        decimalSums: written.results.map { $0.format == .decimal && $0.isSum })
      return try leavingOverflows {
        try open(PostgresStatement(written.sql, parameters), columns, isWhole: isWhole, watchesTask: watchesTask)
      }
    }

    private func leavingOverflows<Value>(_ body: () throws -> Value) throws -> Value {
      do {
        return try body()
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.sqlState == "22003" {
        // If a floating-point sum overflows, PostgreSQL fails. The in-memory evaluation returns infinity instead.
        throw UntranslatableExpression("a sum beyond the greatest number of its type")
      }
    }

    package func count(_ request: FetchRequest) throws -> Int {
      switch request.selection {
      case .key, .keys: return try keys(request).count
      case .all, .matching: break
      }
      return try watching(request) {
        let read = try read(for: request, purpose: .count)
        let result = try connection.run(read.statement(try read.parameters(of: request)))
        return result.integer(0, 0).flatMap { Int(exactly: $0) } ?? 0
      }
    }

    /// The keys of the rows of a request, in the order that it sorts by.
    package func keys(_ request: FetchRequest) throws -> [Int64] {
      try watching(request) {
        let read = try read(for: request, purpose: .keys)
        return try keys(read.statement(try read.parameters(of: request)))
      }
    }

    private func watching<Value>(_ request: FetchRequest, _ body: () throws -> Value) throws -> Value {
      request.stopsWhenCancelled ? try connection.watchingCancellation(body) : try body()
    }

    /// The statement for a request.
    private func read(for request: FetchRequest, purpose: RequestPurpose) throws -> KnownRead {
      try readOfAnyLimit(for: request, purpose: purpose).limited(by: request.limit, dialect: dialect)
    }

    private func readOfAnyLimit(for request: FetchRequest, purpose: RequestPurpose) throws -> KnownRead {
      let table = try database.table(for: request.entity)
      let mask = purpose == .rows ? request.mask & request.entity.storedMask : 0
      let shape: KnownReads.ReadShape =
        switch request.selection {
        case .key: .key(table: table.index, mask: mask, purpose)
        case .keys: .keys(table: table.index, mask: mask, purpose)
        case .all, .matching: .matching(RequestShape(request, purpose: purpose, table: table))
        }
      return try reads.read(for: shape) {
        let columns =
          purpose == .rows
          ? RowStatements.selectedColumns(table, mask: mask, includesSubentities: request.readsSubentities) : []
        let rows = RowStatements(dialect: dialect)
        switch shape {
        case .matching(let shape):
          let written = try memory.statement(for: shape, table: table)
          return KnownRead(
            written.sql, parameters: written.parameters, types: written.parameterTypes, columns)
        case .key: return KnownRead(rows.lookUp(table, mask: mask), columns)
        case .keys, .members: return KnownRead(rows.lookUpSeveral(table, mask: mask), columns)
        }
      }
    }

    // MARK: Relationships

    /// Reads the rows that a relationship refers to (its members), and passes them to the closure.
    ///
    /// - Parameter state: The present state for what is read ahead (``ReadAhead``); nil if nothing is.
    package func members(
      _ request: MemberRequest, _ state: ReadAhead.State? = nil, _ body: (EngineRows) throws -> Void
    ) throws {
      let shape = shape(of: request)
      let read = try read(for: request, shape)
      if case .one(let key) = request.owners, let state,
        let result = ahead.follow(
          key, of: request.entity, ReadAhead.Follower(shape: shape, read: read), state.after(connection.roundTrips))
      {
        return try lend(read, PostgresCursor(connection.rows(in: result), read.columns), body)
      }
      var parameters = PostgresParameters(capacity: 1)
      // If the previous owner had few members, all rows are received at once, in a third of the time of one by one.
      var isWhole = false
      switch request.owners {
      case .one(let key):
        parameters.append(key)
        isWhole = read.gaveFew
      case .some(let keys): parameters.append(keys: keys)
      case .all: break
      }
      try lend(read, read.statement(parameters), isWhole: isWhole, body)
    }

    private func shape(of request: MemberRequest) -> KnownReads.ReadShape {
      .members(
        ObjectIdentifier(request.entity), position: request.relationship.position, scope(of: request),
        omitsOwner: request.omitsOwner)
    }

    private func read(for request: MemberRequest, _ shape: KnownReads.ReadShape) throws -> KnownRead {
      try reads.read(for: shape) {
        let table = try database.table(for: request.destination)
        let (sql, mask) = try members(request, scope(of: request), table: table)
        return KnownRead(sql, RowStatements.selectedColumns(table, mask: mask))
      }
    }

    private func scope(of request: MemberRequest) -> MemberStatements.Scope {
      switch request.owners {
      case .one: .one
      case .some: .some
      case .all: .all
      }
    }

    private func members(
      _ request: MemberRequest, _ scope: MemberStatements.Scope, table: TableMapping
    ) throws -> (sql: String, mask: UInt64) {
      let statements = MemberStatements(dialect: dialect)
      if case .links = request.relationship.storage {
        guard let link = try database.table(for: request.entity).links[request.relationship.position] else {
          throw SwiftDataError(.storeFailure, "\(request.relationship.path) has no table to be read from.")
        }
        return (statements.paired(table, by: link, scope), PropertyMask.all)
      }
      guard let inverse = request.relationship.inverse else {
        throw SwiftDataError(.storeFailure, "\(request.relationship.path) has no column to be read from.")
      }
      let sql = statements.referring(
        table, at: inverse.position, scope, mask: request.mask, repeatsOwner: !request.hasOwnerAmongColumns)
      return (sql, request.mask)
    }

    /// The keys of owner and related row in each pair of a relationship, for some owners.
    package func pairs(
      of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64]
    ) throws -> [RelatedPair] {
      guard let destination = database.table(named: relationship.destination) else { return [] }
      let table = try database.table(for: entity)
      let sql = MemberStatements(dialect: dialect).pairs(
        of: relationship, owners: table, destination: destination, link: table.links[relationship.position])
      guard let sql else { return [] }
      var parameters = PostgresParameters()
      parameters.append(keys: owners)
      let result = try connection.run(PostgresStatement(sql, parameters))
      return (0..<result.rowCount).compactMap { row in
        guard let owner = result.integer(row, 0), let target = result.integer(row, 1) else { return nil }
        return RelatedPair(owner: owner, target: target)
      }
    }

    // MARK: Results

    private func keys(_ statement: PostgresStatement) throws -> [Int64] {
      let result = try connection.run(statement)
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }

    /// Runs a statement, and passes its rows to the closure.
    private func lend(
      _ read: KnownRead, _ statement: PostgresStatement, isWhole: Bool, watchesTask: Bool = false,
      _ body: (EngineRows) throws -> Void
    ) throws {
      try lend(read, try open(read, statement, isWhole: isWhole, watchesTask: watchesTask), body)
    }

    private func lend(_ read: KnownRead, _ cursor: PostgresCursor, _ body: (EngineRows) throws -> Void) throws {
      try lend(cursor, body)
      read.note(rowCount: cursor.rowCount)
    }

    private func open(
      _ read: KnownRead, _ statement: PostgresStatement, isWhole: Bool, watchesTask: Bool
    ) throws -> PostgresCursor {
      // `COPY` has no parameters. It is not used in transactions, whose statements must be cancellable one by one.
      if !isWhole, read.mayGiveMany, statement.parameters.count == 0, connection.transactionStatus == .idle {
        return try openCopy(read, statement, watchesTask: watchesTask)
      }
      return try open(statement, read.columns, isWhole: isWhole, watchesTask: watchesTask)
    }

    private func openCopy(_ read: KnownRead, _ statement: PostgresStatement, watchesTask: Bool) throws -> PostgresCursor
    {
      let rows = try connection.copiedRows(of: statement, watchesTask: watchesTask)
      try rows.waitForFirst()
      let types = rows.columnTypes
      if let known = read.copiedTypes, known != types {
        // Another program may have migrated the store. For COPY statements, the server does not report this itself.
        read.copiedTypes = types
        rows.close()
        throw PostgresError(sqlState: "0A000", message: "cached plan must not change result type")
          .storeError(connection.location)
      }
      read.copiedTypes = types
      return PostgresCursor(rows, read.columns)
    }

    /// Sends a statement, and waits for its first row.
    ///
    /// - Parameters:
    ///   - isWhole: Whether all rows are received at once, which is faster if there are few.
    ///   - watchesTask: Whether the statement is cancelled with the task.
    func open(
      _ statement: PostgresStatement, _ columns: PostgresCursor.Columns, isWhole: Bool = false,
      watchesTask: Bool = false
    ) throws -> PostgresCursor {
      let rows = try connection.rows(of: statement, isWhole: isWhole, watchesTask: watchesTask)
      try rows.waitForFirst()
      return PostgresCursor(rows, columns)
    }

    /// Passes rows to the closure, which may return the session to the pool. Then another thread may use the session.
    func lend(_ cursor: PostgresCursor, _ body: (EngineRows) throws -> Void) throws {
      defer { cursor.close() }
      try withExtendedLifetime(cursor) {
        do {
          try body(cursor.engineRows.opened(with: cipher))
        } catch {
          // If the closure throws because the rows ended early, the reason for that is thrown, such as a cancellation.
          throw cursor.failure ?? error
        }
      }
      if let failure = cursor.failure { throw failure }
    }
  }

  extension StatementExplanation.Step {
    /// - Parameter plan: A line of a plan. PostgreSQL indents a level by six spaces, and details of a step by two more.
    fileprivate init(plan line: String) {
      let indentation = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indentation)
      let isStep = text.hasPrefix("->")
      self.init(text: String(isStep ? text.dropFirst(4) : text), depth: (indentation + 4) / 6)
    }
  }

  extension EngineRows {
    /// The same rows, with the cipher that decrypts their values.
    fileprivate func opened(with cipher: (any ValueCipher)?) -> EngineRows {
      guard let cipher else { return self }
      return EngineRows(
        row: row, functions: functions, error: error, externalValues: externalValues, cipher: cipher,
        isOnFirstRow: isOnFirstRow)
    }
  }

  extension FetchRequest {
    /// Whether the columns of subentities are read too, as in every look-up by key.
    fileprivate var readsSubentities: Bool {
      switch selection {
      case .key, .keys: true
      case .all, .matching: includesSubentities
      }
    }

    /// Whether there are certainly few rows, so that all can be received at once.
    var hasFewRows: Bool {
      switch selection {
      case .key: true
      case .keys(let keys): keys.count <= Self.fewRows
      case .all, .matching: limit.map { $0 <= Self.fewRows } ?? false
      }
    }

    static let fewRows = 256
  }

  extension PostgresParameters {
    /// Appends primary keys as an array.
    package mutating func append(keys: [Int64]) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(keys.count * 12)
      for key in keys { bytes.append(counted: UInt64(bitPattern: key)) }
      append(arrayOf: .value(.reference), .int8, elements: bytes[...], count: keys.count, hasNulls: false)
    }
  }
#endif
