#if PostgreSQL
  import PersistenceRuntime
  import PersistenceSupport

  extension PostgresStoreEngine {
    package func fetch(
      _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
    ) throws {
      try lending(adapted(request, transaction), in: transaction, readsMany: !request.hasFewRows, body) { [self] in
        try $0.fetch($1, state(outside: transaction), $2)
      }
    }

    package func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int {
      try withSession(of: transaction) { try $0.count(adapted(request, transaction)) }
    }

    package func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64] {
      try withSession(of: transaction) { try $0.keys(adapted(request, transaction)) }
    }

    package func explain(
      _ request: FetchRequest, in transaction: (any StoreTransaction)?
    ) throws -> StatementExplanation {
      try withSession(of: transaction) { try $0.explain(request) }
    }

    package func aggregate(
      _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
    ) throws {
      try lending(request, in: transaction, body) { [self] session, request, body in
        guard isMigrating else {
          // In a transaction the statement is not cancelled with the task, since that would abort the transaction.
          return try session.aggregate(request, watchesTask: transaction == nil, body)
        }
        var cursor: PostgresCursor?
        try keepingMigration(session) { cursor = try session.open(request, isWhole: true) }
        if let cursor { try session.lend(cursor, body) }
      }
    }

    package func members(
      _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
    ) throws {
      try lending(request, in: transaction, body) { [self] in
        try $0.members($1, state(outside: transaction), $2)
      }
    }

    package func pairs(
      of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64],
      transaction: (any StoreTransaction)?
    ) throws -> [RelatedPair] {
      try withSession(of: transaction) { try $0.pairs(of: relationship, in: entity, owners: owners) }
    }

    /// The state for what a session reads ahead. Nil in a transaction, which reads nothing ahead, and with standbys: one
    /// may answer the look-up although it has not replayed a commit of which contexts have been notified.
    private func state(outside transaction: (any StoreTransaction)?) -> ReadAhead.State? {
      guard transaction == nil, !isMigrating, readers == nil else { return nil }
      return ReadAhead.State(news: foreignChangeCount, horizons: starts?.count ?? 0)
    }

    /// The request. In a transaction, it is not cancelled with the task, since this would abort the transaction.
    private func adapted(_ request: FetchRequest, _ transaction: (any StoreTransaction)?) -> FetchRequest {
      guard transaction != nil || isMigrating else { return request }
      var request = request
      request.stopsWhenCancelled = false
      return request
    }

    // MARK: Sessions

    package var isReadingHere: Bool { lentReads.isReadingHere }

    /// Runs a read on the session of a transaction. Without a transaction, uses any session and may run the read twice.
    func withSession<Value>(
      of transaction: (any StoreTransaction)?, _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
      do {
        if let transaction { return try own(transaction).reading(of: self, body) }
        return try reading { try body($0.session) }
      } catch {
        throw explained(error)
      }
    }

    /// Runs a read whose rows are passed to code that may itself read and save.
    ///
    /// - Parameters:
    ///   - readsMany: Whether there may be many rows.
    ///   - body: The code that uses the rows.
    ///   - read: Runs the request and passes the rows to its last parameter. It gets the request as a parameter too,
    ///     because a closure that captures the request would copy it.
    private func lending<Request>(
      _ request: Request, in transaction: (any StoreTransaction)?, readsMany: Bool = false,
      _ body: (EngineRows) throws -> Void,
      _ read: @escaping (PostgresSession, Request, (EngineRows) throws -> Void) throws -> Void
    ) throws {
      do {
        if let transaction {
          starts?.settle()
          return try own(transaction).reading(of: self) { try read($0, request, body) }
        }
        try reading { lease in
          try starts?.settle(on: lease.session, readsMany: readsMany)
          try read(lease.session, request) { rows in
            lease.hasHandedOver = true
            try lentReads.lending(lease) { try body(rows) }
          }
        }
      } catch {
        throw explained(error)
      }
    }

    private func own(_ transaction: any StoreTransaction) throws -> PostgresTransaction {
      guard let own = transaction as? PostgresTransaction else {
        throw SwiftDataError(
          .storeFailure, "A fetch from the store at \(location) was given a transaction of another store.")
      }
      return own
    }

    /// Runs a read of committed rows, on a standby if one has replayed enough of the log.
    ///
    /// The read is repeated on the primary server if it fails before the first row is passed on, because the connection
    /// is lost, the standby cancels the statement, or a prepared statement is outdated.
    private func reading<Value>(_ read: (ReadLease) throws -> Value) throws -> Value {
      let lease = try takeLease()
      do {
        let value = try attempt(lease, read)
        lease.giveBack()
        return value
      } catch {
        let isWorthAnother = !isMigrating && (lease.isLostBefore || mayPass(error, lease))
        lease.giveBack()
        guard isWorthAnother, !Task.isCancelled else { throw error }
        // If another program has migrated the store, a repeated read might succeed but return wrong values.
        let explained = explained(error)
        if (explained as? SwiftDataError) == .backwardMigration { throw explained }
      }
      let other = ReadLease(try pool.take(), of: pool)
      defer { other.giveBack() }
      return try attempt(other, read)
    }

    private func attempt<Value>(_ lease: ReadLease, _ read: (ReadLease) throws -> Value) throws -> Value {
      if lease.pool === pool { try news?.begin(lease.session) }
      return try read(lease)
    }

    private func takeLease() throws -> ReadLease {
      lentReads.letGo()
      // The first read uses the primary server, where it takes the snapshot from which notifications are received.
      if let readers, news?.hasBegun ?? true, let lease = readers.take() { return lease }
      return ReadLease(try pool.take(repeats: true), of: pool)
    }

    /// Whether the read may succeed if repeated: the standby cancelled it, or a prepared statement was outdated.
    private func mayPass(_ error: any Error, _ lease: ReadLease) -> Bool {
      guard !lease.hasHandedOver, let cause = (error as? SwiftDataError)?.underlyingError as? PostgresError else {
        return false
      }
      return cause.isOfPreparation || (lease.pool !== pool && cause.sqlState == "40001")
    }

    /// Runs a read of committed rows on the primary server.
    func withOwnSession<Value>(_ body: (PostgresSession) throws -> Value) throws -> Value {
      lentReads.letGo()
      return try pool.withSession { session in
        try news?.begin(session)
        return try body(session)
      }
    }
  }
#endif
