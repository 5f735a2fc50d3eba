#if PostgreSQL
  import Dispatch
  import Foundation
  import PersistenceRuntime
  import PersistenceSupport
  import PostgresSQL
  import SQLEngine

  /// A store in a PostgreSQL database.
  package final class PostgresStoreEngine: StoreEngine {
    package let identifier: String
    package let location: String
    package let allowsSave: Bool
    package let saveRetryLimit: Int
    let dialect: PostgresDialect
    let database: DatabaseMapping
    /// Encrypts and decrypts values; nil if nothing is encrypted.
    let cipher: (any ValueCipher)?
    let references: PostgresReferences
    let historyStatements: PostgresHistoryStatements
    /// The limits of the history; nil if no history is recorded.
    let historyLimits: HistoryLimits?
    let historyState = Lock(HistoryProgress())
    /// Whether connections go through a pooler of transactions.
    let isPooled: Bool
    /// `SET LOCAL` statements for each transaction, because a transaction pooler keeps no settings; otherwise empty.
    let transactionPreparation: [String]
    /// The table that each transaction locks to exclude migrations. Its name contains the number of schemas so far.
    let mark: PostgresSchemaMark
    /// Whether the engine runs inside the transaction of a migration. Its own transactions are then savepoints.
    let isMigrating: Bool
    let pool: PostgresPool
    private let capacity: Int
    private let timeout: Duration
    /// Limits the number of open transactions to one less than the connections: a save needs another connection to
    /// reserve keys.
    private let openings: DispatchSemaphore
    private let blocks = Lock<[String: KeyBlock]>([:])
    /// The cached SQL texts of the statements that saves run.
    let texts = SaveTexts()
    private let uncertain = UncertainCommits()
    /// Sends and receives change notifications; nil if propagation is off.
    let news: PostgresNewsFeed?
    /// Standbys that answer reads; nil if there are none.
    let readers: PostgresReaders?
    /// The reads whose rows are being passed to a closure, by thread.
    let lentReads = LentReads()
    /// Records when each context first reads; nil with standbys or a pooler, for a read-only store, and in a migration.
    let starts: PostgresReadStarts?
    /// How long a repeated save waits for a server that is unavailable.
    private let connectTimeout: Duration
    /// `rest`: how many of the next saves check for conflicts first. A conflict raises `length` and sets `rest` to it.
    private let caution = Lock<(rest: Int, length: Int)>((0, 0))
    /// The next key of each table during a migration.
    let migratedKeys = Lock<[String: Int64]>([:])
    /// The thread that last used each open transaction.
    private let threads = Lock<[ObjectIdentifier: ThreadIdentity]>([:])

    /// Keys of a table that were reserved but are not used yet.
    private struct KeyBlock {
      var rest: [ClosedRange<Int64>] = []
      /// How many keys the next reservation reserves.
      var size = 64
      static let greatestSize = 8_192

      /// Removes and returns keys, at most `count`.
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

    /// Opens a store, or creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - opening: The store.
    ///   - capacity: The maximum number of connections, at least two.
    ///   - timeout: How long a thread waits while all connections are in use.
    ///   - retries: How often a save is repeated after a conflict with another one.
    ///   - propagation: How contexts learn of the commits of other processes.
    ///   - readers: Standbys that answer reads.
    ///   - consistency: What reads from standbys must return.
    ///   - history: The limits of the history; nil to record none.
    /// - Throws: `SwiftDataError` if the store cannot be opened or created. The store is then unchanged.
    package init(
      _ opening: PostgresOpening, capacity: Int, timeout: Duration, retries: Int,
      propagation: PostgresConfiguration.Propagation = .automatic, readers: [PostgresSettings] = [],
      consistency: PostgresConfiguration.ReadConsistency = .ownWrites, history: HistoryLimits? = nil
    ) throws {
      let opened = try opening.open()
      identifier = opened.identifier
      location = "\(opened.session.connection.location), schema \(opening.dialect.quoted(opening.dialect.namespace))"
      allowsSave = opening.allowsSave
      saveRetryLimit = max(0, retries)
      dialect = opening.dialect
      cipher = opening.cipher
      mark = opened.mark
      isMigrating = false
      database = opening.memory.database
      references = PostgresReferences(opening.memory.database, dialect: opening.dialect)
      historyStatements = PostgresHistoryStatements(opening.memory.database, dialect: opening.dialect)
      historyLimits = history
      isPooled = opening.settings.isPooled
      transactionPreparation = opening.settings.transactionPreparation
      connectTimeout = opening.settings.connectTimeout
      let pools = consistency == .primary ? [] : Self.pools(readers, opening, location: location, capacity: capacity)
      let standbys =
        pools.isEmpty
        ? nil
        : PostgresReaders(
          pools, seesOwnWrites: consistency == .ownWrites, start: try opened.session.connection.position())
      self.readers = standbys
      let isDirect = standbys == nil && !isPooled
      starts = isDirect && opening.allowsSave ? PostgresReadStarts() : nil
      news = try Self.feed(opening, channel: opened.identifier, propagation, standbys)
      self.capacity = max(2, capacity)
      self.timeout = timeout
      openings = DispatchSemaphore(value: max(2, capacity) - 1)
      pool = PostgresPool(first: opened.session, capacity: max(2, capacity), timeout: timeout) {
        try opening.openSession()
      }
    }

    private static func pools(
      _ readers: [PostgresSettings], _ opening: PostgresOpening, location: String, capacity: Int
    ) -> [PostgresPool] {
      readers.map { settings in
        PostgresPool(first: nil, location: location, capacity: max(2, capacity), timeout: .milliseconds(1)) {
          try opening.openSession(settings)
        }
      }
    }

    private static func feed(
      _ opening: PostgresOpening, channel: String, _ propagation: PostgresConfiguration.Propagation,
      _ readers: PostgresReaders?
    ) throws -> PostgresNewsFeed? {
      let polling: Duration?
      switch propagation {
      case .off: return nil
      // Transaction poolers accept LISTEN, but use another session afterwards, which receives no notifications.
      case .automatic: polling = opening.settings.isPooled ? .seconds(1) : nil
      case .polling(let interval): polling = interval
      }
      let settings = opening.settings
      return try PostgresNewsFeed(
        PostgresNewsTable(dialect: opening.dialect), channel: channel, polling: polling, mayWrite: opening.allowsSave,
        readers: readers
      ) { try PostgresConnection(settings) }
    }

    /// An engine that runs inside the open transaction of a migration.
    init(migrating session: PostgresSession, identifier: String, location: String, allowsSave: Bool) {
      self.identifier = identifier
      self.location = location
      self.allowsSave = allowsSave
      saveRetryLimit = 0
      dialect = session.dialect
      cipher = session.cipher
      mark = PostgresSchemaMark(number: 0, dialect: session.dialect)
      isMigrating = true
      database = session.database
      references = PostgresReferences(session.database, dialect: session.dialect)
      (capacity, timeout) = (1, .seconds(1))
      openings = DispatchSemaphore(value: 1)
      pool = PostgresPool(sharing: session)
      historyStatements = PostgresHistoryStatements(session.database, dialect: session.dialect)
      historyLimits = nil
      (isPooled, transactionPreparation) = (false, [])
      connectTimeout = .seconds(1)
      news = nil
      readers = nil
      starts = nil
    }

    package var readerCount: Int { capacity }

    package var roundTrips: Int { pool.roundTrips }

    package func close() {
      news?.stop()
      readers?.close()
      pool.close()
    }

    // MARK: Commits of other processes

    package var hasForeignCommits: Bool { news != nil }

    package var foreignChangeCount: Int64 { news?.queue.count ?? 0 }

    package func foreignRows(after count: Int64, through last: Int64) -> [ForeignRows]? {
      news?.queue.take(after: count, through: last)?.foreignRows(database)
    }

    // MARK: Differences

    package var keysRise: Bool { false }
    package var isSingleWriter: Bool { false }
    package var readsTexts: Bool { false }

    /// Returns true if a concurrent transaction caused the error, and false if this save violates a rule by itself.
    package func isRetryable(_ error: any Error) -> Bool {
      ((error as? SwiftDataError)?.underlyingError as? PostgresError)?.isRetryable ?? false
    }

    /// Converts the error of a statement, if the save did not check for conflicts before it wrote. If a row violates a
    /// rule, the error becomes retryable, because the repeated save does check.
    func asRace(_ error: any Error) -> any Error {
      guard let known = error as? SwiftDataError, let cause = known.underlyingError as? PostgresError,
        cause.isRuleOfRows
      else { return error }
      return SwiftDataError(known.kind, known.explanation ?? "", underlying: cause.asRace)
    }

    /// Whether the next save writes without checking for conflicts first. If it has a conflict, it must be repeated. So
    /// after a conflict, some saves check first, and after each further conflict more saves do.
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

    /// Returns an error that names the columns of a violated uniqueness constraint: PostgreSQL only names the index.
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

    package func takeKeys(
      _ count: Int, for entity: EntityLayout, in transaction: any StoreTransaction
    ) throws -> [ClosedRange<Int64>] {
      if isMigrating { return [try takeMigratedKeys(count, for: entity)] }
      let name = try database.table(for: entity).sequenceName
      let (known, size) = blocks.withLock { blocks -> ([ClosedRange<Int64>], Int) in
        var block = blocks[name] ?? KeyBlock()
        defer { blocks[name] = block }
        return (block.take(count), block.size)
      }
      let missing = count - known.reduce(0) { $0 + $1.count }
      guard missing > 0 else { return known }
      // The lock is not held during the round trip, so that other threads can reserve keys meanwhile.
      let new = try newKeys(max(missing, size), for: entity, in: transaction)
      return known
        + blocks.withLock { blocks in
          var block = blocks[name] ?? KeyBlock()
          // This call's keys are taken first. The rest is added to the block, which a concurrent call may have changed.
          var own = KeyBlock(rest: [new])
          let taken = own.take(missing)
          block.rest += own.rest
          block.size = max(block.size, min(size * 2, KeyBlock.greatestSize))
          blocks[name] = block
          return taken
        }
    }

    /// Reserves keys. If the transaction has not begun on the server yet, uses its session. Otherwise uses another
    /// session, since a rollback of the transaction would undo the reservation.
    private func newKeys(
      _ count: Int, for entity: EntityLayout, in transaction: any StoreTransaction
    ) throws -> ClosedRange<Int64> {
      guard let transaction = transaction as? PostgresTransaction, transaction.engine === self,
        let session = transaction.unbegunSession
      else { return try withLiveSession { try $0.takeKeys(count, for: entity) } }
      do {
        return try session.takeKeys(count, for: entity)
      } catch  where !session.connection.isOpen {
        // Nothing of the transaction was sent to the server yet, so it can continue with another session.
        guard let another = try? prepared(waitingForServer: false) else { throw transaction.lost(by: error) }
        transaction.owned = another
        pool.giveBack(session)
        do {
          return try another.takeKeys(count, for: entity)
        } catch  where !another.connection.isOpen {
          throw transaction.lost(by: error)
        }
      }
    }

    /// Runs a closure with a session. If its connection is lost, as after a failover, runs it with another session.
    private func withLiveSession<Value>(_ body: (PostgresSession) throws -> Value) throws -> Value {
      lentReads.letGo()
      // All sessions in the pool may have lost their connections, so each of them is tried.
      for _ in 0..<capacity {
        let session = try pool.take()
        do {
          defer { pool.giveBack(session) }
          return try body(session)
        } catch  where !session.connection.isOpen {}
      }
      return try pool.withSession(body)
    }

    // MARK: Transactions

    package func beginTransaction() throws -> any StoreTransaction { try begin(isRetry: false) }

    package func beginTransaction(retry: Int) throws -> any StoreTransaction {
      // Two saves with a conflict would conflict again if both were repeated at the same time.
      if retry > 0 { usleep(UInt32.random(in: 500...2_000) * UInt32(min(retry, 10))) }
      if retry == 1 { noteConflict() }
      return try begin(isRetry: retry > 0)
    }

    /// - Parameters:
    ///   - isRetry: Whether to wait if the server is unavailable: it may restart, or a failover may be in progress.
    ///   - isReading: Whether the transaction only reads, which a read-only store allows.
    func begin(isRetry: Bool, isReading: Bool = false) throws -> PostgresTransaction {
      guard allowsSave || isReading else {
        throw SwiftDataError(
          .storeReadOnly, "The store at \(location) was opened without saving. Open it with allowsSave to change it.")
      }
      // A second transaction would wait for rows that the first one, on the same thread, has locked.
      guard !threads.withLock({ $0.values.contains(.current) }) else {
        throw SwiftDataError(
          .storeBusy,
          "A transaction of this thread is still open on the store. Commit it or roll it back first.")
      }
      lentReads.letGo()
      starts?.settle()
      guard openings.wait(timeout: .now() + .milliseconds(Int(clamping: timeout.milliseconds))) == .success else {
        throw SwiftDataError(
          .storeBusy,
          "\(capacity - 1) transactions on the store at \(location) are open for too long. Try again, or allow more "
            + "connections.")
      }
      do {
        let session = try prepared(waitingForServer: isRetry)
        let transaction = PostgresTransaction(engine: self, session: session, isRetry: isRetry)
        adopt(transaction)
        return transaction
      } catch {
        openings.signal()
        throw error
      }
    }

    /// Returns a session for a transaction. If the connection of a session is lost, tries another session.
    private func prepared(waitingForServer isWaiting: Bool) throws -> PostgresSession {
      var rest = capacity
      while true {
        let session = try take(waitingForServer: isWaiting)
        do {
          try uncertain.waitForEnds(session, until: ContinuousClock.now + timeout, location: location)
          try news?.begin(session)
          // Queries `serverRun` now: it is needed if the connection is lost before COMMIT is acknowledged.
          _ = session.connection.serverRun
          guard session.connection.isOpen else { throw PostgresPool.lostError(session) }
          return session
        } catch {
          let isLost = !session.connection.isOpen
          pool.giveBack(session)
          rest -= 1
          guard isLost, rest >= 0 else { throw error }
        }
      }
    }

    private func take(waitingForServer isWaiting: Bool) throws -> PostgresSession {
      let deadline = ContinuousClock.now + connectTimeout
      while true {
        do {
          return try pool.take()
        } catch let error as SwiftDataError where error == .storeUnreachable {
          guard isWaiting, ContinuousClock.now < deadline else { throw error }
          usleep(50_000)
        }
      }
    }

    /// Records that the current thread uses the transaction from now on.
    func adopt(_ transaction: PostgresTransaction) {
      threads.withLock { $0[ObjectIdentifier(transaction)] = .current }
    }

    func transactionDidEnd(_ transaction: ObjectIdentifier, _ session: PostgresSession) {
      ReadAhead.noteEndOfTransaction()
      threads.withLock { $0[transaction] = nil }
      pool.giveBack(session)
      openings.signal()
    }

    // MARK: Commits of unknown outcome

    /// Records a commit that was not acknowledged. The next transactions wait until it has ended.
    func noteUncertain(_ commit: UncertainCommit) -> UncertainCommits.Entry { uncertain.add(commit) }

    /// Determines whether a commit succeeded; returns nil if the server does not answer in time.
    func outcome(of entry: UncertainCommits.Entry) -> UncertainCommit.Outcome? {
      uncertain.outcome(of: entry, until: ContinuousClock.now + timeout, in: pool)
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
  }
#endif
