#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  // Deletions, references to deleted rows, and pairs of related rows.

  extension PostgresTransaction {
    // MARK: Deletions

    @discardableResult
    func delete(from entity: EntityLayout, keys: [Int64]) throws -> Int {
      guard !keys.isEmpty else { return 0 }
      let table = try table(entity)
      if watch != nil, engine.references.lead(to: table) { try lockForDeletion(keys, of: table) }
      let affected = try watch.map { _ in try engine.references.affected(by: table, keys) { try self.keys($0, $1) } }
      mayBreakReferences = true
      try keepValues(of: [table.name: keys].merging((affected?.deleted ?? [:]).mapValues { Array($0) }) { $0 + $1 })
      let result = try run(batches.delete(from: table), keys: keys)
      noteDeletions(keys, from: table, affected)
      if let affected, let result {
        watch?.note(affected)
        watch?.deleted[table.name, default: []].formUnion((0..<result.rowCount).compactMap { result.integer($0, 0) })
      }
      return result?.rowCount ?? 0
    }

    /// Runs a statement with a list of keys, and returns the keys in its result.
    func keys(_ sql: String, _ keys: [Int64]) throws -> [Int64] {
      guard let result = try run(sql, keys: keys) else { return [] }
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }

    func delete(_ request: FetchRequest) throws -> [Int64] {
      let keys = try session(of: engine).keys(request)
      try delete(from: request.entity, keys: keys)
      return keys
    }

    /// Deletes all rows of all tables. New rows still get keys that were never used.
    func deleteEverything() throws {
      var statements: [String] = []
      for table in engine.database.tables {
        for link in table.links.values where link.isDefining { statements.append(rows.deleteAll(from: link.name)) }
      }
      for table in engine.database.tables where !table.isShared { statements.append(rows.deleteAll(from: table.name)) }
      try run(statements.map { PostgresStatement($0) } + engine.historyStatements.erasure)
      news?.noteEverything(in: engine.database)
    }

    // MARK: References

    func deletingWithReferences(_ body: () throws -> Void) throws -> [AffectedRows] {
      watch = PostgresReferenceWatch()
      defer { watch = nil }
      try body()
      try sendDeletions()
      let watch = self.watch ?? PostgresReferenceWatch()
      return engine.database.tables.compactMap { table in
        guard !table.isShared else { return nil }
        var rows = AffectedRows(entity: table.entity)
        rows.deleted = watch.deleted[table.name] ?? []
        rows.changed = (watch.changed[table.name] ?? []).subtracting(rows.deleted)
        return rows.changed.isEmpty && rows.deleted.isEmpty ? nil : rows
      }
    }

    /// Makes the server check all foreign keys now. Returns true if one is violated; the transaction stays usable.
    func hasBrokenReferences() throws -> Bool {
      // If statements are queued, nothing is checked: a violation makes the commit fail, and the repeated save finds
      // it.
      guard mayBreakReferences, !isWaiting else { return false }
      let (_, error) = try attempt(
        [
          "SAVEPOINT osd_check", "SET CONSTRAINTS ALL IMMEDIATE", "SET CONSTRAINTS ALL DEFERRED",
          "RELEASE SAVEPOINT osd_check",
        ].map { PostgresStatement($0) })
      guard let error else {
        mayBreakReferences = false
        return false
      }
      guard ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.sqlState == "23503" else { throw error }
      try owned?.connection.execute("ROLLBACK TO SAVEPOINT osd_check; RELEASE SAVEPOINT osd_check")
      return true
    }

    func dropReferences(_ relationships: [(EntityLayout, RelationshipLayout)], to keys: [Int64]) throws {
      noteAll(relationships.map { $0.0 })
      for (entity, relationship) in relationships {
        if case .links = relationship.storage {
          let link = try link(relationship, entity)
          try runEach(PairStatements(dialect: dialect).deleteAll(from: link, of: link.target), keys)
        } else if let sql = rows.clear(try table(entity), at: relationship.position) {
          try runEach(sql, keys)
        }
      }
    }

    func dropPairs(_ relationships: [(EntityLayout, RelationshipLayout)], of keys: [Int64]) throws {
      noteAll(relationships.map { $0.0 })
      for (entity, relationship) in relationships {
        let link = try link(relationship, entity)
        try runEach(PairStatements(dialect: dialect).deleteAll(from: link, of: link.owner), keys)
      }
    }

    // MARK: Link tables

    func changePairs(
      of relationship: RelationshipLayout, in entity: EntityLayout, adding: [RelatedPair], removing: [RelatedPair]
    ) throws {
      let link = try link(relationship, entity)
      var statements: [PostgresStatement] = []
      if !removing.isEmpty {
        statements.append(PostgresStatement(batches.deletePairs(from: link), Self.lists(removing)))
      }
      if !adding.isEmpty {
        statements.append(PostgresStatement(batches.insertPairs(into: link), Self.lists(adding)))
        mayBreakReferences = true
      }
      if !statements.isEmpty { try send(statements) }
      notePairs(adding + removing, of: relationship, in: entity)
    }

    private static func lists(_ pairs: [RelatedPair]) -> PostgresParameters {
      var parameters = PostgresParameters()
      parameters.append(keys: pairs.map(\.owner))
      parameters.append(keys: pairs.map(\.target))
      return parameters
    }

    func orderPairs(of relationship: RelationshipLayout, in entity: EntityLayout, _ orders: [PairOrder]) throws {
      let link = try link(relationship, entity)
      guard !orders.isEmpty else { return }
      noteOrders(orders.map(\.owner), of: entity)
      var owners = PostgresParameters()
      owners.append(keys: orders.map(\.owner))
      let results = try run([
        PostgresStatement(batches.nextNumber(of: link)), PostgresStatement(batches.ranks(in: link), owners),
      ])
      guard results.count == 2, let end = results[0].integer(0, 0) else { return }
      var known: [Int64: [Int64: ListOrder.Position]] = [:]
      for row in 0..<results[1].rowCount {
        guard let owner = results[1].integer(row, 0), let target = results[1].integer(row, 1),
          let number = results[1].integer(row, 2), case .real(let rank) = try results[1].value(row, 3)
        else { continue }
        known[owner, default: [:]][target] = ListOrder.Position(key: number, rank: rank)
      }
      let last = Dictionary(orders.map { ($0.owner, $0) }) { $1 }
      let moves = last.values.flatMap { order in
        ListOrder.moves(order.targets.compactMap { known[order.owner]?[$0] }, end: end)
      }
      try setNumbers(moves, batches.setNumbers(link.owner.positionColumn, in: link.name))
    }

    func setPositions(
      _ positions: [ListOrder.Position], of relationship: RelationshipLayout, in entity: EntityLayout
    ) throws {
      let table = try table(entity)
      guard let column = table.positionColumns[relationship.position] else { return }
      let owner = table.columns(of: relationship.position).first
      let returning = owner.map { " RETURNING \(dialect.quoted($0.name))" } ?? ""
      let owners = try setNumbers(positions, batches.setNumbers(column, in: table.name) + returning)
      notePositions(positions.map(\.key), of: table, owners, owner)
    }

    /// - Returns: The keys in the statement's result; nil if the statement was queued, so that they are unknown.
    @discardableResult
    private func setNumbers(_ positions: [ListOrder.Position], _ sql: String) throws -> [Int64]? {
      guard !positions.isEmpty else { return [] }
      let last = ListOrder.lastOfEachKey(positions)
      var parameters = PostgresParameters()
      try parameters.append(list: last.map { .real($0.rank) }, of: .real)
      parameters.append(keys: last.map(\.key))
      guard !isWaiting else {
        try send([PostgresStatement(sql, parameters)])
        return nil
      }
      guard let result = try run(sql, parameters) else { return [] }
      return (0..<result.rowCount).compactMap { result.integer($0, 0) }
    }
  }
#endif
