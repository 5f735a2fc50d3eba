#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSchemas
  import PersistenceSupport
  import SQLEngine

  /// A connection with the statements that answer the requests of a store.
  ///
  /// While rows are lent, the connection takes no other statement.
  ///
  /// Unchecked because it has mutable state and no lock: one owner has it at a time. The pool sees to that, and hands it over under its
  /// lock.
  package final class PostgresSession: @unchecked Sendable {
    package let connection: PostgresConnection
    package let dialect: PostgresDialect
    private let memory: StatementMemory
    /// Opens encrypted values; nil when nothing is encrypted.
    let cipher: (any ValueCipher)?
    /// How far the server of the session had come when it was asked last.
    var position = PostgresPosition.start

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

    /// Reads the rows of a request, and lends them once.
    package func fetch(_ request: FetchRequest, _ body: (EngineRows) throws -> Void) throws {
      let table = try database.table(for: request.entity)
      let columns = RowStatements.selectedColumns(
        table, mask: request.mask & request.entity.storedMask, includesSubentities: request.readsSubentities)
      try watching(request) {
        try lend(try statement(for: request, purpose: .rows, table: table), of: table, columns, body)
      }
    }

    /// How the server would answer a request.
    package func explain(_ request: FetchRequest) throws -> StatementExplanation {
      let table = try database.table(for: request.entity)
      let statement = try statement(for: request, purpose: .rows, table: table)
      let result = try connection.run(PostgresStatement("EXPLAIN " + statement.sql, statement.parameters))
      return StatementExplanation(
        statement: statement.sql, bindings: try bindings(of: request, table: table),
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

    /// Calculates over the rows of a request, and lends the results once.
    package func aggregate(_ request: AggregateRequest, _ body: (EngineRows) throws -> Void) throws {
      let table = try database.table(for: request.entity)
      let query = AggregateQuery(request, table: table)
      let written = try memory.statement(for: query.shape, table: table)
      let parameters = try PostgresParameters(
        written.parameters, types: written.parameterTypes, values: query.values.values)
      // Whole numbers with the type of decimals are without a sign, but for sums.
      let columns = PostgresCursor.Columns(
        unsigned: written.results.map { $0.format == .integer && !$0.isSum },
        decimalSums: written.results.map { $0.format == .decimal && $0.isSum })
      do {
        try lend(PostgresStatement(written.sql, parameters), columns, body)
      } catch let error as SwiftDataError where (error.underlyingError as? PostgresError)?.sqlState == "22003" {
        // A sum of floating-point numbers beyond the greatest one ends the statement. Memory goes on with infinity.
        throw UntranslatableExpression("a sum beyond the greatest number of its type")
      }
    }

    package func count(_ request: FetchRequest) throws -> Int {
      switch request.selection {
      case .key, .keys: return try keys(request).count
      case .all, .matching: break
      }
      let table = try database.table(for: request.entity)
      return try watching(request) {
        let result = try connection.run(try statement(for: request, purpose: .count, table: table))
        return result.integer(0, 0).flatMap { Int(exactly: $0) } ?? 0
      }
    }

    /// The keys of the rows of a request, in its order.
    package func keys(_ request: FetchRequest) throws -> [Int64] {
      let table = try database.table(for: request.entity)
      return try watching(request) { try keys(try statement(for: request, purpose: .keys, table: table)) }
    }

    private func watching<Value>(_ request: FetchRequest, _ body: () throws -> Value) throws -> Value {
      request.stopsWhenCancelled ? try connection.watchingCancellation(body) : try body()
    }

    private func statement(
      for request: FetchRequest, purpose: RequestPurpose, table: TableMapping
    ) throws -> PostgresStatement {
      let rows = RowStatements(dialect: dialect)
      let mask = purpose == .rows ? request.mask & request.entity.storedMask : 0
      var parameters = PostgresParameters()
      switch request.selection {
      case .key(let key):
        parameters.append(key)
        return PostgresStatement(rows.lookUp(table, mask: mask), parameters)
      case .keys(let keys):
        parameters.append(keys: keys)
        return PostgresStatement(rows.lookUpSeveral(table, mask: mask), parameters)
      case .all, .matching:
        let shape = RequestShape(request, purpose: purpose, table: table)
        let written = try memory.statement(for: shape, table: table)
        parameters = try PostgresParameters(
          written.parameters, types: written.parameterTypes, values: request.values, limit: request.limit,
          offset: request.offset)
        return PostgresStatement(written.sql, parameters)
      }
    }

    // MARK: Relationships

    /// Reads the members of a relationship, and lends their rows once.
    package func members(_ request: MemberRequest, _ body: (EngineRows) throws -> Void) throws {
      let table = try database.table(for: request.destination)
      let (sql, mask) = try members(request, table: table)
      var parameters = PostgresParameters()
      switch request.owners {
      case .one(let key): parameters.append(key)
      case .some(let keys): parameters.append(keys: keys)
      case .all: break
      }
      try lend(
        PostgresStatement(sql, parameters), of: table, RowStatements.selectedColumns(table, mask: mask), body)
    }

    private func members(_ request: MemberRequest, table: TableMapping) throws -> (sql: String, mask: UInt64) {
      let statements = MemberStatements(dialect: dialect)
      let scope: MemberStatements.Scope =
        switch request.owners {
        case .one: .one
        case .some: .some
        case .all: .all
        }
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

    /// The keys of what a relationship holds for some owners.
    package func keys(
      of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64]
    ) throws -> [Int64] {
      guard let destination = database.table(named: relationship.destination) else { return [] }
      let table = try database.table(for: entity)
      let sql = MemberStatements(dialect: dialect).keys(
        of: relationship, owners: table, destination: destination, link: table.links[relationship.position])
      guard let sql else { return [] }
      var parameters = PostgresParameters()
      parameters.append(keys: owners)
      return try keys(PostgresStatement(sql, parameters))
    }

    // MARK: Results

    private func keys(_ statement: PostgresStatement) throws -> [Int64] {
      let result = try connection.run(statement)
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }

    /// Lends rows of a table: the primary key, columns, and what else the statement reads.
    private func lend(
      _ statement: PostgresStatement, of table: TableMapping, _ columns: [ColumnMapping],
      _ body: (EngineRows) throws -> Void
    ) throws {
      // The primary key is the first.
      let known = PostgresCursor.Columns(
        unsigned: [false] + columns.map(\.isUnsigned),
        originals: [nil] + columns.map { PostgresOriginals.mayHave($0) ? $0.name : nil })
      guard known.originals.contains(where: { $0 != nil }) else {
        return try lend(statement, PostgresCursor.Columns(unsigned: known.unsigned), body)
      }
      let sql = PostgresOriginals(dialect: dialect).reading(statement.sql, of: table.name)
      try lend(PostgresStatement(sql, statement.parameters), known, body)
    }

    /// Lends the rows of a statement as they come, and leaves the connection free after.
    func lend(
      _ statement: PostgresStatement, _ columns: PostgresCursor.Columns, _ body: (EngineRows) throws -> Void
    ) throws {
      let rows = try connection.rows(of: statement)
      defer { rows.close() }
      let cursor = PostgresCursor(rows, columns)
      try withExtendedLifetime(cursor) {
        do {
          try body(cursor.engineRows.opened(with: cipher))
        } catch {
          // The core's errors are of its own type. What ended the rows may be a cancellation.
          throw cursor.failure ?? error
        }
      }
      if let failure = cursor.failure { throw failure }
    }
  }

  extension StatementExplanation.Step {
    /// - Parameter plan: A line of a plan. Each level is six characters further to the right, and what belongs to a step is two behind it.
    fileprivate init(plan line: String) {
      let indentation = line.prefix { $0 == " " }.count
      let text = line.dropFirst(indentation)
      let isStep = text.hasPrefix("->")
      self.init(text: String(isStep ? text.dropFirst(4) : text), depth: (indentation + 4) / 6)
    }
  }

  extension EngineRows {
    /// The same rows, with what opens the encrypted values in them.
    fileprivate func opened(with cipher: (any ValueCipher)?) -> EngineRows {
      guard let cipher else { return self }
      return EngineRows(
        row: row, functions: functions, error: error, externalValues: externalValues, cipher: cipher,
        isOnFirstRow: isOnFirstRow)
    }
  }

  extension FetchRequest {
    /// Whether rows have columns of entities that inherit. A look-up by key always has.
    fileprivate var readsSubentities: Bool {
      switch selection {
      case .key, .keys: true
      case .all, .matching: includesSubentities
      }
    }

    /// The values of the condition.
    fileprivate var values: [QueryValue] {
      if case .matching(let tree) = selection { tree.values } else { [] }
    }
  }

  extension PostgresParameters {
    /// Appends primary keys as an array.
    package mutating func append(keys: [Int64]) {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(keys.count * 12)
      for key in keys {
        bytes.append(bigEndian: UInt32(8))
        bytes.append(bigEndian: UInt64(bitPattern: key))
      }
      append(arrayOf: .value(.reference), .int8, elements: bytes[...], count: keys.count, hasNulls: false)
    }
  }
#endif
