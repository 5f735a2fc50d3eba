#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import SQLEngine

  /// A store in a PostgreSQL database.
  package final class PostgresStoreEngine: StoreEngine {
    package let identifier: String
    package let location: String
    package let allowsSave: Bool
    package let saveRetryLimit: Int
    let dialect: PostgresDialect
    let database: DatabaseMapping
    let references: PostgresReferences
    private let pool: PostgresPool
    private let capacity: Int
    private let timeout: Duration
    /// As many as there may be transactions at once: one connection less than there are, since a save asks for keys beside its
    /// transaction.
    private let openings: DispatchSemaphore
    private let blocks = Lock<[String: KeyBlock]>([:])
    private let uncertain = Lock<[UncertainCommit]>([])
    /// How many saves ask before they write from now on, and how many it was after the last conflict.
    private let caution = Lock<(rest: Int, length: Int)>((0, 0))
    /// The threads that were last in the open transactions.
    private let threads = Lock<[ObjectIdentifier: ThreadIdentity]>([:])

    /// Keys of a table that were taken and are not used.
    private struct KeyBlock {
      var rest: [ClosedRange<Int64>] = []
      /// How many are taken the next time.
      var size = 64
      static let greatestSize = 8_192

      /// Hands out keys, as many of the wanted as there are.
      mutating func take(_ count: Int) -> [ClosedRange<Int64>] {
        var result: [ClosedRange<Int64>] = []
        var missing = Int64(count)
        while missing > 0, let first = rest.first {
          let last = min(first.upperBound, first.lowerBound + missing - 1)
          result.append(first.lowerBound...last)
          missing -= last - first.lowerBound + 1
          rest.removeFirst()
          if last < first.upperBound { rest.insert(last + 1...first.upperBound, at: 0) }
        }
        return result
      }
    }

    /// Opens a store, and makes it when there is none.
    ///
    /// - Parameters:
    ///   - opening: The store.
    ///   - capacity: The most connections, at least two.
    ///   - timeout: How long to wait for one that others have.
    ///   - retries: How often a save is run again after a conflict with another one.
    /// - Throws: `SwiftDataError` of the store. It is as it was then.
    package init(_ opening: PostgresOpening, capacity: Int, timeout: Duration, retries: Int) throws {
      let opened = try opening.open()
      identifier = opened.identifier
      location = "\(opened.session.connection.location), schema \(opening.dialect.quoted(opening.dialect.namespace))"
      allowsSave = opening.allowsSave
      saveRetryLimit = max(0, retries)
      dialect = opening.dialect
      database = opening.memory.database
      references = PostgresReferences(opening.memory.database, dialect: opening.dialect)
      self.capacity = max(2, capacity)
      self.timeout = timeout
      openings = DispatchSemaphore(value: max(2, capacity) - 1)
      pool = PostgresPool(first: opened.session, capacity: max(2, capacity), timeout: timeout) {
        try opening.openSession()
      }
    }

    package var readerCount: Int { capacity }

    /// How often the connections that nobody uses have waited for the server.
    package var roundTrips: Int { pool.roundTrips }

    package func close() { pool.close() }

    // MARK: Differences

    package var nestsReads: Bool { false }
    package var keysRise: Bool { false }
    package var isSingleWriter: Bool { false }
    package var readsTexts: Bool { false }

    /// A concurrent transaction was in the way. What violates a rule without one is no such error.
    package func isRetryable(_ error: any Error) -> Bool {
      ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.isRetryable ?? false
    }

    /// The error of a statement that a save has sent without asking before: the save asks when it runs again, so whatever broke a
    /// rule is worth an attempt.
    func asRace(_ error: any Error) -> any Error {
      guard let known = error as? SwiftDataError, let cause = known.underlyingError as? PostgresError,
        cause.isRuleOfRows
      else { return error }
      return SwiftDataError(known.kind, known.explanation ?? "", underlying: cause.asRace)
    }

    /// Whether saves may be sent without asking before. Where every save is refused, each would be sent twice: after each conflict
    /// a number of saves ask first, more after each further one.
    var expectsNoConflict: Bool {
      caution.withLock { caution in
        guard caution.rest > 0 else {
          caution.length = max(0, caution.length - 1)
          return true
        }
        caution.rest -= 1
        return false
      }
    }

    private func noteConflict() {
      caution.withLock { caution in
        caution.length = min(caution.length * 2 + 1, 31)
        caution.rest = caution.length
      }
    }

    /// An error with the words of models: PostgreSQL names its constraints.
    func described(_ error: any Error) -> any Error {
      guard let known = error as? SwiftDataError, let cause = known.underlyingError as? PostgresError,
        cause.isUniqueness, let name = cause.constraint
      else { return error }
      for table in database.tables {
        guard let index = table.indexes.first(where: { $0.name == name }) else { continue }
        let columns = index.columns.map { "\(table.name).\($0)" }.joined(separator: ", ")
        return SwiftDataError(
          known.kind,
          "Another model in the store at \(location) has the same values for \(columns), which must be unique. "
            + "Change one of the two, or fetch the existing model and update it.",
          underlying: cause)
      }
      return error
    }

    // MARK: Keys

    package func takeKeys(_ count: Int, for entity: EntityLayout) throws -> [ClosedRange<Int64>] {
      let name = try database.table(for: entity).sequenceName
      let (known, size) = blocks.withLock { blocks -> ([ClosedRange<Int64>], Int) in
        var block = blocks[name] ?? KeyBlock()
        defer { blocks[name] = block }
        return (block.take(count), block.size)
      }
      let missing = count - known.reduce(0) { $0 + $1.count }
      guard missing > 0 else { return known }
      // Without the lock: others may take keys of another table meanwhile.
      let new = try pool.withSession { try $0.takeKeys(max(missing, size), for: entity) }
      return known
        + blocks.withLock { blocks in
          var block = blocks[name] ?? KeyBlock()
          // Those of this call first: another one may have put its rest back.
          var own = KeyBlock(rest: [new])
          let taken = own.take(missing)
          block.rest += own.rest
          block.size = max(block.size, min(size * 2, KeyBlock.greatestSize))
          blocks[name] = block
          return taken
        }
    }

    // MARK: Transactions

    package func beginTransaction() throws -> any StoreTransaction { try begin(isRetry: false) }

    package func beginTransaction(retry: Int) throws -> any StoreTransaction {
      // Two that are in each other's way would be so again if both came at once.
      if retry > 0 { usleep(UInt32.random(in: 500...2_000) * UInt32(min(retry, 10))) }
      if retry == 1 { noteConflict() }
      return try begin(isRetry: retry > 0)
    }

    private func begin(isRetry: Bool) throws -> PostgresTransaction {
      guard allowsSave else {
        throw SwiftDataError(
          .storeReadOnly, "The store at \(location) was opened without saving. Open it with allowsSave to change it.")
      }
      // It would wait for rows that it has locked itself.
      guard !threads.withLock({ $0.values.contains(.current) }) else {
        throw SwiftDataError(
          .storeBusy,
          "A transaction of this thread is still open on the store. Commit it or roll it back first.")
      }
      guard openings.wait(timeout: .now() + .milliseconds(Int(clamping: timeout.milliseconds))) == .success else {
        throw SwiftDataError(
          .storeBusy,
          "\(capacity - 1) transactions on the store at \(location) are open for too long. Try again, or allow more "
            + "connections.")
      }
      do {
        let session = try pool.take()
        do {
          try waitForUncertain(session)
        } catch {
          pool.giveBack(session)
          throw error
        }
        let transaction = PostgresTransaction(engine: self, session: session, isRetry: isRetry)
        adopt(transaction)
        return transaction
      } catch {
        openings.signal()
        throw error
      }
    }

    /// Notes that this thread is in a transaction, and no other one any more.
    func adopt(_ transaction: PostgresTransaction) {
      threads.withLock { $0[ObjectIdentifier(transaction)] = .current }
    }

    func transactionDidEnd(_ transaction: ObjectIdentifier, _ session: PostgresSession) {
      threads.withLock { $0[transaction] = nil }
      pool.giveBack(session)
      openings.signal()
    }

    // MARK: Commits of unknown outcome

    /// A commit whose answer was lost.
    private struct UncertainCommit: Sendable {
      /// The process of the server that had it.
      let process: Int32
      let loss: ContinuousClock.Instant
    }

    func noteUncertain(_ process: Int32) {
      uncertain.withLock { $0.append(UncertainCommit(process: process, loss: .now)) }
    }

    /// Waits until the server's processes have ended that had commits whose answers were lost: what follows sees what has become of
    /// them.
    private func waitForUncertain(_ session: PostgresSession) throws {
      let commits = uncertain.withLock { $0 }
      guard !commits.isEmpty else { return }
      let deadline = ContinuousClock.now + timeout
      for commit in commits {
        while try isRunning(commit, session) {
          guard ContinuousClock.now < deadline else {
            throw SwiftDataError(
              .storeBusy,
              "The server of the store at \(location) still works on a commit whose answer was lost. Try again.")
          }
          usleep(20_000)
        }
      }
      uncertain.withLock { $0.removeAll { known in commits.contains { $0.process == known.process } } }
    }

    private func isRunning(_ commit: UncertainCommit, _ session: PostgresSession) throws -> Bool {
      var parameters = PostgresParameters()
      parameters.append(Int64(commit.process))
      // Another session may have the number by now, but it began later.
      parameters.append(commit.loss.duration(to: .now).milliseconds)
      let result = try session.connection.run(
        PostgresStatement(
          "SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE pid = $1::int8 "
            + "AND backend_start < clock_timestamp() - $2::int8 * interval '1 millisecond'", parameters))
      return result.integer(0, 0) != 0
    }

    package func erase(willCommit: () -> Void) throws {
      let transaction = try begin(isRetry: true)
      do {
        try transaction.deleteEverything()
      } catch {
        transaction.rollBack()
        throw error
      }
      willCommit()
      try transaction.commit()
    }

    // MARK: Reading

    package func fetch(
      _ request: FetchRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
    ) throws {
      try withSession(of: transaction, request) { try $0.fetch($1, body) }
    }

    package func count(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> Int {
      try withSession(of: transaction, request) { try $0.count($1) }
    }

    package func keys(_ request: FetchRequest, in transaction: (any StoreTransaction)?) throws -> [Int64] {
      try withSession(of: transaction, request) { try $0.keys($1) }
    }

    package func explain(
      _ request: FetchRequest, in transaction: (any StoreTransaction)?
    ) throws -> StatementExplanation {
      try withSession(of: transaction, request) { try $0.explain($1) }
    }

    package func aggregate(
      _ request: AggregateRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
    ) throws {
      try withSession(of: transaction) { try $0.aggregate(request, body) }
    }

    package func members(
      _ request: MemberRequest, in transaction: (any StoreTransaction)?, _ body: (EngineRows) throws -> Void
    ) throws {
      try withSession(of: transaction) { try $0.members(request, body) }
    }

    package func keys(
      of relationship: RelationshipLayout, in entity: EntityLayout, owners: [Int64],
      transaction: (any StoreTransaction)?
    ) throws -> [Int64] {
      try withSession(of: transaction) { try $0.keys(of: relationship, in: entity, owners: owners) }
    }

    private func withSession<Value>(
      of transaction: (any StoreTransaction)?, _ body: (PostgresSession) throws -> Value
    ) throws -> Value {
      guard let transaction else { return try pool.withSession(body) }
      guard let own = transaction as? PostgresTransaction else {
        throw SwiftDataError(
          .storeFailure, "A fetch from the store at \(location) was given a transaction of another store.")
      }
      return try body(own.session(of: self))
    }

    private func withSession<Value>(
      of transaction: (any StoreTransaction)?, _ request: FetchRequest,
      _ body: (PostgresSession, FetchRequest) throws -> Value
    ) throws -> Value {
      var request = request
      // A statement that is given up aborts the transaction that it is in.
      if transaction != nil { request.stopsWhenCancelled = false }
      return try withSession(of: transaction) { try body($0, request) }
    }
  }
#endif
